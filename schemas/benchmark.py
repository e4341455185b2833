"""The seam: what a benchmark declares, so that shared code can grow, play and publish it without knowing it.

Order, batch keys, completeness, lineage jobs and progress all derive from a benchmark's list of stages.
Benchmarks are found by entry point (group `perennial.benchmarks`), so that another package can add one; its
prompt templates are in the folder `prompts` beside the module that the entry point names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any, Literal

from schemas.calls import ModelChoice, StageEstimate
from schemas.errors import InvalidOption, suggest
from schemas.game import Playing
from schemas.measure import Floor, Measure
from schemas.plan import EditionPlan, EvaluationPlan
from schemas.populations import THESE_DOMAINS, Population
from schemas.price import Price
from schemas.table_form import Table
from schemas.variance import MeasuredVariance

GROUP = "perennial.benchmarks"
DEFAULT_BENCHMARK = "kumo"
Rows = list[dict[str, Any]]
# By how they are made: table, columns, and the columns that the values of each of them are made from.
Origins = Mapping[Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"], tuple[tuple[str, str, str], ...]]
# A command: where its function or `typer.Typer` is (module:name), and its line in the list of commands.
CommandLine = tuple[str, str]
# The same with what it does in at most 22 letters, for the list of all commands.
OwnCommand = tuple[str, str, str]
# A workspace (`flows.stages.workspace`) and policies (`flows.stages.policies`) lie above this room.
Workspace = Any
Policies = Any


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """A unit of work and of staging: a stage's name, and a key that distinguishes its batches."""

    stage: str
    key: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.stage, *self.key))


def name_batch(_workspace: Workspace, batch: Batch, _policies: Policies) -> str:
    """Return the batch's name for readers: its stage and its key."""
    return str(batch)


def never(_workspace: Workspace, _batch: Batch) -> bool:
    """Return False for every batch."""
    return False


def always(_workspace: Workspace, _batch: Batch) -> bool:
    """Return True for every batch."""
    return True


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its batches in order, and what produces the rows of a batch.

    `reads` and `writes` are tables of the edition (read: `external_scores` too, where the data root has any),
    `earlier` tables of earlier editions that it reads.
    `batches` lists what the plan asks for, as far as it is known from what is staged. `spreads` says whether
    a batch needs no model and may run in any process that sees the data root. Batches of one `chain` run one
    after the other, in order. A stage that `repeats` runs again in each refresh, staged or not. `label` names
    a batch for readers of Prefect's pages.
    """

    name: str
    doc: str
    batches: Callable[[Workspace], Sequence[Batch]]
    run: Callable[[Workspace, Batch, Policies], Mapping[str, Rows]]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    spreads: Callable[[Workspace, Batch], bool] = never
    chain: Callable[[Batch], object] | None = None
    repeats: bool = False
    label: Callable[[Workspace, Batch, Policies], str] = name_batch


def _no_calls(*_of: object) -> list[StageEstimate]:
    return []


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a benchmark makes of the settings of a refresh, after every check that needs no work.

    - `own`, `found`: its part of the edition's plan (`schemas.plan.EditionPlan`).
    - `inputs`: what its stages are given beside the plan, in this process.
    - `warnings`: lines to print before the work.
    - `authors`: the models that its stages call.
    - `shown`: printed with the plan; `unused`: keys of `own` that mean nothing under the others, not printed.
    - `counts`: the rows that the edition will hold, `instances` among them.
    - `sizes`: the number of domains and of instances by setting, where domains are drawn.
    - `estimate`: returns the model calls of all stages.
    - `protocol`: the evaluation's (`schemas.plan.EvaluationPlan`).
    - `resume`: returns the preparation for an edition that was begun with this plan (and published or not);
      None where this one serves as well.
    """

    own: dict[str, Any]
    found: tuple[str, ...] = ()
    inputs: Any = None
    warnings: tuple[str, ...] = ()
    authors: tuple[ModelChoice, ...] = ()
    shown: Mapping[str, Any] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    estimate: Callable[[EvaluationPlan, Mapping[str, Price]], list[StageEstimate]] = _no_calls
    protocol: Mapping[str, Any] = field(default_factory=dict)
    resume: "Callable[[EditionPlan, bool], Preparation] | None" = None


def nothing(*_of: object) -> dict[str, str]:
    """Return an empty mapping, whatever it is of."""
    return {}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a benchmark is. What is heavy to import comes from functions.

    - `settings`: returns its subclass of `schemas.settings.RefreshSettings`.
    - `prepare`: gets such settings and the data root.
    - `growing`: returns the stages by which an edition grows.
    - `playing`: returns its programs and games.
    - `analysis`: returns what it adds to the statistics (`tasks.statistics.analysis.Analysis`).
    - `sql`: names the package whose folders `views` and `rules` hold its views and its rules of the audit.
    - `measures`: shown beside the success rate.
    - `floor`: its program that answers without the work, whose success rate is drawn as the floor.
    - `report`: returns its own sections of the report (`tasks.report.content.Report`).
    - `protocol`: returns that of an evaluation, from settings, data root and the plan of a published edition.
    - `estimate`: returns the model calls of an evaluation of a published edition of a data root.
    - `inputs_of`: returns the inputs (`Preparation`) that a published edition of a data root was grown with.
    - `unfit`: returns, for a plan's own part, the programs that cannot play, and why.
    - `plays_imports`: whether its imported editions, which passed no gate here, may be evaluated.
    - `parameters`: returns type and help of flow parameters that may hold less than their setting, None for
      settings that are no parameters.
    - `summary`: returns what is printed of a published edition, from its catalog and plan.
    - `population`: the widest that its figures can be of: `new domains` where an edition draws its clusters
      (column `cluster` of `instances`), `these domains` where its domains are the definition.
    - `variance`: the parts of the variance of its success rates, where its domains are a draw from a
      population of domains; without it there is no common scale and no design.
    - `answers`: SQL of `edition`, `evaluation`, `episode_id`, `answer` (as text, NULL: none was read),
      `right_answer` and `fault` (the kind of a wrong answer, or NULL) of its episodes.
    - `languages`: SQL of `instance_id` and `language` (such as en) of questions, "" where all are English.
    - `warm_up`: makes compiled code ready and returns a clause that says so.
    - `origins`: returns which columns are made from which.
    - `pages`: returns its own pages of `perennial web` (`flows.web.page.OwnPages`).
    - `commands`, `importers`: its commands of `perennial` and of `perennial import`, by name.
    """

    name: str
    settings: Callable[[], Any]
    prepare: Callable[[Any, Any], Preparation]
    growing: Callable[[], tuple[Stage, ...]]
    playing: Callable[[], Playing]
    analysis: Callable[[], Any]
    tables: tuple[Table, ...] = ()
    sql: str = ""
    measures: tuple[Measure, ...] = ()
    floor: Floor | None = None
    report: Callable[[], Any] | None = None
    protocol: Callable[[Any, Any, EditionPlan], Mapping[str, Any]] = nothing
    estimate: Callable[[Any, EvaluationPlan, Mapping[str, Price]], list[StageEstimate]] = _no_calls
    inputs_of: Callable[[Any, str], Any] = nothing
    unfit: Callable[[Mapping[str, Any]], Mapping[str, str]] = nothing
    plays_imports: bool = False
    parameters: Callable[[], Mapping[str, tuple[Any, str] | None]] = dict
    summary: Callable[[Any, EditionPlan], Mapping[str, str]] = nothing
    population: Population = THESE_DOMAINS
    variance: MeasuredVariance | None = None
    answers: str = ""
    languages: str = ""
    warm_up: Callable[[], str] | None = None
    origins: Callable[[], Origins] = dict
    pages: Callable[[], Any] | None = None
    commands: Mapping[str, OwnCommand] = field(default_factory=dict)
    importers: Mapping[str, CommandLine] = field(default_factory=dict)

    @property
    def figures(self) -> tuple[Measure, ...]:
        """The figures of its leaderboards: its measures, and by which players are marked."""
        effort = self.floor and self.floor.effort
        return (*self.measures, effort) if effort else self.measures


def later(place: str) -> Callable[..., Any]:
    """Return a function that imports the function at `module:name` once it is called, and calls it."""
    return lambda *values: resolve_name(place)(*values)


@lru_cache(maxsize=1)
def benchmarks() -> dict[str, Benchmark]:
    """Return the installed benchmarks by name, sorted."""
    found = (entry.load() for entry in entry_points(group=GROUP))
    return {benchmark.name: benchmark for benchmark in sorted(found, key=lambda benchmark: benchmark.name)}


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name; raise InvalidOption where none is installed."""
    known = benchmarks()
    if name not in known:
        installed = ", ".join(known) or "none"
        raise InvalidOption(
            f"benchmark {name!r} is not installed; installed: {installed}{suggest(name, known)}"
        )
    return known[name]
