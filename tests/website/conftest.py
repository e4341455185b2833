"""A data root with private instances and secret seeds, of each benchmark, played by models and programs."""

from pathlib import Path
from typing import Any

import pytest

from perennial.flows.website.build import build_site
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.profiles.grown_root import serve_models
from tests.profiles.scripted_models import MODELS
from tests.website.folders import private_texts, say_all

SHARE = 0.4
EDITIONS: dict[str, dict[str, Any]] = {
    "k": {
        "benchmark": "kumo",
        "domains": ["chemical_analysis", "mineral_identification"],
        "settings": ["4x4"],
        "instances": 3,
        "counterfactual": True,
        "books": ["final", "among-2"],
        "players": ["algorithm-3"],
    },
    "b": {
        "benchmark": "beyondbench",
        "tasks": ["addition", "sorting", "tower_of_hanoi/disks_3", "graph_coloring", "modular_systems/basic"],
        "instances": 4,
        "players": ["exact"],
    },
    "l": {"benchmark": "knowlogic", "questions": 5, "players": ["exact"]},
    "a": {"benchmark": "a2rbench", "seeds": 2, "variations": 2, "players": ["search", "identity"]},
}
# Each wins and loses at some benchmark.
_PLAYING = MODELS[1:3]


@pytest.fixture(scope="package")
def private_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root; its seeds are not revealed, its editions not retired."""
    folder = tmp_path_factory.mktemp("private")
    with serve_models(folder, "") as url:
        for edition, flags in EDITIONS.items():
            given = {**flags, "edition": edition, "players": [*flags["players"], *_PLAYING]}
            make_edition(folder / "data", **given, base_url=url, runs=1, seed=None, private_share=SHARE)
    return folder / "data"


@pytest.fixture(scope="package")
def private_site(private_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website of the root."""
    site = tmp_path_factory.mktemp("built") / "site"
    build_site(Store(str(private_root)), site)
    return site


@pytest.fixture(scope="package")
def said_on_site(private_site: Path) -> str:
    """All that the website says."""
    return say_all(private_site)


@pytest.fixture(scope="package")
def secret_texts(private_root: Path) -> set[str]:
    """What rows of private instances say, and no row of a public one does."""
    return private_texts(open_catalog(Store(str(private_root))))
