"""The figures of a report, one per file: each returns a section with its drawings, caption and tables."""
