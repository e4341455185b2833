"""The environment `perennial-a2rbench` of verifiers."""

from perennial.flows.verifiers_tasks.define import define_environment

Questions, Environment, Player, load_environment = define_environment("a2rbench")

__all__ = ["Environment", "Player", "Questions", "load_environment"]
