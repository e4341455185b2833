"""Outcomes that are reported: what players see, the exact reference beside their scores, and refusals."""

import json
from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.tasks.kumo.report_books import book_versions
from perennial.warehouse.audit.audit import cross_table_rules
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

GROWN = {
    "domains": ["chemical_analysis", "mammal_identification"],
    "settings": ["easy", "12x16"],
    "instances": 8,
    "runs": 1,
    "reliability": ["0.8", "1"],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e`, played with outcomes and with reports; the model takes reports for outcomes."""
    root = tmp_path_factory.mktemp("reported")
    with running_server(ServerOptions()) as server:
        players = ["optimum", "random", "guesser", "scripted"]
        make_edition(root, "e", base_url=server.url, players=players, **GROWN)
    return root


def test_small_instances_are_played_with_reports_by_who_can_weigh_or_read_them(root: Path) -> None:
    found = query_rows(
        root,
        "SELECT setting, player, version, count(*) FROM episodes JOIN instances USING (instance_id) "
        "WHERE version IS NOT NULL GROUP BY ALL",
    )
    assert set(found) == {
        ("easy", player, "reliability-80", 16) for player in ("optimum", "random", "scripted")
    }


def test_all_players_see_the_same_reports_and_some_are_wrong(root: Path) -> None:
    seen = query_rows(
        root,
        "SELECT count(DISTINCT t.feedback), "
        "any_value(t.feedback <> i.observations[list_position(i.actions, m.move)]) "
        "FROM episodes AS e JOIN turns AS t USING (episode_id) JOIN kumo_moves AS m USING (episode_id, turn) "
        "JOIN kumo_instances AS i USING (instance_id) "
        "WHERE e.version IS NOT NULL AND m.kind = 'action' GROUP BY instance_id, m.move",
    )
    assert {different for different, _ in seen} == {1}
    assert 0.05 < sum(wrong for _, wrong in seen) / len(seen) < 0.4


def test_the_optimum_states_the_exact_probability_of_the_likeliest_truth(root: Path) -> None:
    beliefs = query_rows(
        root,
        "SELECT player, b.probability, b.largest, b.stated, b.optimum_count FROM kumo_beliefs AS b "
        "JOIN episodes USING (episode_id)",
    )
    assert len(beliefs) == 48
    for player, probability, largest, stated, count in beliefs:
        assert probability <= largest <= 1 < count < 7
        if player == "optimum":
            assert probability == largest == pytest.approx(stated, abs=1e-6)
        else:
            assert stated is None
    ((decided,),) = query_rows(
        root, "SELECT count(decided) FROM kumo_episodes JOIN kumo_beliefs USING (episode_id)"
    )
    assert decided == 0


@pytest.mark.parametrize(
    ("change", "broken"), [("reliability", 0), ("0.7", 48), ("if(largest < 0.9, reliability, 0.7)", None)]
)
def test_a_belief_of_another_reliability_breaks_the_rule(root: Path, change: str, broken: int | None) -> None:
    rules = cross_table_rules({"episodes", "kumo_beliefs"})
    (sql,) = [rule for words, rule in rules.items() if "with reports" in words]
    beliefs = f"(SELECT * REPLACE ({change} AS reliability) FROM kumo_beliefs) AS b"
    found = len(query_rows(root, sql.replace("kumo_beliefs AS b", beliefs)))
    assert 0 < found < 48 if broken is None else found == broken


def test_scores_stand_beside_the_exact_reference(root: Path) -> None:
    sql = "FROM reliability_scores WHERE domain = 'all'"
    scores = {row["player"]: row for row in open_catalog(Store(str(root))).records(sql)}
    assert set(scores) == {"optimum", "random", "scripted"}
    best, model, random = scores["optimum"], scores["scripted"], scores["random"]
    for row in scores.values():
        assert row["instances"] == 16
        assert row["optimum_success"] == best["optimum_success"]
        assert row["expected_success"] <= row["attainable_success"] + 1e-12
        assert row["gap"] == pytest.approx(row["success_rate_alone"] - row["success_rate"])
        assert row["gap_low"] <= row["gap"] <= row["gap_high"]
    assert best["expected_success"] == pytest.approx(best["attainable_success"])
    assert random["expected_success"] < model["expected_success"] < best["expected_success"]
    assert best["success_rate_alone"] == model["success_rate_alone"] == 1
    assert best["count"] == pytest.approx(best["optimum_count"], abs=1)
    rows = query_rows(
        root,
        "SELECT stated, e.success, b.probability FROM kumo_beliefs AS b "
        "JOIN episodes AS e USING (episode_id) WHERE stated IS NOT NULL",
    )
    assert best["stated"] == len(rows) == 16
    assert best["brier_score"] == pytest.approx(sum((p - right) ** 2 for p, right, _ in rows) / 16)
    assert best["brier_score_exact"] == pytest.approx(sum(p * (1 - p) for *_, p in rows) / 16)
    assert (model["stated"], model["brier_score"]) == (0, None)


def test_the_report_lists_the_gap_and_the_same_answers_are_read_again(root: Path, tmp_path: Path) -> None:
    section = book_versions(report_data(Store(str(root))))
    assert section.grid is not None
    assert {row[2] for row in section.grid.rows} == {"reliability-80"}
    assert reproduce_unit(Store(str(root)), "e@1", tmp_path).same


def test_a_dry_run_counts_instances_of_settings_that_are_small_enough(run: Run) -> None:
    asked = ("evaluate", "e", "--players", "m", "--reliability", "0.9,1", "--dry-run", "--json")
    document = json.loads(run(*asked).out)
    assert document["plan"]["versions"] == ["usual", "reliability-90"]
    calls = {row["stage"]: row["calls_low"] for row in document["estimates"]}
    assert 0 < calls["episodes, reliability-90"] < calls["episodes"] / 2
