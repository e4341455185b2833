"""How SQL of readers is run, and what it may reach."""
