"""What made an edition beside its plan: the code that ran, its Python and the libraries below it."""

import hashlib
import platform
import re
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

_DISTRIBUTION = "perennial-bench"
_CODE = (".py", ".sql", ".j2", ".json", ".csv", ".toml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@lru_cache(maxsize=1)
def code_sha256() -> str:
    """Return the SHA-256 over names and content of all files that the installed code consists of.

    It distinguishes two states of the code that have one version, such as a clone with changes in it.
    """
    installed = Path(__file__).parents[2]
    # In a clone the packages are links, which a search from here would not follow.
    parts = [path for entry in installed.iterdir() for path in (entry, *entry.rglob("*"))]
    whole = hashlib.sha256()
    for path in sorted(path for path in parts if path.suffix in _CODE):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{content} {path.relative_to(installed).as_posix()}\n".encode())
    return whole.hexdigest()


def python_version() -> str:
    """Return the version of the Python that runs, such as 3.11.9."""
    return platform.python_version()


@lru_cache(maxsize=1)
def dependency_versions() -> dict[str, str]:
    """Return the installed version of each direct dependency by name; none for code not installed."""
    try:
        required = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    found = (_NAME.match(line) for line in required if "extra ==" not in line)
    names = sorted({match.group().lower() for match in found if match})
    return {name: version(name) for name in names}
