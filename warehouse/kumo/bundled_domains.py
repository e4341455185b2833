"""The domains that come with perennial: seed configurations as JSON files of the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from perennial.schemas.errors import InvalidOption

_FILE = "config.json"


def bundled_domains() -> dict[str, Traversable]:
    """Return the bundled configuration files by domain name (the name of the file's folder), sorted."""
    folder = files("perennial.warehouse.kumo") / "domains"
    if not folder.is_dir():
        return {}
    by_name = {entry.name: entry / _FILE for entry in folder.iterdir() if (entry / _FILE).is_file()}
    return dict(sorted(by_name.items()))


def bundled_text(name: str) -> str:
    """Return the JSON text of a bundled domain; raise InvalidOption for an unknown name."""
    domains = bundled_domains()
    if name not in domains:
        names = ", ".join(domains) or "none in this installation"
        raise InvalidOption(f"no bundled domain is called {name!r}; there are: {names}")
    return domains[name].read_text(encoding="utf-8")
