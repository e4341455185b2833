"""The work in progress of an edition."""
