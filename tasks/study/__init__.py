"""What a study computes: assignment and codes."""
