"""The bundled domains and the tables of facts that they are generated from."""
