"""Exports: an edition as a folder for others."""
