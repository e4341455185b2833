"""KUMO's rows, bundled domains and importer."""
