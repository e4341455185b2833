"""From what the operator asked for to a plan, and what of it is shown."""
