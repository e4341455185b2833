"""The figures of a report, one a file: each returns a section with its drawings, caption and tables."""
