"""BeyondBench's views over an edition made by hand, and its rules of the audit, each of which can fail."""

from importlib.resources import files
from math import expm1, log1p, sqrt
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from tests.beyondbench import made_edition
from tests.warehouse.doctored_rows import Doctor, change, drop, find_offenders


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return open_catalog(made_edition.publish(tmp_path_factory.mktemp("made"), made_edition.rows()))


@pytest.mark.slow
def test_the_leaderboard_has_the_papers_columns(catalog: Catalog) -> None:
    board = {row["player"]: row for row in catalog.records("FROM beyondbench_leaderboard")}
    # `other` has no Medium task: it has no overall figure, and stands last.
    assert list(board) == ["exact", "m-large", "m-small", "random", "other"]
    large = board["m-large"]
    accuracies = [large[f"{suite}_accuracy"] for suite in ("easy", "medium", "hard", "overall")]
    assert accuracies == pytest.approx([1, 0.8, 0.6, 0.8])
    assert large["overall_accuracy_deviation"] == pytest.approx(
        sqrt((2 * 0.2**2 + 3 * 0 + 3 * 0.2**2) / 8 - (0.2 * 2 - 0.2 * 3) ** 2 / 64)
    )
    # Replies of 100 k + 10 number tokens, k by suite, number 0 to 9.
    tokens = [large[f"{suite}_response_tokens"] for suite in ("easy", "medium", "hard", "overall")]
    assert tokens == pytest.approx([145, 245, 345, 245])
    assert large["overall_response_tokens_low"] < 245 < large["overall_response_tokens_high"]
    assert large["easy_accuracy_low"] < 1 == large["easy_accuracy_high"]
    exact = board["exact"]
    assert (exact["overall_accuracy"], exact["overall_response_tokens"]) == (1, None)
    assert board["other"]["overall_accuracy"] is None
    assert (board["other"]["hard_cells"], board["other"]["medium_accuracy"]) == (3, None)
    small = board["m-small"]
    assert [small[f"{suite}_not_asked"] for suite in ("easy", "medium", "hard", "overall")] == [0, 0, 2, 2]
    # Sudoku over 8 of 10 problems: 0 and 5 of 0 to 7 are right.
    assert small["hard_accuracy"] == pytest.approx((0.2 + 2 / 8) / 2)
    # Over the eight problems that all have, m-large is right about 0, 1, 2, 5, 6 and 7.
    assert small["hard_common_accuracy"] == small["hard_accuracy"]
    assert large["hard_common_accuracy"] == pytest.approx((0.6 + 6 / 8) / 2)
    assert (large["hard_common_instances"], large["easy_common_instances"]) == (28, 20)
    assert board["other"]["easy_common_accuracy"] == pytest.approx(0.6)
    assert [large[f"{suite}_best_accuracy"] for suite in ("easy", "hard")] == pytest.approx([1, 0.6])
    unasked = catalog.records("FROM beyondbench_unasked")
    assert [(row["player"], row["size"], row["problems"], row["unasked"]) for row in unasked] == [
        ("m-small", 4, 5, 1),
        ("m-small", 9, 5, 1),
    ]
    shared = catalog.records("FROM leaderboard WHERE not_asked > 0")
    assert [(row["player"], row["setting"], row["not_asked"]) for row in shared] == [("m-small", "hard", 2)]


def guess(made: dict[str, list[dict[str, Any]]], player: str) -> None:
    """Make the episodes of a player those of the guesser."""
    for row in made["episodes"]:
        row["player"] = "guesser" if row["player"] == player else row["player"]


def test_scores_have_tasks_parse_failures_statuses_and_the_sites_efficiency(catalog: Catalog) -> None:
    sql = "FROM beyondbench_scores WHERE player = 'm-small' AND domain IN ('all', 'tower_of_hanoi')"
    row_of = {(row["suite"], row["domain"]): row for row in catalog.records(sql)}
    hanoi = row_of["hard", "tower_of_hanoi"]
    assert (hanoi["cells"], hanoi["cells_of_edition"], hanoi["instances"], hanoi["not_asked"]) == (
        2,
        2,
        20,
        0,
    )
    assert (hanoi["accuracy"], hanoi["accuracy_deviation"]) == pytest.approx((0.2, 0))
    # Number 4 and 9 are unread, of the others the odd ones follow the instruction.
    assert (hanoi["invalid_share"], hanoi["instruction_following"]) == pytest.approx((0.2, 0.4))
    assert hanoi["instruction_following_any"] == pytest.approx(0.8)
    assert hanoi["accuracy_per_1000_tokens"] == pytest.approx(0.2 / 0.345)
    assert (hanoi["tokens_valid"], hanoi["tokens_overflow"]) == (1, 0)
    assert row_of["overall", "all"]["cells_of_edition"] == row_of["overall", "all"]["cells"] == 8


def test_cells_and_sizes(catalog: Catalog) -> None:
    (cell,) = catalog.records("FROM beyondbench_cells WHERE domain = 'sudoku' AND player = 'm-small'")
    assert (cell["variation"], cell["problems"], cell["instances"]) == ("standard", 10, 8)
    assert (cell["least_size"], cell["largest_size"]) == (4, 9)
    sizes = catalog.records("FROM beyondbench_sizes WHERE suite = 'hard' AND player = 'm-large'")
    assert [(row["domain"], row["size"], row["instances"]) for row in sizes] == [
        ("sudoku", 4, 5),
        ("sudoku", 9, 5),
        ("tower_of_hanoi", 3, 10),
        ("tower_of_hanoi", 6, 10),
    ]
    assert all(row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"] for row in sizes)


def test_the_chance_that_a_problem_was_seen_follows_from_its_space(catalog: Catalog) -> None:
    found = catalog.records("SELECT DISTINCT space_log10, chance_seen FROM beyondbench_spaces")
    assert found
    for row in found:
        # Exact: of 10^12 draws none is the problem.
        expected = -expm1(1e12 * log1p(-(10 ** -row["space_log10"])))
        assert row["chance_seen"] == pytest.approx(expected)
    named = "SELECT DISTINCT domain, unlike_paper FROM beyondbench_spaces WHERE unlike_paper IS NOT NULL"
    assert catalog.records(named) == [{"domain": "sudoku", "unlike_paper": "asks more"}]


def test_replies_are_held_to_the_ratio_of_right_ones(catalog: Catalog) -> None:
    of_size = "WHERE domain = 'addition' AND size = 16 ORDER BY player"
    # Three models have the numbers 1, 5 and 9: 110, 150 and 190 tokens where a solution has 20; 7 are right.
    (row,) = {
        (row["median_ratio"], row["right_replies"], row["bound"])
        for row in catalog.records(f"FROM beyondbench_overthinking {of_size}")
    }
    assert row == (7.5, 7, None)
    # The same where seven right replies are enough for a bound.
    view = files("perennial.warehouse.beyondbench.views") / "beyondbench_overthinking.sql"
    sql = view.read_text("utf-8").replace("right_replies < 20", "right_replies < 7")
    rows = catalog.records(f"FROM ({sql}) {of_size}")
    right = catalog.records(
        "SELECT e.tokens FROM episodes AS e JOIN beyondbench_instances AS b USING (instance_id) "
        "JOIN instances USING (instance_id) WHERE domain = 'addition' AND size = 16 AND success "
        "AND tokens IS NOT NULL",
    )
    assert len(rows) == 3
    for row in rows:
        assert 5.5 < row["bound"] <= 9.5
        assert row["share_above"] == pytest.approx(1 / 3 if row["bound"] < 9.5 else 0)
    assert len(right) == 7


@pytest.mark.slow
def test_an_edition_of_some_suites_has_no_overall_figure(tmp_path: Path) -> None:
    made = made_edition.rows(suites=("easy", "hard"))
    catalog = open_catalog(made_edition.publish(tmp_path, made))
    found = catalog.records("FROM beyondbench_leaderboard WHERE player = 'exact'")
    assert [(row["hard_accuracy"], row["medium_accuracy"], row["overall_accuracy"]) for row in found] == [
        (1, None, None)
    ]


BREAKS = [
    ("every row of instances has its row", drop("beyondbench_instances")),
    ("the gate tested every problem", change("instances", "domain", "range")),
    ("its suite as setting", change("instances", "setting", "hard")),
    ("every row of episodes has its row", drop("beyondbench_answers")),
    ("no two problems", change("beyondbench_instances", "prompt", "addition, standard, number 1")),
    ("the gate tested every problem", drop("beyondbench_gate")),
    ("the gate tested every problem", change("beyondbench_gate", "problems", 9)),
    ("the gate tested every problem", change("beyondbench_gate", "refused", 248)),
    ("the gate tested every problem", change("beyondbench_gate", "mutations", 199)),
    ("a success exactly when one was read", change("beyondbench_answers", "detail", "value")),
    ("a success exactly when one was read", change("beyondbench_answers", "answer", None)),
    ("a success exactly when one was read", change("episodes", "success", False)),
    (
        "follows the instruction exactly at level 1",
        change("beyondbench_answers", "instruction_followed", True),
    ),
    ("follows the instruction exactly at level 1", change("beyondbench_answers", "parse_level", 0)),
    ("a token status is that of", change("beyondbench_answers", "token_status", "VALID")),
    ("a token status is that of", change("episodes", "tokens", 851, row=2)),
    ("a token status is that of", change("episodes", "tokens", None, row=2)),
    ("a token status is that of", change("episodes", "status", "truncated", row=2)),
    ("guesser is right no more often", lambda made: guess(made, "exact")),
    ("take at most 85% of its budget", change("beyondbench_instances", "prompt_tokens", 831)),
]


@pytest.mark.parametrize(("sentence", "doctor"), BREAKS)
def test_each_rule_fails_on_a_doctored_row_and_only_then(sentence: str, doctor: Doctor) -> None:
    made = made_edition.rows(suites=("easy",))
    assert find_offenders(sentence, made) == []
    doctor(made)
    assert find_offenders(sentence, made) != []
