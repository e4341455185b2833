"""Play games, whatever the benchmark: by models over a conversation, or by programs."""
