"""Commands of A2RBench."""
