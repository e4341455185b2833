"""`evaluate --instances N`: a subset that is spread evenly, and extended by the rest alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_unit
from tests.flows.one_shot import query_rows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `one`: two domains of four instances, which `random` meets in parts."""
    root = tmp_path_factory.mktemp("subsets")
    domains = ["chemical_analysis", "mineral_identification"]
    make_edition(root, "one", players=["algorithm-3"], domains=domains, instances=4)
    return root


def _evaluate(root: Path, instances: int, **changed: Any) -> str:
    settings = load_settings(
        {"edition": "one", "root": str(root), "runs": 2, "players": ["random"], **changed}
    )
    plan = prepare_evaluation(settings, Store(str(root)), "", instances)
    make_unit(settings, plan)
    return plan.unit


def _played(root: Path) -> list[tuple[Any, ...]]:
    return query_rows(
        root,
        "SELECT evaluation, domain, count(DISTINCT instance_id), count(*) FROM episodes "
        "JOIN instances USING (edition, instance_id) WHERE player = 'random' GROUP BY ALL ORDER BY ALL",
    )


def test_a_subset_is_spread_over_domains_and_extended_by_the_rest(root: Path) -> None:
    names = [domain for (domain,) in query_rows(root, "SELECT DISTINCT domain FROM instances ORDER BY 1")]
    one, two = names
    first = _evaluate(root, 4).partition("@")[2]
    assert _played(root) == [(first, one, 2, 4), (first, two, 2, 4)]
    second = _evaluate(root, 6).partition("@")[2]
    assert _played(root)[2:] == [(second, one, 1, 2), (second, two, 1, 2)]
    third = _evaluate(root, 0).partition("@")[2]
    assert _played(root)[4:] == [(third, one, 1, 2), (third, two, 1, 2)]
    runs = query_rows(root, "SELECT DISTINCT run FROM episodes WHERE player = 'random' ORDER BY 1")
    assert runs == [(0,), (1,)]


def test_other_runs_or_too_many_instances_are_refused(tmp_path: Path) -> None:
    make_edition(tmp_path, "one", players=["algorithm-3"])
    _evaluate(tmp_path, 2)
    with pytest.raises(InvalidOption, match="give --runs 2 to extend"):
        _evaluate(tmp_path, 3, runs=1)
    with pytest.raises(InvalidOption, match="--instances 9: edition 'one' has 3"):
        _evaluate(tmp_path, 9)


def test_a_dry_run_counts_the_subset_alone(run: Run) -> None:
    options = ("evaluate", "one", "--players", "a-model", "--runs", "3", "--instances", "4", "--dry-run")
    found = json.loads(run(*options, "--json").out)
    assert found["counts"]["episodes"] == 12
    assert found["precision"]["easy"]["instances_per_domain"] == 2
    whole = json.loads(run(*options[:6], "--dry-run", "--json").out)
    (part,), (estimate,) = found["estimates"], whole["estimates"]
    assert part["calls_low"] * 2 == estimate["calls_low"]
