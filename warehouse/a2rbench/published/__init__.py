"""What the paper of A2RBench prints: numbers, without sentences."""
