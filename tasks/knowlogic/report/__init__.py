"""KnowLogic's own sections of the report."""
