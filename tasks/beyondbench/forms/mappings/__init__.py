"""Mappings as answers."""
