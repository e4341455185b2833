"""Published tables and views, for readers."""
