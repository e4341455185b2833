"""The figures of a report: each returns a section with its drawings, caption and tables."""
