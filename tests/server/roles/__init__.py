"""The roles that the scripted server plays: each module of this folder holds one as `SCRIPT`."""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from tests.server.script import Script


@lru_cache(maxsize=1)
def scripts() -> tuple[Script, ...]:
    """Return all roles: the one that tries to solve what it is asked comes after the others."""
    names = sorted((module.name for module in iter_modules(__path__)), key=lambda name: name == "solver")
    return tuple(import_module(f"{__name__}.{name}").SCRIPT for name in names)
