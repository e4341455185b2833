"""What gets done: plain functions without Prefect, database or file system."""
