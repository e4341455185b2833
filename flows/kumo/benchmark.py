"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from collections.abc import Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

from schemas.benchmark import Benchmark, later
from schemas.kumo.tables import KUMO_TABLES
from schemas.kumo.things import Setting
from schemas.measure import Measure
from tasks.kumo.optimum.limits import fits_tables


def _unfit(own: Mapping[str, Any]) -> dict[str, str]:
    """Return which programs cannot play: the reader knows the sentences of the template's books alone, and
    the optimum is known for one valid truth and sizes that fit its tables.
    """
    writer = own["authoring"]["writer"]
    why = f"reads the books of the template alone, and these are written by {writer!r}"
    unfit = {"reader": why} if writer else {}
    for name in own["settings"]:
        size = Setting.parse(name)
        if not fits_tables(size.n_truths, size.n_actions, size.n_valid):
            unfit["optimum"] = f"is not known for setting {name} (several valid truths, or too large)"
    return unfit


def _parameters() -> dict[str, tuple[Any, str] | None]:
    """Return a parameter for bundled domains: a setting may name files of the operator's; `release` does."""
    from pydantic import BeforeValidator

    from schemas.settings.form import split_names
    from warehouse.kumo.bundled_domains import bundled_domains

    bundled: Any = Literal[*bundled_domains()]
    several: Any = Annotated[
        list[bundled], BeforeValidator(split_names, json_schema_input_type=list[bundled] | str)
    ]
    return {
        "domains": (several, "Bundled domains. Default: those of perennial.toml, or all bundled."),
        "release": None,
    }


_ACTIONS = Measure(
    "relative_action_count",
    "perennial",
    "relative action count (perennial)",
    "actions = tests + 1, failed = all actions + 1, sum of counts / sum of optima - 1",
    "Relative action count (perennial) is the sum of counts / the sum of optima − 1, where a count is "
    "tests + 1 and a failed episode counts as all actions + 1. The optimum here is the play of Algorithm 3, "
    "which does not use the promise of one valid truth throughout: player optimum does, and can be below 0. "
    "Lower is better.",
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
    pages=partial(resolve_name, "flows.kumo.web.own_pages:PAGES"),
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
            "Print expected steps and golden play of each instance, by Algorithm 3 and by the true optimum.",
        ),
        "reproduce-paper": (
            "flows.kumo.cli.reproduce_paper:reproduce_paper",
            "Print each table and figure of both versions of the KUMO paper: theirs, ours, difference, "
            "or why not.",
        ),
    },
    importers={
        "kumo": (
            "flows.kumo.cli.import_release:kumo",
            "Import the KUMO authors' release as edition kumo-2025-release.",
        ),
    },
)
