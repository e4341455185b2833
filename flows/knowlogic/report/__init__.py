"""What KnowLogic adds to the report of an edition: its queries and sections."""
