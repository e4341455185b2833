"""Data that perennial brings along."""
