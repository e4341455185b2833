"""BeyondBench's part of the explorer."""
