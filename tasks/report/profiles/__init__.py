"""The page of profiles: players on several benchmarks."""
