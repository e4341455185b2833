"""The checks of `perennial doctor`."""
