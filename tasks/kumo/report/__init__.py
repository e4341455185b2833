"""KUMO's own sections of a report, one per file."""
