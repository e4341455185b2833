"""KUMO's own statistics: actions beside the optimum, topology, domain graphs."""
