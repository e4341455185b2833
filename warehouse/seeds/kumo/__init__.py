"""The bundled KUMO domains and the program that builds them from tables of facts."""
