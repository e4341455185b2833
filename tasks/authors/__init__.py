"""What calls of authors have in common, whatever the benchmark: how they are put together, and read."""
