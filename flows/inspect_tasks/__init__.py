"""Tasks of Inspect (inspect_ai): its models play editions, and its logs come home as evaluations."""
