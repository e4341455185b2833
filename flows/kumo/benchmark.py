"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import Any

from schemas.benchmark import Benchmark, Measure, Stage
from schemas.kumo.tables import KUMO_TABLES


def _growing() -> tuple[Stage, ...]:
    from flows.kumo.stages import STAGES

    return STAGES


def _analysis() -> Any:
    from flows.kumo.analysis import ANALYSIS

    return ANALYSIS


_ACTIONS = Measure(
    "relative_action_count",
    "perennial",
    "relative action count",
    "actions = tests + 1, failed = all actions + 1",
)

BENCHMARK = Benchmark("kumo", KUMO_TABLES, _growing, _analysis, "warehouse.kumo", (_ACTIONS,))
