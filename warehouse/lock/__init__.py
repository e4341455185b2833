"""One writer a data root."""
