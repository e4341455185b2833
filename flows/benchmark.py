"""The seam: what a benchmark does, so that shared code can grow, play and publish it without knowing it.

Order, batch keys, completeness, lineage jobs and progress all derive from a benchmark's list of stages. Types
are followed from a benchmark's settings over its plan and inputs to its games and rows; nothing of the rooms
below is imported here before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from perennial.schemas import benchmark as declared
from perennial.schemas.benchmark import Batch, Declaration
from perennial.schemas.errors import UnusableBenchmark
from perennial.schemas.game import Game, GameT, Program, Seat, Sheet
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from perennial.flows.stages.policies import Policies
    from perennial.flows.stages.workspace import Workspace
    from perennial.flows.web.page import OwnPages
    from perennial.schemas.model_calls import ModelChoice, Price, StageEstimate
    from perennial.schemas.plan import EditionPlan, EvaluationPlan
    from perennial.schemas.practice import PracticeQuestion
    from perennial.schemas.presentation import Presentation
    from perennial.schemas.rows import Rows
    from perennial.schemas.settings.refresh import RefreshSettings
    from perennial.tasks.papers import Comparison
    from perennial.tasks.play import SecondReader
    from perennial.tasks.report.content import Report
    from perennial.tasks.statistics.rate_figures import Analysis
    from perennial.warehouse.catalog.catalog import Catalog
    from perennial.warehouse.store.store import Store

# What one benchmark has of its own; shared code, which knows none, takes any.
SettingsT = TypeVar("SettingsT", bound="RefreshSettings", default=Any)
InputsT = TypeVar("InputsT", default=Any)
# A stage that needs none of the inputs serves a benchmark with any.
InputsT_contra = TypeVar("InputsT_contra", contravariant=True, default=Any)
SeatT = TypeVar("SeatT", bound=Seat, default=Any)
ParametersT = TypeVar("ParametersT", bound="BaseModel", default=Any)


def name_batch(_workspace: object, batch: Batch, _policies: object) -> str:
    """Return the batch's name for readers: its stage and its key."""
    return str(batch)


def never(_workspace: object, _batch: Batch) -> bool:
    """Return False for every batch."""
    return False


def always(_workspace: object, _batch: Batch) -> bool:
    """Return True for every batch."""
    return True


@dataclass(frozen=True, slots=True)
class Stage(Generic[InputsT_contra]):
    """One stage: its batches in order, and what produces the rows of a batch.

    `reads` and `writes` are tables of the edition (read: `external_scores` too, where the data root has any),
    `earlier` tables of earlier editions that it reads.
    `batches` lists what the plan asks for, as far as it is known from what is staged. `spreads` says whether
    a batch needs no model and may run in any process that sees the data root. Batches of one `chain` run one
    after the other, in order. A stage that `repeats` runs again in each refresh, staged or not. `label` names
    a batch for readers of Prefect's pages, which show the rows of the tables `shows`.
    """

    name: str
    doc: str
    batches: Callable[[Workspace], Sequence[Batch]]
    run: Callable[[Workspace, Batch, Policies[InputsT_contra]], Mapping[str, Rows]]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    spreads: Callable[[Workspace, Batch], bool] = never
    chain: Callable[[Batch], object] | None = None
    repeats: bool = False
    label: Callable[[Workspace, Batch, Policies[InputsT_contra]], str] = name_batch


@dataclass(frozen=True, slots=True)
class Preparation(Generic[InputsT]):
    """What a benchmark makes of the settings of a refresh, after every check that needs no work.

    - `own`, `found`: its part of the edition's plan (`perennial.schemas.plan.EditionPlan`).
    - `inputs`: what its stages are given beside the plan, in this process.
    - `warnings`: lines to print before the work.
    - `authors`: the models that its stages call.
    - `shown`: printed with the plan; `unused`: keys of `own` that mean nothing under the others, not printed.
    - `counts`: the rows that the edition will hold, `instances` among them.
    - `sizes`: the number of domains and of instances by setting, where domains are drawn.
    - `estimate`: returns the model calls of all stages, those of the evaluation among them.
    - `protocol`: the evaluation's (`perennial.schemas.plan.EvaluationPlan`).
    - `resume`: returns the preparation for an edition that was begun with this plan (and published or not);
      None where this one serves as well.
    """

    own: JsonObject
    found: tuple[str, ...] = ()
    inputs: InputsT | None = None
    warnings: tuple[str, ...] = ()
    authors: tuple[ModelChoice, ...] = ()
    shown: Mapping[str, object] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    estimate: Callable[[EvaluationPlan, Mapping[str, Price]], list[StageEstimate]] = field(kw_only=True)
    protocol: Mapping[str, object] = field(default_factory=dict)
    resume: Callable[[EditionPlan, bool], Preparation[InputsT]] | None = None


def _no_models(_protocol: Mapping[str, object]) -> Sequence[ModelChoice]:
    return ()


def _no_reader(_protocol: Mapping[str, object]) -> None:
    return None


def _no_stages() -> tuple[Stage, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Playing(Generic[SeatT, GameT]):
    """How a benchmark is played: its programs by name, the variants of asking a model, and its seats.

    `seats` gets a data root (`perennial.warehouse.store.store.Store`), a published edition, ids of its
    instances and the evaluation's `protocol`, and returns those that can be played; `reads` are the tables of
    questions that it reads; `aliases` are other names of programs.
    `versions` are other versions of its questions by name, such as another wording: each returns, as `seats`
    does, the seats of those instances for which it differs from the usual one. Only models that are asked in
    the usual way play them. `one_shot`: each game ends at the first reply. `refuse` returns why a model is
    not asked at a seat, "" where it is: such refusals are published in `rejections`.
    `sheet` returns what a person is shown of a game; None: people cannot play. `draw` returns the seat of a
    fresh instance, from a domain, a setting ("": the benchmark's choice) and a seed. `references` are the
    programs whose play is shown to a person afterwards, the first one that can play.
    `second_reader` returns, for a protocol, what is called with a way to ask, a game and its reply where that
    reply of a model ended it unparsed; own rows of the seat may then be of `rejections`. `analysing` returns
    the stages (`perennial.flows.benchmark.Stage`) of an evaluation after its episodes. `readers` returns, for
    a protocol, the models that these two ask.
    """

    programs: Mapping[str, Program[GameT]]
    variants: Sequence[str]
    seats: Callable[[Store, str, Sequence[str], Mapping[str, object]], Sequence[SeatT]]
    reads: tuple[str, ...] = ("instances",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, Callable[[Store, str, Sequence[str], Mapping[str, object]], Sequence[SeatT]]] = (
        field(default_factory=dict)
    )
    one_shot: bool = False
    refuse: Callable[[SeatT, str], str] | None = None
    sheet: Callable[[GameT], Sheet] | None = None
    draw: Callable[[str, str, int], SeatT] | None = None
    references: tuple[str, ...] = ()
    second_reader: Callable[[Mapping[str, object]], SecondReader[GameT] | None] = _no_reader
    analysing: Callable[[], tuple[Stage, ...]] = _no_stages
    readers: Callable[[Mapping[str, object]], Sequence[ModelChoice]] = _no_models


@dataclass(frozen=True, slots=True)
class Paper:
    """A benchmark's paper, to reproduce: `compare` sets what it prints beside what is computed.

    `compare` gets the data root, the command's PATH and a function that shows a step; it returns a comparison
    per printed number, those of one table or figure together. A figure agrees where at least the share
    `least_agreeing` of its numbers does.
    """

    compare: Callable[[Store, Path | None, Callable[[str], None]], list[Comparison]]
    least_agreeing: float = 1.0


@dataclass(frozen=True, slots=True)
class Draw(Generic[SeatT]):
    """One draw of a practice question: its seat, its domain, and a right answer as text.

    `game` is what `Practice.seat_of` makes the seat from again, beside the messages that open the game.
    `difficulty` is what was measured or drawn of it. `ids` are the ids under which an edition would hold it,
    or other forms of it, such as another language; (): the seat's alone.
    """

    seat: SeatT
    domain: str
    answer: str
    game: JsonObject
    difficulty: JsonObject = field(default_factory=dict)
    ids: tuple[str, ...] = ()


def _no_measures(_game: Game) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice(Generic[ParametersT, SeatT, GameT]):
    """How a benchmark draws practice questions without end, for training (`perennial sample`).

    - `parameters`: says how difficult they are: a pydantic model, each field with default and description.
    - `start`: gets such parameters and a seed and returns what draws: a function of an index and an attempt,
      the same whatever was drawn before. It returns None where this attempt gave nothing: then the next one
      of the same index is made, as it is where an edition holds the question or it was drawn before.
      Raises InvalidOption, at once, for parameters that give nothing.
    - `seat_of`: returns the seat of a question that was drawn; raises UnreadableInput where it is damaged.
    - `levels`: changes of parameters, the easiest first, for a curriculum.
    - `measures`: returns numbers of a game that ended, beside its score.
    """

    parameters: Callable[[], type[ParametersT]]
    start: Callable[[ParametersT, int], Callable[[int, int], Draw[SeatT] | None]]
    seat_of: Callable[[PracticeQuestion], SeatT]
    levels: tuple[Mapping[str, object], ...] = ()
    measures: Callable[[GameT], Mapping[str, float]] = _no_measures


def nothing(*_of: object) -> dict[str, str]:
    """Return an empty mapping, whatever it is of."""
    return {}


def no_inputs(_store: Store, _edition: str) -> None:
    """Return None: the stages get nothing beside the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark(Declaration, Generic[SettingsT, InputsT, SeatT, GameT]):
    """What a benchmark is. What is heavy to import comes from functions (`perennial.schemas.late_module`).

    - `settings`: returns its settings, which `prepare` and `protocol` get.
    - `prepare`: gets such settings and the data root.
    - `growing`: returns the stages by which an edition grows.
    - `playing`: returns its programs and games.
    - `analysis`: returns what it adds to the statistics.
    - `estimate`: returns the model calls of an evaluation of a published edition of a data root.
    - `protocol`: returns that of an evaluation, from settings, data root and the plan of a published edition.
    - `report`: returns its own sections of the report.
    - `inputs_of`: returns the inputs (`Preparation`) that a published edition of a data root was grown with.
    - `unfit`: returns, for a plan's own part, the programs that cannot play, and why.
    - `summary`: returns what is printed of a published edition, from its catalog and plan.
    - `warm_up`: makes compiled code ready and returns a clause that says so.
    - `pages`: returns its own pages of `perennial web`.
    - `presentation`: returns what its page of `perennial site` says of it.
    - `paper`: returns how `perennial reproduce-paper` compares the paper with what is computed.
    - `practice`: returns how it draws practice questions; None: it draws none.
    """

    settings: Callable[[], type[SettingsT]]
    prepare: Callable[[SettingsT, Store], Preparation[InputsT]]
    growing: Callable[[], tuple[Stage[InputsT], ...]]
    playing: Callable[[], Playing[SeatT, GameT]]
    analysis: Callable[[], Analysis]
    estimate: Callable[[Store, EvaluationPlan, Mapping[str, Price]], list[StageEstimate]]
    protocol: Callable[[SettingsT, Store, EditionPlan], Mapping[str, object]] = nothing
    report: Callable[[], Report] | None = None
    inputs_of: Callable[[Store, str], InputsT | None] = no_inputs
    unfit: Callable[[Mapping[str, object]], Mapping[str, str]] = nothing
    summary: Callable[[Catalog, EditionPlan], Mapping[str, str]] = nothing
    warm_up: Callable[[], str] | None = None
    pages: Callable[[], OwnPages] | None = None
    presentation: Callable[[], Presentation] | None = None
    paper: Callable[[], Paper] | None = None
    practice: Callable[[], Practice[Any, SeatT, GameT]] | None = None


def benchmarks() -> dict[str, Benchmark]:
    """Return the installed benchmarks by name, sorted; raise UnusableBenchmark where one cannot be loaded."""
    return {name: _require(one) for name, one in declared.benchmarks().items()}


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name; raise InvalidOption where none is installed."""
    return _require(declared.find_declaration(name))


def _require(declared: Declaration) -> Benchmark:
    if not isinstance(declared, Benchmark):
        raise UnusableBenchmark(
            f"benchmark {declared.name!r}: its entry point names no perennial.flows.benchmark.Benchmark"
        )
    return declared
