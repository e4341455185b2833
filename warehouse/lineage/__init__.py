"""What OpenLineage receives of a refresh: its jobs, its datasets and where each column comes from."""
