"""What else could answer an item: rules beyond the catalogue, and rules that need no inference."""
