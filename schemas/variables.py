"""Which environment variables are meant to be settings, and the user's cache; read without any settings."""

import os
from collections.abc import Iterable
from pathlib import Path

PREFIX = "PERENNIAL_"
# What is no setting: a key, a limit of `perennial query`, and where tests, which run commands too, find
# published data.
_OTHERS = ("PERENNIAL_API_KEY", "PERENNIAL_QUERY_MEMORY_LIMIT", "PERENNIAL_SHARED")
_INTERNAL = f"{PREFIX}_"  # from one process of ours to another


def has_variables(environment: Iterable[str]) -> bool:
    """Whether there is a variable that is a setting, or is named like one."""
    return any(map(is_claimed, environment))


def is_claimed(variable: str) -> bool:
    """Whether this variable is a setting, or named like one."""
    return variable.startswith(PREFIX) and not variable.startswith(_INTERNAL) and variable not in _OTHERS


def cache_folder() -> Path:
    """Return where costly files of this user are kept; raise RuntimeError where there is no home folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "perennial"
