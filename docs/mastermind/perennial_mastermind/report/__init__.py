"""What Mastermind adds to the report of an edition, with its SQL."""
