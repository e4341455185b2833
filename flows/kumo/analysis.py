"""What KUMO adds to the statistics of an edition."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from schemas.kumo.things import SeedConfig
from tasks.kumo.configuration import parse_config
from tasks.kumo.statistics.cells import MEANS, KumoCell
from tasks.kumo.statistics.figures import domain_figures, topology_figures
from tasks.statistics.analysis import Analysis
from tasks.statistics.figure import Figure

if TYPE_CHECKING:
    import pyarrow


def _figures(cells: Sequence[KumoCell], tables: "Mapping[str, pyarrow.Table]", seed: int) -> Iterable[Figure]:
    settings = sorted({cell.setting for cell in cells})
    return [*topology_figures(cells, settings, seed), *domain_figures(_configs(tables), seed)]


def _configs(tables: "Mapping[str, pyarrow.Table]") -> dict[str, SeedConfig]:
    """Return the configurations by domain name."""
    domains, configs = tables["kumo_domains"], tables["kumo_seed_configs"]
    names = dict(zip(*(domains[key].to_pylist() for key in ("domain_id", "name")), strict=True))
    rows = zip(*(configs[key].to_pylist() for key in ("domain_id", "config")), strict=True)
    return {names[domain_id]: parse_config(text, names[domain_id]) for domain_id, text in sorted(rows)}


ANALYSIS = Analysis(
    KumoCell,
    {
        "kumo_episodes": ("episode_id", "tests"),
        "kumo_instances": ("instance_id", "n_actions", "optimal_tests", "signature"),
        "kumo_seed_configs": ("config_id", "domain_id", "config"),
        "kumo_domains": ("domain_id", "name"),
    },
    (files("warehouse.kumo") / "cells.sql").read_text(encoding="utf-8"),
    MEANS,
    _figures,
)
