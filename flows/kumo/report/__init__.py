"""What KUMO adds to the report of an edition: its queries, and the sections drawn from them."""
