"""Rules of space, and forward chaining by them."""
