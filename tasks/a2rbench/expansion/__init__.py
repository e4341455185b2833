"""Variations V1 to V9 of a rule that a model wrote: a model chooses inputs, code is run, a judge decides."""
