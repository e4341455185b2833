"""Studies in which people play."""
