"""Players of all editions on one scale, and what an edition of a given size can tell."""
