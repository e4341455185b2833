"""What a text may hold."""
