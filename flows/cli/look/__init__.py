"""Commands that show what is published."""
