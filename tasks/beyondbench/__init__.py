"""BeyondBench: 44 algorithmic tasks, each with proved generators and graders (arXiv 2509.24210)."""
