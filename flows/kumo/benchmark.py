"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from collections.abc import Mapping
from typing import Any, Literal

from schemas.benchmark import Benchmark, Origins, Preparation, Stage
from schemas.calls import Price, StageEstimate
from schemas.game import Playing
from schemas.kumo.tables import KUMO_TABLES
from schemas.measure import Measure
from schemas.plan import EditionPlan, EvaluationPlan


def _settings() -> Any:
    from schemas.kumo.settings import KumoSettings

    return KumoSettings


def _prepare(settings: Any, store: Any) -> Preparation:
    from flows.kumo.planning.prepare import prepare

    return prepare(settings, store)


def _estimate(store: Any, plan: EvaluationPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    from flows.kumo.planning.prepare import estimate_evaluation

    return estimate_evaluation(store, plan, prices)


def _inputs_of(store: Any, edition: str) -> Any:
    from flows.kumo.planning.prepare import inputs_of

    return inputs_of(store, edition)


def _unfit(own: Mapping[str, Any]) -> dict[str, str]:
    """Return why the reader cannot play: it knows the sentences of the template's books alone."""
    writer = own["authoring"]["writer"]
    why = f"reads the books of the template alone, and these are written by {writer!r}"
    return {"reader": why} if writer else {}


def _parameters() -> dict[str, tuple[Any, str]]:
    """Return a parameter for bundled domains: a setting may name files of the operator's."""
    from warehouse.kumo.bundled_domains import bundled_domains

    bundled: Any = Literal[*bundled_domains()]
    return {"domains": (list[bundled], "Bundled domains. Default: those of perennial.toml, or all bundled.")}


def _growing() -> tuple[Stage, ...]:
    from flows.kumo.stages import STAGES

    return STAGES


def _playing() -> Playing:
    from flows.kumo.seats import PLAYING

    return PLAYING


def _warm_up() -> str:
    from flows.kumo.kernels import prepare_kernels

    return prepare_kernels("sampling", "search")


def _analysis() -> Any:
    from flows.kumo.analysis import ANALYSIS

    return ANALYSIS


def _report() -> Any:
    from flows.kumo.report.own_sections import REPORT

    return REPORT


def _origins() -> Origins:
    from warehouse.kumo.origins import ORIGINS

    return ORIGINS


def _summary(catalog: Any, plan: EditionPlan) -> dict[str, str]:
    from flows.kumo.cli.summary import summary

    return summary(catalog, plan)


_ACTIONS = Measure(
    "relative_action_count",
    "perennial",
    "relative action count",
    "actions = tests + 1, failed = all actions + 1",
    "Relative action count is the mean of (count − optimum) / optimum, where a count is tests + 1 and a "
    "failed episode counts as all actions + 1: 0 is optimal, lower is better.",
)

BENCHMARK = Benchmark(
    "kumo",
    _settings,
    _prepare,
    _growing,
    _playing,
    _analysis,
    KUMO_TABLES,
    sql="warehouse.kumo",
    measures=(_ACTIONS,),
    report=_report,
    estimate=_estimate,
    inputs_of=_inputs_of,
    unfit=_unfit,
    parameters=_parameters,
    warm_up=_warm_up,
    origins=_origins,
    summary=_summary,
    commands={
        "domains": (
            "flows.kumo.cli.domains:domains",
            "Check seed configurations and list the bundled domains.",
        ),
        "sample": (
            "flows.kumo.cli.sample:sample",
            "Draw distinct task instances that no edition published in the data root holds.",
        ),
        "solve": (
            "flows.kumo.cli.solve:solve",
            "Print expected steps and golden trajectory of each instance (Algorithm 3 of the paper).",
        ),
    },
    importers={
        "kumo": (
            "flows.kumo.cli.import_release:kumo",
            "Import the KUMO authors' release as edition kumo-2025-release.",
        ),
    },
)
