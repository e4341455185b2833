"""The paper of A2RBench beside the published seeds."""
