"""Figures computed from an edition: what they rest on, and where a later analysis of it is kept."""
