"""What A2RBench adds to the explorer."""
