"""What a benchmark declares; what it does is a class that the declaration names.

Every command reads all declarations, so they import nothing heavy: functions that are called later import the
settings and the class (`perennial.flows.benchmark.Benchmark`). Benchmarks are found by entry point (group
`perennial.benchmarks`), so that another package can add one; its prompt templates are in the folder `prompts`
beside the module that the entry point names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from typing import Any, Literal

from perennial.schemas.errors import InvalidOption, UnusableBenchmark, in_one_line, suggest
from perennial.schemas.statistics import (
    THESE_DOMAINS,
    Floor,
    Measure,
    MeasuredVariance,
    Population,
    PublishedScore,
)
from perennial.schemas.table_form import Table

GROUP = "perennial.benchmarks"
DEFAULT_BENCHMARK = "kumo"
# By how they are made: table, columns, and the columns that the values of each of them are made from.
Origins = Mapping[Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"], tuple[tuple[str, str, str], ...]]
# A command: where its function or `typer.Typer` is (module:name), and its line in the list of commands.
CommandLine = tuple[str, str]
# The same with what it does in at most 22 letters, for the list of all commands.
OwnCommand = tuple[str, str, str]


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """A unit of work and of staging: a stage's name, and a key that distinguishes its batches."""

    stage: str
    key: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.stage, *self.key))


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a benchmark says of itself to all packages; its entry point names it.

    - `settings`: returns its subclass of `perennial.schemas.settings.RefreshSettings`.
    - `implementation`: returns its subclass of `perennial.flows.benchmark.Benchmark`: what it does.
    - `sql`: names the package whose folders `views` and `rules` hold its views and its rules of the audit.
    - `measures`: shown beside the success rate.
    - `floor`: its program that answers without the work, whose success rate is drawn as the floor.
    - `population`: the widest that its figures can be of: `new domains` where an edition draws its clusters
      (column `cluster` of `instances`), `these domains` where its domains are the definition. `is_fixed`:
      SQL that is true in an edition whose clusters were not drawn after all, "" for none.
    - `variance`: the parts of the variance of its success rates, where its domains are a draw from a
      population of domains; without it there is no common scale and no design.
    - `answers`: SQL of `edition`, `evaluation`, `episode_id`, `answer` (as text, NULL: none was read),
      `right_answer` and `fault` (the kind of a wrong answer, or NULL) of its episodes. Questions are joined
      by LEFT JOIN: docs/querying.md says why.
    - `languages`: SQL of `instance_id` and `language` (such as en) of questions, "" where all are English.
    - `published`: returns what its paper and its authors' site print, the rows of `published_scores`.
    - `unlike_paper`: SQL of `edition`, `player` (NULL: all) and `differs`, how the edition's answers came
      about otherwise than the printed numbers, in a few words: a row for each difference, or "".
    - `origins`: which columns are made from which.
    - `commands`, `importers`: its commands of `perennial` and of `perennial import`, by name.
    """

    name: str
    settings: Callable[[], type[Any]]  # which imports what declares the settings
    implementation: "Callable[[], Callable[[Declaration], object]]"
    tables: tuple[Table, ...] = ()
    sql: str = ""
    measures: tuple[Measure, ...] = ()
    floor: Floor | None = None
    population: Population = THESE_DOMAINS
    is_fixed: str = ""
    variance: MeasuredVariance | None = None
    answers: str = ""
    languages: str = ""
    published: Callable[[], Iterable[PublishedScore]] = tuple
    unlike_paper: str = ""
    origins: Origins = field(default_factory=dict)
    commands: Mapping[str, OwnCommand] = field(default_factory=dict)
    importers: Mapping[str, CommandLine] = field(default_factory=dict)

    def find_population(self, query: Callable[[str], Sequence[tuple[object, ...]]]) -> Population:
        """The widest population of one edition's figures; `query` returns the rows of SQL on its tables."""
        is_fixed = bool(self.is_fixed) and query(self.is_fixed)[0][0] is True
        return THESE_DOMAINS if is_fixed else self.population

    @property
    def floor_player(self) -> str:
        """The program that is the floor, "" without one."""
        return self.floor.player if self.floor else ""

    @property
    def figures(self) -> tuple[Measure, ...]:
        """The figures of its leaderboards: its measures, and by which players are marked."""
        effort = self.floor and self.floor.effort
        return (*self.measures, effort) if effort else self.measures


@lru_cache(maxsize=1)
def benchmarks() -> dict[str, Declaration]:
    """The installed benchmarks by name, sorted; raise UnusableBenchmark where one cannot be loaded."""
    return {entry.name: _load(entry) for entry in sorted(entry_points(group=GROUP), key=attrgetter("name"))}


def _load(entry: EntryPoint) -> Declaration:
    try:
        declared = entry.load()
        if not isinstance(declared, Declaration) or declared.name != entry.name:
            raise TypeError(f"expected a Declaration of the name {entry.name!r}")
    except Exception as error:
        package = entry.dist and f"{entry.dist.name} {entry.dist.version}"
        raise UnusableBenchmark(
            f"benchmark {entry.name!r} of package {package or 'unknown'} ({entry.value}) cannot be loaded: "
            f"{type(error).__name__}: {in_one_line(error)}: correct the package, or uninstall it"
        ) from error
    return declared


def find_declaration(name: str) -> Declaration:
    """The benchmark of that name; raise InvalidOption where none is installed."""
    installed = benchmarks()
    if name not in installed:
        names = ", ".join(installed) or "none"
        raise InvalidOption(
            f"benchmark {name!r} is not installed; installed: {names}{suggest(name, installed)}"
        )
    return installed[name]
