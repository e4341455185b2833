"""Models: the starter files of settings, one call to try each, and what an endpoint lists."""
