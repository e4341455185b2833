"""The gate that an edition passes before anybody plays it."""
