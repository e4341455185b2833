"""A2RBench: its stages, planning, play and analysis."""
