"""Statistics: one metric a function, with its formula and undefined cases."""
