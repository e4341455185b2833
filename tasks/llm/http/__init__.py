"""What goes over the wire: the endpoint, one bounded HTTP attempt, the JSON of its body."""
