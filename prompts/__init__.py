"""The prompts of players and authors: templates and their rendering."""
