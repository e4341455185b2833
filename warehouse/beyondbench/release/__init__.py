"""What the authors of BeyondBench have published."""
