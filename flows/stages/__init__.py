"""What stages share: the workspace, model calls, completeness, statistics."""
