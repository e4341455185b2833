"""Numbers that a paper prints beside those that are computed from released data."""
