"""Types of BeyondBench."""
