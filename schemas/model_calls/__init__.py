"""Calls of models, their endpoints and prices, and their tables."""
