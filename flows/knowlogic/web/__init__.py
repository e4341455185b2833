"""What KnowLogic adds to the explorer."""
