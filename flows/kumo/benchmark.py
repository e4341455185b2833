"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from collections.abc import Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any, Literal

from schemas.benchmark import Benchmark, later
from schemas.kumo.tables import KUMO_TABLES
from schemas.measure import Measure


def _unfit(own: Mapping[str, Any]) -> dict[str, str]:
    """Return why the reader cannot play: it knows the sentences of the template's books alone."""
    writer = own["authoring"]["writer"]
    why = f"reads the books of the template alone, and these are written by {writer!r}"
    return {"reader": why} if writer else {}


def _parameters() -> dict[str, tuple[Any, str] | None]:
    """Return a parameter for bundled domains: a setting may name files of the operator's; `release` does."""
    from warehouse.kumo.bundled_domains import bundled_domains

    bundled: Any = Literal[*bundled_domains()]
    return {
        "domains": (list[bundled], "Bundled domains. Default: those of perennial.toml, or all bundled."),
        "release": None,
    }


_ACTIONS = Measure(
    "relative_action_count",
    "perennial",
    "relative action count (perennial)",
    "actions = tests + 1, failed = all actions + 1, sum of counts / sum of optima - 1",
    "Relative action count (perennial) is the sum of counts / the sum of optima − 1, where a count is tests + 1 "
    "and a failed episode counts as all actions + 1: 0 is the reference's, lower is better.",
)
_EXCESS = Measure(
    "excess_tests",
    "perennial",
    "excess tests when solved",
    "excess tests = tests - optimum of solved episodes",
    "Excess tests when solved is the mean of tests − optimum over the instances that the player solved.",
)

BENCHMARK = Benchmark(
    "kumo",
    settings=partial(resolve_name, "schemas.kumo.settings:KumoSettings"),
    prepare=later("flows.kumo.planning.prepare:prepare"),
    growing=partial(resolve_name, "flows.kumo.stages:STAGES"),
    playing=partial(resolve_name, "flows.kumo.seats:PLAYING"),
    analysis=partial(resolve_name, "flows.kumo.analysis:ANALYSIS"),
    tables=KUMO_TABLES,
    sql="warehouse.kumo",
    measures=(_ACTIONS, _EXCESS),
    report=partial(resolve_name, "flows.kumo.report.own_sections:REPORT"),
    protocol=later("flows.kumo.planning.protocol:protocol_of"),
    estimate=later("flows.kumo.planning.prepare:estimate_evaluation"),
    inputs_of=later("flows.kumo.planning.prepare:inputs_of"),
    unfit=_unfit,
    parameters=_parameters,
    warm_up=later("flows.kumo.kernels:prepare_kernels"),
    origins=partial(resolve_name, "warehouse.kumo.origins:ORIGINS"),
    summary=later("flows.kumo.cli.summary:summary"),
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
