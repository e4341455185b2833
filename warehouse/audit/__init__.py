"""The audit before publishing."""
