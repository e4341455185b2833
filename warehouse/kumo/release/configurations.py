"""Configuration files of a release: each file's text, handed to the reader of its form."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from schemas.errors import UnreadableInput
from warehouse.kumo.release.folders import read_text
from warehouse.kumo.release.things import ConfigFile, Skipped

MAX_BYTES = 2_000_000  # the largest has 60,000
Config = TypeVar("Config")
# (text, name of the domain, name of the file for errors) -> what the text holds
ReadConfig = Callable[[str, str, str], Config]


def read_configs(
    files: Iterable[ConfigFile], from_json: ReadConfig[Config], from_module: ReadConfig[Config]
) -> Iterator[tuple[str, Config] | Skipped]:
    """Yield (domain, configuration) of each file, or why it was skipped; a domain without file gives nothing.

    `from_json` and `from_module` raise UnreadableInput where the text holds no configuration.
    """
    for config in files:
        if config.file is None:
            continue
        text = read_text(config.file, MAX_BYTES)
        if isinstance(text, Skipped):
            yield text
            continue
        read = from_json if config.form == "json" else from_module
        try:
            yield config.domain, read(text, config.domain, config.file.name)
        except UnreadableInput as error:
            yield _refused(config.file.name, str(error))


def _refused(name: str, message: str) -> Skipped:
    """Return the error with file and line apart, as far as it says them."""
    match = re.fullmatch(rf"{re.escape(name)}(?:, line (\d+))?: (.*)", message, re.DOTALL)
    if match is None:
        return Skipped(name, None, message)
    return Skipped(name, int(match[1]) if match[1] else None, match[2])
