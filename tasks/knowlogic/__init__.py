"""KnowLogic: domains, engines, texts, growing, gate, players, statistics and report."""
