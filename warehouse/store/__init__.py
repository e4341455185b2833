"""Files of a data root, local or on an object store."""
