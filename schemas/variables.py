"""What is read before any settings: which variables are settings, and in which folder the work is."""

import os
from collections.abc import Iterable
from contextlib import suppress
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


SETTINGS_FILE = "perennial.toml"
DEFAULT_ROOT = "warehouse/data"
DEFAULT_ROOT_WORDS = (
    f"{DEFAULT_ROOT} of the nearest folder, this one or one above, with {SETTINGS_FILE} or data; else the "
    "user's data folder"
)
# What makes a folder one of perennial's: its settings, its data, or that it is a clone of the program.
_MARKS = (SETTINGS_FILE, DEFAULT_ROOT, "src/perennial")


def project_folder() -> Path | None:
    """The nearest folder, this one or one above, that has settings, data or the program; None: none has.

    As git does, it passes over what another user owns: settings of somebody else could send our key away.
    """
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return None
    if any(os.path.lexists(here / mark) for mark in _MARKS):
        return here
    return next((folder for folder in here.parents if any(_is_ours(folder / mark) for mark in _MARKS)), None)


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def settings_file() -> Path:
    """The perennial.toml that holds here, whether it is there or not; relative if it is in this folder."""
    return _in_project(SETTINGS_FILE)


def default_root() -> str:
    """The data root where none is named: of the project folder, else of this user (XDG_DATA_HOME)."""
    if project_folder() is not None:
        return str(_in_project(DEFAULT_ROOT))
    home = os.environ.get("XDG_DATA_HOME") or ""
    with suppress(RuntimeError):  # a user without a home folder
        return str((Path(home) if os.path.isabs(home) else Path.home() / ".local/share") / "perennial")
    return DEFAULT_ROOT


def _in_project(name: str) -> Path:
    folder = project_folder()
    return Path(name) if folder is None or folder == Path.cwd() else folder / name


def cache_folder() -> Path:
    """Return where costly files of this user are kept; raise RuntimeError where there is no home folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "perennial"
