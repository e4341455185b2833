"""Views and audit rules of A2RBench."""
