"""What KUMO adds to the statistics of an edition."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.statistics import (
    BOOK_STYLE,
    COUNTS,
    FLOORS,
    JOINS,
    MEANS,
    POOLED_V,
    TREND,
    domain_figures,
    style_figures,
    topology_figures,
    twin_figures,
)
from perennial.tasks.kumo.steps import step_figures
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import Analysis

if TYPE_CHECKING:
    import pyarrow


def _table_figures(tables: "Mapping[str, pyarrow.Table]", seed: int) -> Iterable[Statistic]:
    steps = tables["steps"]
    answers = step_figures({name: steps[name].to_numpy() for name in steps.column_names})
    return chain(domain_figures(_configs(tables), seed), answers)


def _configs(tables: "Mapping[str, pyarrow.Table]") -> dict[str, SeedConfig]:
    domains, configs = tables["kumo_domains"], tables["kumo_seed_configs"]
    names = dict(zip(*(domains[key].to_pylist() for key in ("domain_id", "domain")), strict=True))
    rows = zip(*(configs[key].to_pylist() for key in ("domain_id", "config")), strict=True)
    return {names[domain_id]: parse_config(text, names[domain_id]) for domain_id, text in sorted(rows)}


ANALYSIS = Analysis(
    joins=JOINS,
    counts=COUNTS,
    means=MEANS,
    cell_figures=lambda cells, seed: chain(
        topology_figures(cells, seed), style_figures(cells, seed), twin_figures(cells)
    ),
    queries={
        "kumo_seed_configs": "SELECT domain_id, config FROM kumo_seed_configs",
        "kumo_domains": "SELECT domain_id, domain FROM kumo_domains",
        "steps": (files("perennial.warehouse.kumo") / "steps.sql").read_text(encoding="utf-8"),
    },
    table_figures=_table_figures,
    floors=FLOORS,
    families=(TREND, POOLED_V, BOOK_STYLE),
)
