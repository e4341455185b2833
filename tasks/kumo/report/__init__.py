"""KUMO's own sections of a report, one a file."""
