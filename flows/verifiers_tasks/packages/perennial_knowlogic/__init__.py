"""The environment `perennial-knowlogic` of verifiers."""

from typing import TYPE_CHECKING

from perennial.flows.verifiers_tasks.define import define_environment

if TYPE_CHECKING:
    import verifiers.v1 as vf

Questions, Environment, Player, _load = define_environment("knowlogic")


# OpenEnv's importer reads source files: it looks for this function in one that imports verifiers.
def load_environment(**arguments: object) -> "vf.Env":
    """Return the environment of these parameters; raise InvalidOption, in one line, for a wrong one."""
    return _load(**arguments)


__all__ = ["Environment", "Player", "Questions", "load_environment"]
