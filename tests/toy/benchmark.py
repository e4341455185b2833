"""Sums: a benchmark of one-shot questions, to show all that a benchmark must bring."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perennial.flows.benchmark import Benchmark, Draw, Practice, Preparation, Stage, always
from perennial.flows.practice.parameters import Parameters
from perennial.flows.stages.estimates import estimate_players
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.prompts.render import render
from perennial.schemas.benchmark import Batch, Declaration
from perennial.schemas.game import Episode, Move, Program
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import Rows
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import setting
from perennial.schemas.statistics import PublishedScore
from perennial.schemas.table_form import Column, Reference, Table
from perennial.tasks.play import InstanceSeat, OneShotGame
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.store.store import Store

TEMPLATE = "toy/sum.md.j2"
SIZES = {"small": 100, "large": 1_000_000}
SUMS = Table(
    "toy_sums",
    "a sum to compute",
    (
        Column("instance_id", "string", "the instance"),
        Column("a", "int64", "the first number"),
        Column("b", "int64", "the second number"),
    ),
    key=("instance_id",),
    extends="instances",
    references=(Reference("instance_id", "instances", "instance_id"),),
)


class ToySettings(RefreshSettings):
    """How many sums."""

    sums: int = setting(3, "Sums per size.", ge=1, le=1_000)


def draw(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the sums of one size, none of them issued before."""
    (size,), plan = batch.key, workspace.growth
    rng = derive_rng(workspace.seed, f"toy/{size}", 0)
    issued = issued_instances(workspace.staging.store, plan.known_editions)
    drawn: dict[str, tuple[int, int]] = {}
    while len(drawn) < plan.own["sums"]:
        sum_ = (rng.randrange(SIZES[size]), rng.randrange(SIZES[size]))
        content_hash = content_id("sum", size, *sum_).removeprefix("sum_")
        if content_hash not in issued:
            drawn[content_hash] = sum_
    tables: dict[str, Rows] = {"instances": [], "toy_sums": []}
    for index, (content_hash, (a, b)) in enumerate(drawn.items()):
        row = {"instance_id": f"toy_{content_hash}", "benchmark": "toy", "domain": "sums", "setting": size}
        shared = {"seed": plan.seed, "index": index, "content_hash": content_hash}
        tables["instances"].append(row | shared | dict.fromkeys(("cluster", "origin"), row["instance_id"]))
        tables["toy_sums"].append({"instance_id": row["instance_id"], "a": a, "b": b})
    return tables


@dataclass
class SumGame(OneShotGame):
    """One run on one sum (`perennial.schemas.game.Game`)."""

    a: int
    b: int
    template_hash = ""

    @property
    def template(self) -> str:
        return TEMPLATE

    @property
    def prompt(self) -> str:  # type: ignore[override]
        return render(TEMPLATE, a=self.a, b=self.b)

    def take(self, reply: str) -> None:
        numbers = re.findall(r"-?\d+", reply)
        right = bool(numbers) and int(numbers[-1]) == self.a + self.b
        self.end("solved" if right else "wrong" if numbers else "unparsed")


@dataclass(frozen=True)
class SumSeat(InstanceSeat):
    """A sum of a published edition (`perennial.schemas.game.Seat`)."""

    instance_id: str
    a: int
    b: int

    def start(self) -> SumGame:
        return SumGame(self.a, self.b)

    def own_rows(self, _episode_id: str, _episode: Episode) -> dict[str, Rows]:
        return {}


def add(game: SumGame, _rng: random.Random) -> Move:
    """Start the program that computes the sum."""
    return lambda: str(game.a + game.b)


class ToyParameters(Parameters):
    """How large the numbers are."""

    size: str = setting("small", "small or large.")


def make_practice_seat(game: Any) -> SumSeat:
    """Return the seat of a practice question from its game, with the id that an edition gives it."""
    a, b = game["a"], game["b"]
    return SumSeat(content_id("sum", game["size"], a, b).replace("sum_", "toy_"), a, b)


PROGRAMS = {"adder": Program("adder", False, "adds", add)}


class ToyPractice(Practice[ToyParameters, SumSeat, SumGame]):
    parameters = ToyParameters
    levels = ({"size": "small"}, {"size": "large"})

    def start(self, parameters: ToyParameters, seed: int) -> Any:
        def draw(index: int, attempt: int) -> Draw[SumSeat]:
            rng = derive_rng(seed, f"toy/{index}", attempt)
            a, b = (rng.randrange(SIZES[parameters.size]) for _ in range(2))
            game = {"size": parameters.size, "a": a, "b": b}
            return Draw(make_practice_seat(game), "sums", str(a + b), game, parameters.model_dump())

        return draw

    def open_seat(self, question: PracticeQuestion) -> SumSeat:
        return make_practice_seat(question.game)


class Toy(Benchmark[ToySettings, None, SumSeat, SumGame]):
    programs = PROGRAMS
    reads = ("instances", "toy_sums")
    one_shot = True

    def prepare(self, settings: ToySettings, store: Store) -> Preparation:
        return Preparation({"sums": settings.sums}, counts={"instances": settings.sums * len(SIZES)})

    def stages(self) -> tuple[Stage, ...]:
        return (
            Stage(
                "sums",
                "Draws sums that no earlier edition holds.",
                lambda _workspace: [Batch("sums", (size,)) for size in SIZES],
                draw,
                writes=("instances", "toy_sums"),
                earlier=("instances",),
                spreads=always,
            ),
        )

    def practice(self) -> Practice:
        return ToyPractice()

    def take_seats(self, store: Store, edition: str, ids: Sequence[str], protocol: Any) -> list[SumSeat]:
        return [SumSeat(**row) for row in rows_with(store, "toy_sums", edition, "instance_id", ids)]

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        counts = prepared.counts if prepared else read_counts(store, plan.edition)
        calls = counts["instances"] * plan.runs
        tokens = {"prompt_tokens": 20 * calls, "answer_tokens": 4 * calls, "longest_reply": 2_000}
        return estimate_players(plan, self.programs, prices, calls=calls, **tokens)


BENCHMARK = Declaration(
    "toy",
    settings=lambda: ToySettings,
    implementation=lambda: Toy,
    tables=(SUMS,),
    published=lambda: (PublishedScore("paper", "table 1", "Model 1", "accuracy", 71.5, "percent"),),
)
