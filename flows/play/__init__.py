"""One person plays one instance in the terminal."""
