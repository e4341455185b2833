"""The orchestration: the only folder that imports Prefect, and the command line."""
