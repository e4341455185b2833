"""Which domain a command works on: a bundled one by name, or a file."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.schemas.errors import InvalidOption, suggest
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text


def choose_domain(name: str) -> tuple[SeedConfig, Literal["catalog", "file"]]:
    """Return the configuration that a bundled domain's name or a file's path names, and its source.

    Raises InvalidOption where it is neither, UnreadableInput where the file holds no configuration.
    """
    if name in bundled_domains():
        return load_bundled(name), "catalog"
    if Path(name).suffix == ".json" or Path(name).exists():
        return read_config_file(Path(name)), "file"
    raise InvalidOption(
        f"domain {name!r} is not bundled{suggest(name, bundled_domains())} (see `perennial domains list`; "
        "for one of your own give the path of its .json file or folder)"
    )


def read_config_file(path: Path) -> SeedConfig:
    """Return the seed configuration that the file holds; raise UnreadableInput where it holds none."""
    return parse_config(read_text_file(path), show_path(path))


@lru_cache(maxsize=64)
def load_bundled(name: str) -> SeedConfig:
    """Return the seed configuration of a bundled domain; raise InvalidOption for an unknown name."""
    return parse_config(bundled_text(name), f"bundled domain {name}")
