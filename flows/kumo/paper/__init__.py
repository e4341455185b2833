"""Reproduce the tables and figures of the KUMO paper."""
