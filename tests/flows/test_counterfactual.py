"""Counterfactual domains in an edition: drawn with its seed beside the true one; and the gap between both."""

import json
from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.tasks.kumo.report_books import control_gaps
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import SETTINGS, make_edition
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

TRUE, MADE = "Chemical Analysis", "Chemical Analysis (counterfactual)"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e`, which a program played, and a model that goes by the true facts and never by its book."""
    root = tmp_path_factory.mktemp("exchanged")
    options = ServerOptions(roles="tests.kumo.knowing_player", models=("chemist",))
    with running_server(options) as server:
        players = ["algorithm-3", "chemist", "closed:chemist"]
        make_edition(root, "e", instances=8, counterfactual=True, players=players, base_url=server.url)
    return root


def test_each_given_domain_has_its_counterfactual_as_a_domain_of_its_own(root: Path) -> None:
    assert query_rows(root, "SELECT domain, source FROM kumo_domains ORDER BY 1") == [
        (TRUE, "catalog"),
        (MADE, "counterfactual"),
    ]
    # Both were drawn together: a figure of new domains counts them as one.
    assert query_rows(root, "SELECT domain, cluster, count(*) FROM instances GROUP BY ALL ORDER BY 1") == [
        (TRUE, TRUE, 8),
        (MADE, TRUE, 8),
    ]
    told = query_rows(
        root,
        "SELECT domain, bool_and(contains(text, 'were exchanged among')) FROM kumo_books JOIN instances "
        "USING (instance_id) GROUP BY 1 ORDER BY 1",
    )
    assert told == [(TRUE, False), (MADE, True)]


def test_the_gap_is_what_knowledge_is_worth_and_none_for_who_reads(root: Path) -> None:
    rates = {
        (player, domain): rate
        for player, domain, rate in query_rows(root, "SELECT player, domain, success_rate FROM domain_scores")
    }
    assert rates["chemist", TRUE] == rates["algorithm-3", MADE] == 1
    assert rates["chemist", MADE] < 0.8
    gaps = {
        (domain, player): rest
        for domain, player, *rest in query_rows(
            root,
            "SELECT domain, player, instances, gap, gap_low, gap_high, population FROM counterfactual_gaps",
        )
    }
    assert set(gaps) == {(d, p) for d in ("all", TRUE) for p in ("algorithm-3", "chemist", "closed:chemist")}
    n, gap, low, high, population = gaps["all", "chemist"]
    assert (n, gap, population) == (8, pytest.approx(1 - rates["chemist", MADE]), "these domains")
    assert 0 < low < gap <= high <= 1
    n, gap, low, high, _ = gaps["all", "algorithm-3"]
    assert (n, gap) == (8, 0)
    assert low < 0 < high


def test_the_report_shows_it_beside_the_controls(root: Path) -> None:
    section = control_gaps(report_data(Store(str(root))))
    assert section.grid is not None
    controls = {row[3] for row in section.grid.rows}
    assert controls == {"closed:chemist", "on exchanged facts"}
    assert "the names are the same and the facts are not" in section.caption


def test_the_seed_gives_the_same_facts_again(root: Path, tmp_path: Path) -> None:
    assert reproduce_unit(Store(str(root)), "e", tmp_path).same


def test_a_file_of_one_is_a_domain_and_has_no_counterfactual_of_its_own(tmp_path: Path, give: Run) -> None:
    file = tmp_path / "cf.json"
    command = ("domains", "counterfactual", "chemical_analysis", "--seed", "7", "--out", str(file), "--json")
    shown = json.loads(give(*command).out)
    assert (shown["domain"], round(shown["share_changed"], 2)) == (MADE, 0.65)
    given = {**SETTINGS, "domains": ["chemical_analysis", str(file)], "root": str(tmp_path)}
    prepared = prepare_refresh(load_settings(given), Store(str(tmp_path)))
    assert [domain.config.name for domain in prepared.part.inputs] == [TRUE, MADE]
    with pytest.raises(InvalidOption, match="is counterfactual already"):
        prepare_refresh(load_settings({**given, "counterfactual": True}), Store(str(tmp_path)))
