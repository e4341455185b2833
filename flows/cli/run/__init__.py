"""Commands that grow, play and prepare editions."""
