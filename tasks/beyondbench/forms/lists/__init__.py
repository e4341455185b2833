"""Lists and sets as answers."""
