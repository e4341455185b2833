"""Which domain a command works on: a bundled one by name, or a file."""

from pathlib import Path
from typing import Literal

from flows.console.input_files import load_bundled, read_config_file
from schemas.errors import InvalidOption
from schemas.kumo.things import SeedConfig
from warehouse.kumo.bundled_domains import bundled_domains


def choose_domain(name: str) -> tuple[SeedConfig, Literal["catalog", "file"]]:
    """Return the configuration that a bundled domain's name or a file's path names, and its source.

    Raises InvalidOption where it is neither, UnreadableInput where the file holds no configuration.
    """
    if name in bundled_domains():
        return load_bundled(name), "catalog"
    if Path(name).suffix == ".json" or Path(name).exists():
        return read_config_file(Path(name)), "file"
    raise InvalidOption(
        f"domain {name!r} is not known: bundled are {', '.join(bundled_domains())}; "
        "for a domain of your own give the path of its .json file"
    )
