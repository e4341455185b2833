"""Commands of BeyondBench."""
