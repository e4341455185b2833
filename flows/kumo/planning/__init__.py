"""From KUMO's settings to its part of an edition's plan."""
