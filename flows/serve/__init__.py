"""Scheduled refreshes: deployments and the embedded Prefect server."""
