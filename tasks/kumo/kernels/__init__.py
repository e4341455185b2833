"""How compiled code is put together."""
