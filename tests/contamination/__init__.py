"""The contamination gap: its statistics, its command, and models that have read an export."""
