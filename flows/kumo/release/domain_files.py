"""The domains of a copy of the KUMO authors' repository: parsed, never executed, repaired where that invents
nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from perennial.schemas.errors import UnreadableInput, UnusableConfig
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.release.configurations import ReadConfig, config_from_json, config_from_module
from perennial.tasks.kumo.release.repair import repair_config
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.warehouse.kumo.release.layout import ReleaseFile, Skipped, find_release, read_text

_CONFIG_BYTES = 2_000_000  # the largest has 60,000


@dataclass(frozen=True, slots=True)
class FoundDomain:
    """A domain of the repository: its configuration, or why there is none that sampling takes.

    `changes` are the repairs, `warnings` what sampling can live with; a line each.
    """

    name: str
    config: SeedConfig | None = None
    problem: str = ""
    changes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Changes and warnings, each with the domain's name."""
        return (*(f"domain {self.name!r}: {change}" for change in self.changes), *self.warnings)


def read_domains(
    path: Path, names: Sequence[str] = (), words: Mapping[str, str] = MappingProxyType({})
) -> list[FoundDomain]:
    """Return these domains of the repository, all where none is named, with the operator's words.

    A module of an environment that was skipped is a domain without a configuration.

    Raises UnreadableInput for a folder that is no such repository, InvalidOption for a name that it lacks.
    """
    release = find_release(path).only(names)
    if names:
        return [_find(name, release.configs.get(name), words) for name in dict.fromkeys(names)]
    modules = [FoundDomain(one.place, problem=one.reason) for one in release.skipped if _is_module(one.file)]
    return [*(_find(name, release.configs.get(name), words) for name in release.domains), *modules]


def read_config(domain: str, file: ReleaseFile) -> ReadConfig | Skipped:
    """Return the configuration that a module or a JSON file holds as written, or why it cannot be read."""
    text = read_text(file, _CONFIG_BYTES)
    if isinstance(text, Skipped):
        return text
    read_as = config_from_json if file.path.suffix == ".json" else config_from_module
    try:
        return read_as(text, domain, file.name)
    except UnreadableInput as error:
        # The message begins with the file, and the line where one is wrong.
        match = re.fullmatch(rf"{re.escape(file.name)}(?:, line (\d+))?: (.*)", str(error), re.DOTALL)
        line, reason = match.groups() if match is not None else (None, str(error))
        return Skipped(file.name, int(line) if line else None, reason)


def _is_module(file: str) -> bool:
    return file.startswith("env/") and file.endswith(".py")


def _find(name: str, file: ReleaseFile | None, words: Mapping[str, str]) -> FoundDomain:
    if file is None:
        return FoundDomain(name, problem="no configuration was found for it")
    read = read_config(name, file)
    if isinstance(read, Skipped):
        return FoundDomain(name, problem=f"{read.place}: {read.reason}")
    config, changes = repair_config(read.config, words)
    changes = (*read.remarks, *changes)
    try:
        warnings = tuple(found.message for found in refuse_unsafe(config))
    except UnusableConfig as error:
        return FoundDomain(name, problem=str(error), changes=changes)
    return FoundDomain(name, config, changes=changes, warnings=warnings)
