"""Players of BeyondBench that need no model."""
