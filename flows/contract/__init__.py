"""What every installed benchmark must do: `perennial benchmarks --check NAME`."""
