"""The report of an edition: plain data in, one HTML page with its figures out."""
