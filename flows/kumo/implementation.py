"""What KUMO does: it grows, plays, counts and shows games of tests that rule truths out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from perennial.flows.benchmark import Benchmark, Practice, Preparation, Stage
from perennial.flows.kumo.seats import KumoSeat, draw_seat, take_seats, take_seats_among, take_seats_reported
from perennial.schemas.game import Sheet
from perennial.schemas.kumo.plan import AMONG, RELIABILITIES, KumoPlan
from perennial.schemas.kumo.things import Setting
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject, ReadJson
from perennial.tasks.kumo.game import VARIANTS, KumoGame
from perennial.tasks.kumo.optimum import fits_tables
from perennial.tasks.kumo.players import ALIASES, PLAYERS, answer
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.kumo.planning.candidates import PlannedDomain
    from perennial.flows.web.page import Opened, Page
    from perennial.schemas.kumo.settings import KumoSettings
    from perennial.schemas.presentation import Presentation
    from perennial.tasks.papers import Comparison
    from perennial.tasks.report.content import Report
    from perennial.tasks.statistics.rate_figures import Analysis


class Kumo(Benchmark["KumoSettings", "tuple[PlannedDomain, ...]", KumoSeat, KumoGame]):
    """Which of the truths is valid? A book says what each outcome of a test rules out."""

    # Grow

    def prepare(self, settings: KumoSettings, store: Store) -> Preparation[tuple[PlannedDomain, ...]]:
        from perennial.flows.kumo.planning.prepare import prepare

        return prepare(settings, store)

    def stages(self) -> tuple[Stage[tuple[PlannedDomain, ...]], ...]:
        from perennial.flows.kumo.stages import STAGES

        return STAGES

    def read_inputs(self, store: Store, edition: str) -> tuple[PlannedDomain, ...]:
        from perennial.flows.kumo.planning.prepare import read_given_domains

        return read_given_domains(store, edition)

    def flow_parameters(self) -> dict[str, tuple[Any, str] | None]:
        """Bundled domains: `domains` may name files of the operator's, and the other two do."""
        from pydantic import BeforeValidator

        from perennial.schemas.settings.form import split_names
        from perennial.warehouse.kumo.bundled_domains import bundled_domains

        bundled: Any = Literal[*bundled_domains()]
        several: Any = Annotated[
            list[bundled], BeforeValidator(split_names, json_schema_input_type=list[bundled] | str)
        ]
        return {
            "domains": (several, "Bundled domains. Default: those of perennial.toml, or all in rotation."),
            "domains_from": None,
            "release": None,
        }

    def warm_up(self) -> str:
        from perennial.flows.kumo.kernels import prepare_kernels

        return prepare_kernels()

    def practice(self) -> Practice:
        from perennial.flows.kumo.practice import KumoPractice

        return KumoPractice()

    # Play

    programs = PLAYERS
    variants = VARIANTS
    aliases = ALIASES
    reads = ("kumo_seed_configs", "instances", "kumo_instances", "kumo_books")
    references = ("optimum", "algorithm-3")

    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[KumoSeat]:
        return take_seats(store, edition, ids, protocol)

    def take_version(
        self, version: str, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[KumoSeat]:
        """Another version of the book, the final one among others, or with reports that may be wrong."""
        if version in AMONG:
            return take_seats_among(store, edition, ids, protocol, AMONG[version])
        if version in RELIABILITIES:
            return take_seats_reported(store, edition, ids, protocol, RELIABILITIES[version])
        return take_seats(store, edition, ids, protocol, version)

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        from perennial.flows.kumo.planning.prepare import estimate_evaluation, estimate_refresh

        if prepared is None:
            return estimate_evaluation(store, self, plan, prices)
        return estimate_refresh(prepared, self, plan, prices)

    def protocol(self, settings: KumoSettings, store: Store, growth: EditionPlan) -> JsonObject:
        from perennial.flows.kumo.planning.prepare import protocol_of

        return protocol_of(settings, store, growth)

    def unfit(self, plan_part: ReadJson) -> dict[str, str]:
        """The reader knows the template's sentences; the optimum is known for sizes that fit its tables."""
        writer = plan_part["authoring"]["writer"]
        why = f"reads the books of the template alone, and these are written by {writer!r}"
        unfit = {"reader": why} if writer else {}
        for name in plan_part["settings"]:
            size = Setting.parse(name)
            if not fits_tables(size.n_truths, size.n_actions, size.n_valid):
                unfit["optimum"] = f"is not known for setting {name}: it is too large"
        return unfit

    def draw_seat(self, domain: str, setting: str, seed: int) -> KumoSeat:
        return draw_seat(domain, setting, seed)

    def draw_sheet(self, game: KumoGame) -> Sheet:
        """The book and the lists, as models see them."""
        board = game.board
        return Sheet(
            goal=board.config.goal.strip(),
            book=board.book.strip("\n"),
            truths=board.instance.truths,
            actions=board.instance.actions,
            truth_noun=board.config.truth_noun,
            action_noun=board.config.action_noun,
            reply=answer,
            n_valid=len(board.instance.valid_truths),
        )

    # Count

    least_agreeing = 0.95

    def analysis(self) -> Analysis:
        from perennial.flows.kumo.analysis import ANALYSIS

        return ANALYSIS

    def compare_paper(self, store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
        from perennial.flows.kumo.paper import compare_paper

        return compare_paper(store, path, step)

    # Show

    def summary(self, catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
        """How instances were drawn; and of models' books how many passed at once, were revised, or had to be
        replaced, and what players gained by the revision.
        """
        return _describe_draws(catalog, plan) | _describe_books(catalog, plan)

    def report(self) -> Report:
        from perennial.tasks.kumo.report import REPORT

        return REPORT

    def pages(self) -> tuple[Page, ...]:
        from perennial.flows.kumo.web import INSTANCES

        return (INSTANCES,)

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.kumo.web import show_instance

        show_instance(edition, instance_id)

    def show_reference(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.kumo.web import show_optimum

        show_optimum(edition, instance_id)

    def presentation(self) -> Presentation:
        from perennial.flows.kumo.presentation import PRESENTATION

        return PRESENTATION


def _describe_draws(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    _, rows = catalog.query(
        "SELECT solver, sum(instances)::BIGINT, sum(lists)::BIGINT, sum(refused)::BIGINT, "
        "sum(walked)::BIGINT, sum(solver_calls)::BIGINT, sum(disagreements)::BIGINT "
        f"FROM kumo_draws WHERE edition = '{plan.edition}' AND engine = 'python-sat' GROUP BY solver"
    )
    if not rows:
        return {}
    solver, instances, lists, refused, walked, calls, differ = rows[0]
    walks = f"; {walked:,} instances from walks" if walked else ""
    return {
        "drawn": f"{instances:,} instances by {solver}: {lists:,} lists judged, {refused:,} refused, in "
        f"{calls:,} calls{walks}; the compiled programme disagreed on {differ:,} (table kumo_draws)"
    }


def _describe_books(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    if not KumoPlan.from_json(plan.own).authoring.writer:
        return {}
    _, rows = catalog.query(
        "SELECT sum(unchanged)::BIGINT, sum(revised)::BIGINT, sum(replaced)::BIGINT "
        f"FROM revisions WHERE edition = '{plan.edition}'"
    )
    unchanged, revised, replaced = (count or 0 for count in rows[0])
    _, gains = catalog.query(
        "SELECT setting, player, instances, difference, difference_low, difference_high FROM "
        "version_comparisons "
        f"WHERE edition = '{plan.edition}' AND domain = 'all' AND version = 'first'"
    )
    listed = [
        f"{player} {gain:+.3f} [{low:+.3f}, {high:+.3f}] on {number:,} revised {setting}"
        for setting, player, number, gain, low, high in gains
    ]
    return ({"revision": "; ".join(listed)} if listed else {}) | {
        "books": f"{unchanged:,} passed as they were written, {revised:,} after revision, "
        f"{replaced:,} replaced by the template's (view revisions tells where)"
    }
