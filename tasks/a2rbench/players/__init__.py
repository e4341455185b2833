"""Players of A2RBench that need no model."""
