"""Who watches a refresh: Prefect artifacts and assets, OpenLineage, the webhook."""
