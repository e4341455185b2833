"""What models do before anybody plays: the variations of rules that they wrote, and what these cost."""
