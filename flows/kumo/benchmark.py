"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import Any

from schemas.benchmark import Benchmark, Stage
from schemas.game import Playing
from schemas.kumo.tables import KUMO_TABLES
from schemas.measure import Measure


def _growing() -> tuple[Stage, ...]:
    from flows.kumo.stages import STAGES

    return STAGES


def _playing() -> Playing:
    from flows.kumo.seats import PLAYING

    return PLAYING


def _analysis() -> Any:
    from flows.kumo.analysis import ANALYSIS

    return ANALYSIS


def _report() -> Any:
    from flows.kumo.report.own_sections import REPORT

    return REPORT


_ACTIONS = Measure(
    "relative_action_count",
    "perennial",
    "relative action count",
    "actions = tests + 1, failed = all actions + 1",
    "Relative action count is the mean of (count − optimum) / optimum, where a count is tests + 1 and a "
    "failed episode counts as all actions + 1: 0 is optimal, lower is better.",
)

BENCHMARK = Benchmark(
    "kumo", KUMO_TABLES, _growing, _playing, _analysis, "warehouse.kumo", (_ACTIONS,), _report
)
