"""Profiles: four benchmarks in one root, played by models of known weaknesses."""
