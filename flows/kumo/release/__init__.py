"""The import of the KUMO authors' release."""
