"""What A2RBench adds to the report: queries and sections."""
