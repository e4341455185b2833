"""Fresh reasoning benchmarks for language models."""
