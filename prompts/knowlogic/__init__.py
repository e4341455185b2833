"""KnowLogic's sentences: a TOML file a domain, and the frame of a question."""
