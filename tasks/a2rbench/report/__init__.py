"""Sections of A2RBench in the report."""
