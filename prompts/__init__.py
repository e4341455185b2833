"""What players and authors are told: templates and their rendering."""
