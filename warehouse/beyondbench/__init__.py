"""BeyondBench's views, rules of the audit, and importer."""
