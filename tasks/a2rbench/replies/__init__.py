"""How replies are read: strict JSON first, then JSON as people write it, then other unambiguous forms."""
