"""Run code that a model wrote: in a process of its own that can touch nothing outside.

`run_code` gives outputs for inputs, or raises `Refused` with a named reason. `run_purely` runs the same
inputs in several processes, each with a hash seed of its own, and in both orders. `find_protection` says
which protections work on this machine.
"""
