"""The workflow that `perennial init --github` writes, and each of its steps."""
