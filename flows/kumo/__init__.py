"""KUMO: its stages, its import, its commands."""
