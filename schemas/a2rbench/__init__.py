"""Types of A2RBench."""
