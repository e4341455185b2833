"""Run code that a model wrote: in a process of its own that can touch nothing outside.

`run_code` gives outputs for inputs, or raises `Refused` with a named reason. `check_purity` runs the same
inputs twice, in two processes with two hash seeds and in both orders. `find_tier` says which protections work
on this machine.
"""
