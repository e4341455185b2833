"""Tests of items that others published."""
