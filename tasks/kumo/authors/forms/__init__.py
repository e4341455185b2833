"""The JSON forms that models fill in."""
