"""KUMO: what its things are, its tables, its settings."""
