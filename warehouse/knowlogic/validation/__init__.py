"""Named rules over the tables of the knowledge base."""
