"""A user's SQL in a process of its own, which can be ended at any time.

DuckDB looks at its limits of time and memory between its operations, not inside of one function call, and
Ctrl-C waits as long. So its process is watched from outside, and killed past a limit.
"""
