"""A2RBench: a catalogue of reversible rules, and what is made of them."""
