"""Balanced instances: no listed truth is more likely than another before the first test."""
