"""The seam: what a benchmark does, so that shared code can grow, play and publish it without knowing it.

Each benchmark subclasses `Benchmark`. Its methods stand in four parts: grow, play, count, show. Order, batch
keys, completeness, lineage jobs and progress derive from its stages. Types are followed from its settings
over plan and inputs to its games and rows. A method imports what is heavy where it needs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from perennial.schemas.benchmark import Batch, Declaration, benchmarks, find_declaration
from perennial.schemas.errors import UnusableBenchmark, in_one_line, suggest
from perennial.schemas.game import TOOLS, GameT, Program, Seat, Sheet
from perennial.schemas.rows import JsonObject, ReadJson, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from perennial.flows.stages.workspace import Policies, Workspace
    from perennial.flows.web.page import Opened, Page
    from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
    from perennial.schemas.plan import EditionPlan, EvaluationPlan
    from perennial.schemas.practice import PracticeQuestion
    from perennial.schemas.presentation import Presentation
    from perennial.schemas.settings.refresh import RefreshSettings
    from perennial.tasks.papers import Comparison
    from perennial.tasks.play import SecondReader
    from perennial.tasks.report.content import Report
    from perennial.tasks.statistics.rate_figures import Analysis
    from perennial.warehouse.catalog.catalog import Catalog
    from perennial.warehouse.store.store import Store

# The types of one benchmark; shared code, which knows none, takes any.
SettingsT = TypeVar("SettingsT", bound="RefreshSettings", default=Any)
InputsT = TypeVar("InputsT", default=Any)
# A stage that needs none of the inputs serves a benchmark with any.
InputsT_contra = TypeVar("InputsT_contra", contravariant=True, default=Any)
SeatT = TypeVar("SeatT", bound=Seat, default=Any)
ParametersT = TypeVar("ParametersT", bound="BaseModel", default=Any)


def name_batch(_workspace: object, batch: Batch, _policies: object) -> str:
    """The batch's name for readers: stage and key."""
    return str(batch)


def never(_workspace: object, _batch: Batch) -> bool:
    """False for every batch: the default of conditions of a `Stage`."""
    return False


def always(_workspace: object, _batch: Batch) -> bool:
    """True for every batch: a condition of a `Stage` that always holds."""
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
    protocol: Mapping[str, object] = field(default_factory=dict)
    resume: Callable[[EditionPlan, bool], Preparation[InputsT]] | None = None


@dataclass(frozen=True, slots=True)
class Draw(Generic[SeatT]):
    """One draw of a practice question: its seat, its domain, and a right answer as text.

    `game` is what `Practice.open_seat` makes the seat from again, beside the messages that open the game.
    `difficulty` is what was measured or drawn of it. `ids` are the ids under which an edition would hold it,
    or other forms of it, such as another language; (): the seat's alone. `reply` is a right reply, as the
    question asks for it; a game of several turns has none.
    """

    seat: SeatT
    domain: str
    answer: str
    game: JsonObject
    difficulty: JsonObject = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    reply: str = ""


class Practice(ABC, Generic[ParametersT, SeatT, GameT]):
    """How a benchmark draws practice questions without end, for training (`perennial sample`).

    - `parameters`: say how difficult they are: a pydantic model, each field with default and description.
    - `levels`: changes of parameters, the easiest first, for a curriculum.
    """

    parameters: type[ParametersT]
    levels: Sequence[Mapping[str, object]] = ()

    @abstractmethod
    def start(self, parameters: ParametersT, seed: int) -> Callable[[int, int], Draw[SeatT] | None]:
        """Make the function that draws, by index and attempt: the same whatever was drawn before.

        It returns None where this attempt gave nothing: then the next one of the same index is made, as it is
        where an edition holds the question or it was drawn before. Raises InvalidOption, at once, for
        parameters that give nothing.
        """

    @abstractmethod
    def open_seat(self, question: PracticeQuestion) -> SeatT:
        """Make the seat of a question that was drawn; raise UnreadableInput where it is damaged."""

    def measure(self, game: GameT) -> Mapping[str, float]:
        """Numbers of a game that ended, beside its score."""
        return {}


class Benchmark(ABC, Generic[SettingsT, InputsT, SeatT, GameT]):
    """What a benchmark does. Abstract methods must be written; `offers` says which of the others are."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.name = declaration.name
        if self.one_shot:
            self.variants = (*self.variants, TOOLS)

    def __init_subclass__(cls) -> None:
        """Refuse public names that nothing calls: a method that is misspelt would be ignored."""
        for name in vars(cls):
            if (
                not name.startswith("_")
                and not hasattr(Benchmark, name)
                and name not in Benchmark.__annotations__
            ):
                meant = suggest(name, [*vars(Benchmark), *Benchmark.__annotations__])
                raise TypeError(
                    f"{cls.__name__}.{name} is no method of perennial.flows.benchmark.Benchmark"
                    + (meant or ": begin the name with _")
                )

    def offers(self, method: Callable[..., object]) -> bool:
        """Whether it has a method of its own, such as `Benchmark.draw_sheet`."""
        return getattr(type(self), method.__name__) is not method

    # Grow: an edition, and questions to practise on.

    @abstractmethod
    def prepare(self, settings: SettingsT, store: Store) -> Preparation[InputsT]:
        """Plan an edition for a data root, after every check that needs no work."""

    @abstractmethod
    def stages(self) -> tuple[Stage[InputsT], ...]:
        """The stages by which an edition grows, in order."""

    def read_inputs(self, store: Store, edition: str) -> InputsT | None:
        """Read the inputs (`Preparation`) that a published edition was grown with."""
        return None

    def flow_parameters(self) -> Mapping[str, tuple[object, str] | None]:
        """Type and help of flow parameters that may hold less than their setting; None: it is none."""
        return {}

    def warm_up(self) -> str:
        """Make compiled code ready, and say so in a clause."""
        return ""

    def practice(self) -> Practice[Any, SeatT, GameT]:
        """How it draws practice questions."""
        raise NotImplementedError

    # Play: programs by name, the variants of asking a model (games of one reply have `tools` too, which they
    # open in the usual way), other names of programs; the tables of
    # questions that seats are taken from; the programs whose play is shown to a person afterwards, the first
    # one that can play; whether each game ends at the first reply; whether imported editions, which passed
    # no gate here, may be evaluated.
    programs: Mapping[str, Program[GameT]]
    variants: Sequence[str] = ()
    aliases: Mapping[str, str] = {}
    reads: Sequence[str] = ("instances",)
    references: Sequence[str] = ()
    one_shot: bool = False
    plays_imports: bool = False

    @abstractmethod
    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> Sequence[SeatT]:
        """Take the seats of those instances of a published edition that can be played."""

    def take_version(
        self, version: str, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> Sequence[SeatT]:
        """Take the seats of those instances for which another version, such as another wording, differs.

        Only models that are asked in the usual way play them, and programs that name the version.
        """
        raise NotImplementedError

    @abstractmethod
    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        """Estimate the model calls of an evaluation; with `prepared`, of its refresh, all stages together."""

    def protocol(self, settings: SettingsT, store: Store, growth: EditionPlan) -> JsonObject:
        """The protocol of an evaluation (`perennial.schemas.plan.EvaluationPlan`) of a published edition."""
        return {}

    def unfit(self, part: ReadJson) -> Mapping[str, str]:
        """The programs that cannot play what this part of a plan grows, and why."""
        return {}

    def refuse(self, seat: SeatT, player: str) -> str:
        """Why a model is not asked at a seat, "" where it is: refusals are published in `rejections`."""
        return ""

    def draw_seat(self, domain: str, setting: str, seed: int) -> SeatT:
        """Draw a fresh instance for a person, of a domain and a setting ("": the benchmark's choice)."""
        raise NotImplementedError

    def draw_sheet(self, game: GameT) -> Sheet:
        """What a person is shown of a game."""
        raise NotImplementedError

    def second_reader(self, protocol: ReadJson) -> SecondReader[GameT] | None:
        """What is called with a way to ask, a game and the reply of a model that ended it unparsed.

        Rows that the seat writes may then be of `rejections`.
        """
        return None

    def reading_stages(self) -> tuple[Stage, ...]:
        """The stages of an evaluation after its episodes."""
        return ()

    def readers(self, protocol: ReadJson) -> Sequence[ModelChoice]:
        """The models that the second reader and the reading stages ask."""
        return ()

    # Count: statistics, and the paper's numbers.

    def analysis(self) -> Analysis:
        """What it adds to the statistics."""
        from perennial.tasks.statistics.rate_figures import Analysis

        return Analysis()

    # The share of a figure's numbers that must agree for the figure to agree.
    least_agreeing: float = 1.0

    def compare_paper(self, store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
        """Set what its paper prints beside what is computed, the numbers of one table or figure together.

        `path` is the command's PATH, and `step` shows a step.
        """
        raise NotImplementedError

    # Show: on the screen, in the report, in `perennial web`, and on the website.

    def summary(self, catalog: Catalog, plan: EditionPlan) -> Mapping[str, str]:
        """What is printed of a published edition."""
        return {}

    def report(self) -> Report:
        """Its own sections of the report."""
        from perennial.tasks.report.content import Report

        return Report()

    def pages(self) -> tuple[Page, ...]:
        """Its own pages of `perennial web`; their names begin with the benchmark's."""
        return ()

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        """Show an instance, under what is known of any."""

    def show_reference(self, edition: Opened, instance_id: str) -> None:
        """Show, beside an episode of an instance, how it is solved."""

    def presentation(self) -> Presentation:
        """What its page of `perennial site` says of it."""
        raise NotImplementedError


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises InvalidOption where none is installed, UnusableBenchmark where its class cannot be used.
    """
    declaration = find_declaration(name)
    try:
        benchmark = declaration.implementation()(declaration)
        if not isinstance(benchmark, Benchmark):
            raise TypeError("its implementation is no perennial.flows.benchmark.Benchmark")
    except Exception as error:
        raise UnusableBenchmark(
            f"benchmark {name!r} cannot be used: {type(error).__name__}: {in_one_line(error)}: correct its "
            "package, or uninstall it"
        ) from error
    return benchmark


def find_installed(name: str) -> Benchmark | None:
    """The benchmark of that name, None where it is not installed here."""
    return find_benchmark(name) if name in benchmarks() else None
