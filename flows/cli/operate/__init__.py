"""Commands for whoever looks after a data root."""
