"""What a copy of the KUMO authors' repository is made of."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from schemas.errors import InvalidOption
from schemas.kumo.things import Setting

ORACLE = "oracle"
SFT_PREFIX = "sft/"


@dataclass(frozen=True, slots=True, order=True)
class ReleaseFile:
    """One file: its `name` below the release's folder, with `/` between the parts, and where it lies."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was skipped: the file, the line (None: all of it) and why, on one line."""

    file: str
    line: int | None
    reason: str

    @property
    def warning(self) -> str:
        """The sentence that a user is shown."""
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"skipped {place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A domain's configuration: JSON, or a Python module of literals. `file` is None where none was found."""

    domain: str
    file: ReleaseFile | None
    form: Literal["json", "module"]


@dataclass(frozen=True, slots=True)
class InstanceFile:
    """The instances of one domain and setting, JSON Lines."""

    domain: str
    setting: Setting
    file: ReleaseFile


@dataclass(frozen=True, slots=True)
class BookFile:
    """The knowledge book of one instance, which its seed names."""

    domain: str
    setting: Setting
    seed: int
    file: ReleaseFile


@dataclass(frozen=True, slots=True)
class TrajectoryFile:
    """All runs of one player on one domain and setting, JSON Lines, a line an instance.

    `player` is the model's name, `sft/NAME` for a fine-tuned one, or `oracle`. `agent` is the folder that
    says how it was asked (`VanillaAgent`, `SFTAgent`; empty for the oracle), `runs` what the file's name
    promises for an instance: the oracle's says 10 and each of its lines holds one.
    """

    player: str
    domain: str
    setting: Setting
    agent: str
    runs: int
    file: ReleaseFile


File = TypeVar("File", ConfigFile, InstanceFile, BookFile, TrajectoryFile)


@dataclass(frozen=True, slots=True)
class Release:
    """A copy of the authors' repository: a whole `clone`, or the `partial` form with flat folders.

    Everything is sorted by player, domain and setting (and seed), whatever order the disk gives.
    `domains` are all names that occur anywhere; `run_table` has the runs of most players without their moves;
    `skipped` are files and folders that nothing is read from.
    """

    root: Path
    form: Literal["clone", "partial"]
    configs: tuple[ConfigFile, ...]
    instances: tuple[InstanceFile, ...]
    books: tuple[BookFile, ...]
    trajectories: tuple[TrajectoryFile, ...]
    oracle: tuple[TrajectoryFile, ...]
    run_table: ReleaseFile | None
    skipped: tuple[Skipped, ...]

    @property
    def domains(self) -> tuple[str, ...]:
        """All domains, such as `MedicalEnv`: those with a configuration, instances, books or runs."""
        parts = (self.configs, self.instances, self.books, self.trajectories, self.oracle)
        return tuple(sorted({part.domain for group in parts for part in group}))

    @property
    def players(self) -> tuple[str, ...]:
        """All players with trajectories, fine-tuned ones included, the oracle not."""
        return tuple(sorted({file.player for file in self.trajectories}))

    def only(self, domains: Iterable[str] = (), players: Iterable[str] = ()) -> "Release":
        """Return the release with these domains and players; none named means all, the oracle always stays.

        Raises InvalidOption for a name that the release does not have.
        """
        wanted = _choose("domain", domains, self.domains)
        playing = _choose("model", players, self.players)
        return replace(
            self,
            configs=_of(self.configs, wanted),
            instances=_of(self.instances, wanted),
            books=_of(self.books, wanted),
            trajectories=tuple(file for file in _of(self.trajectories, wanted) if file.player in playing),
            oracle=_of(self.oracle, wanted),
        )


def _of(files: tuple[File, ...], domains: Container[str]) -> tuple[File, ...]:
    return tuple(file for file in files if file.domain in domains)


def _choose(kind: str, names: Iterable[str], known: tuple[str, ...]) -> frozenset[str]:
    chosen = tuple(names)
    missing = next((name for name in chosen if name not in known), None)
    if missing is not None:
        have = ", ".join(known) or "none"
        raise InvalidOption(f"the release has no {kind} {missing!r}; it has: {have}")
    return frozenset(chosen or known)
