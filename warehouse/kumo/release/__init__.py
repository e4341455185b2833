"""Reader of the KUMO authors' release."""
