"""A whole edition by models: twenty proposed domains in eighteen categories, with faults of every author."""

import re
from pathlib import Path

import pytest

from perennial.schemas.kumo.things import CATEGORIES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

FAULTS = {
    "proposer.near_duplicate": 0.6,
    "proposer.other_category": 0.3,
    "proposer.fewer": 0.3,
    "configurer.overlapping_ranges": 0.3,
    "configurer.never_valid": 0.07,
    "writer.missing_rule": 0.2,
    "reviser.never_right": 0.3,
}
PRICE = "prompt_usd_per_million = 1.25\ncompletion_usd_per_million = 5\n"


def test_twenty_domains_in_eighteen_categories(keyed: Harness, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(f"[scripted]\n{PRICE}", encoding="utf-8")
    with running_server(ServerOptions(seed=7, keys=(KEY,), faults=FAULTS)) as server:
        done = keyed.perennial(
            *("refresh", "--author", "scripted", "--propose", "20", "--categories", "all"),
            *("--players", "optimum", "--settings", "easy", "--instances", "4", "--seed", "4"),
            *("--base-url", server.url, "--root", str(tmp_path), "--edition", "e"),
            *("--models-file", str(tmp_path / "models.toml")),
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    catalog = open_catalog(Store(str(tmp_path)))
    counts = dict(catalog.query("SELECT category, count(*) FROM kumo_domains GROUP BY 1")[1])
    assert set(counts) == set(CATEGORIES)
    assert sorted(counts.values()) == [1] * 16 + [2] * 2
    rules = {rule for (rule,) in catalog.query("SELECT DISTINCT rule FROM rejections")[1]}
    assert rules >= {"overlapping-ranges", "dropped", "book_rules_differ"}
    funnel = dict(catalog.query("SELECT step, number FROM authoring_funnel WHERE category = 'all'")[1])
    # Which replies are spoilt follows from the prompt, and so from the bundled domains that it names.
    refused = catalog.query("SELECT count(*) FROM rejections WHERE stage = 'proposal'")[1][0][0]
    assert funnel["proposed"] == 20 + refused
    assert funnel["new"] == 20 > funnel["configured"] == funnel["accepted"] > 10
    assert funnel["of these, repaired"] > 0
    assert funnel["asked for"] == 4 * funnel["accepted"]
    (costs,) = catalog.query("SELECT sum(calls), sum(cost_usd), count(DISTINCT domain) FROM authoring_costs")[
        1
    ]
    (calls,) = catalog.query("SELECT count(*), sum(cost_usd), 20 FROM calls")[1]
    assert costs == pytest.approx(calls)
    shown = re.search(r"calls, \$([\d.]+);", done.stdout)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(costs[1], abs=1e-4)
