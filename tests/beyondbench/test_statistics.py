"""The chain cell, task, suite, overall: by hand, against a plain second implementation, and at random."""

import random
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.statistics import THESE_DOMAINS
from perennial.tasks.beyondbench.statistics import (
    BY_SIZE,
    COLUMNS,
    PlayedCell,
    bound_mean,
    cell_figures,
    estimate_cell,
)
from perennial.tasks.statistics.clusters import bound_share, student_quantile


def cell(suite, task, variation, solved, player="p", **columns):
    """Return what a player did in a cell: `solved` of `runs` (1) on each instance."""
    n = len(solved)
    filled = {name: np.zeros(n, np.int64) for name in COLUMNS}
    filled |= {"runs": np.ones(n, np.int64), "solved": np.array(solved), "size": np.full(n, 8)}
    return PlayedCell(
        player, suite, task, variation, filled | {name: np.array(values) for name, values in columns.items()}
    )


def figures_of(cells):
    """Return the figures by statistic, setting, domain, player and other."""
    return {(f.statistic, f.setting, f.domain, f.player, f.other): f for f in cell_figures(cells)}


HAND = [
    cell("easy", "addition", "standard", [1, 1, 1, 0]),  # 3/4
    cell("easy", "range", "standard", [1, 0]),  # 1/2
    cell("medium", "prime_sequence", "gaps", [1, 0, 0, 0]),  # 1/4
    cell("medium", "prime_sequence", "twin", [0, 0]),  # 0
    cell("medium", "prime_sequence", "primes", [1]),  # 1
    cell("hard", "sudoku", "s4", [3, 0], runs=[4, 2]),  # (3/4 + 0) / 2 = 3/8
    cell("hard", "sudoku", "s9", [0, 0, 0]),  # 0
    cell("hard", "n_queens", "q4", [1, 1, 1, 1]),  # 1
]


def test_the_chain_by_hand():
    found = figures_of(HAND)

    def value(*key):
        return found["accuracy", *key].value

    assert value("hard", "sudoku", "p", "s4") == 3 / 8
    assert value("easy", "all", "p", "") == (3 / 4 + 1 / 2) / 2
    assert value("medium", "prime_sequence", "p", "") == value("medium", "all", "p", "")
    assert value("medium", "all", "p", "") == pytest.approx((1 / 4 + 0 + 1) / 3)
    # Tasks weigh the same in a suite, cells in a task, whatever their number of instances or cells.
    assert value("hard", "sudoku", "p", "") == 3 / 16
    assert value("hard", "all", "p", "") == (3 / 16 + 1) / 2
    overall = (5 / 8 + 5 / 12 + 19 / 32) / 3
    assert value("all", "all", "p", "") == pytest.approx(overall)
    assert [found["accuracy", *key].n for key in (("easy", "all", "p", ""), ("all", "all", "p", ""))] == [
        6,
        22,
    ]


def test_the_deviation_is_the_populations_across_cells_and_undefined_of_one():
    found = figures_of(HAND)
    hard = found["accuracy_deviation", "hard", "all", "p", ""]
    mean = (3 / 8 + 0 + 1) / 3
    assert hard.value == pytest.approx(sqrt(((3 / 8 - mean) ** 2 + mean**2 + (1 - mean) ** 2) / 3))
    assert hard.n == 3
    overall = found["accuracy_deviation", "all", "all", "p", ""]
    assert overall.n == 8
    assert overall.value == pytest.approx(float(np.std([3 / 4, 1 / 2, 1 / 4, 0, 1, 3 / 8, 0, 1])))
    single = found["accuracy_deviation", "easy", "range", "p", ""]
    assert (single.n, single.value) == (1, None)
    assert ("accuracy_deviation", "easy", "range", "p", "standard") not in found


def test_all_quantities_of_a_cell_by_hand():
    """Three instances: 2 runs (one right, in the required form; one not read), 1 (wrong), 1 (no tokens)."""
    played = cell(
        "easy",
        "addition",
        "standard",
        [1, 0, 1],
        runs=[2, 1, 1],
        best=[1, 0, 0],
        common_runs=[0, 1, 1],
        common_solved=[0, 0, 1],
        followed=[1, 1, 0],
        followed_any=[2, 1, 0],
        invalid=[1, 0, 0],
        tokens=[300, 90, 0],
        runs_with_tokens=[2, 1, 0],
        valid=[1, 1, 0],
        overflow=[1, 0, 0],
        runs_with_status=[2, 1, 0],
    )
    found = figures_of([played])
    values = {key[0]: f.value for key, f in found.items() if key[-1] == "standard"}
    assert values == pytest.approx(
        {
            "accuracy": 1.5 / 3,
            "best_accuracy": 0.5 / 3,
            "common_accuracy": 1 / 2,
            "instruction_following": 1.5 / 3,
            "instruction_following_any": 2 / 3,
            "invalid_share": 0.5 / 3,
            "response_tokens": (150 + 90) / 2,
            "tokens_valid": 0.75,
            "tokens_warning": 0.0,
            "tokens_overflow": 0.25,
        }
    )
    assert found["response_tokens", "easy", "all", "p", ""].n == 2


def test_programs_have_no_figures_of_tokens():
    assert {f.statistic for f in cell_figures(HAND) if "token" in f.statistic} == set()


def test_overall_is_there_only_with_all_three_suites():
    part = [played for played in HAND if played.suite != "hard"]
    found = figures_of([*HAND, *(played._replace(player="q") for played in part)])
    assert ("accuracy", "all", "all", "p", "") in found
    assert ("accuracy", "medium", "all", "q", "") in found
    assert {key for key in found if key[1] == "all" and key[3] == "q"} == set()
    assert {key for key in found if key[1] == "hard" and key[3] == "q"} == set()


def test_accuracy_by_size_weighs_the_variations_that_have_the_size():
    cells = [
        cell("hard", "sudoku", "a", [1, 1, 0, 0], size=[4, 4, 9, 9]),
        cell("hard", "sudoku", "b", [1, 0, 0], size=[4, 4, 4]),
    ]
    found = {key[-1]: f for key, f in figures_of(cells).items() if key[0] == BY_SIZE}
    assert found["4"].value == pytest.approx((1 + 1 / 3) / 2)
    assert (found["4"].n, found["9"].n, found["9"].value) == (5, 2, 0)
    assert found.keys() == {"4", "9"}


def interval(cells, suite="easy"):
    accuracy = figures_of(cells)["accuracy", suite, "all", "p", ""]
    return accuracy.low, accuracy.high


def test_the_interval_of_equal_cells_is_the_shared_one_of_these_domains():
    """Tasks of one cell each are domains with the instances as clusters: as on the shared leaderboard."""
    rng = random.Random(3)
    solved = [[int(rng.random() < p) for _ in range(6)] for p in (0.1, 0.5, 0.8, 0.9)]
    cells = [cell("hard", task, "a", of) for task, of in zip(("a", "b", "c", "d"), solved, strict=True)]
    domain = np.repeat(np.arange(4), 6)
    shared = bound_share(np.concatenate(solved).astype(float), 24, np.arange(24), domain, THESE_DOMAINS)
    assert interval(cells, "hard") == pytest.approx((shared.low, shared.high), abs=1e-12)


def test_cells_of_one_instance_count_as_one_cell_of_their_task_and_then_of_their_suite():
    tasks = {"a": [1, 0, 1, 1, 0, 1], "b": [1, 1, 0, 1, 0, 0]}
    single = [cell("easy", task, str(n), [x]) for task, of in tasks.items() for n, x in enumerate(of)]
    whole = [cell("easy", task, "0", of) for task, of in tasks.items()]
    assert interval(single) == pytest.approx(interval(whole), abs=1e-12)
    # One instance in each task: all are one cell.
    alone = [cell("easy", str(n), "0", [x]) for n, x in enumerate([1, 0, 1, 1, 0, 1, 1, 0])]
    assert interval(alone) == pytest.approx(interval([cell("easy", "0", "0", [1, 0, 1, 1, 0, 1, 1, 0])]))
    # A cell that is left alone joins another one, and is no point.
    low, high = interval([*whole, cell("easy", "c", "0", [1])])
    assert 0 < low < high < 1


def test_a_player_that_solves_all_may_fail_yet():
    low, high = interval([cell("easy", "addition", "standard", [1] * 100)])
    assert (low, high) == (pytest.approx(1 / (1 + 1.984217**2 / 100)), 1)
    # Two cells that weigh the same, of 10 and 90: as much is left to chance as in one of 36.
    uneven = interval([cell("easy", "range", "a", [1] * 10), cell("easy", "range", "b", [1] * 90)])
    assert uneven == (pytest.approx(1 / (1 + student_quantile(90 / 2.72) ** 2 / 36), abs=0.01), 1)


played_cells = st.lists(
    st.tuples(
        st.sampled_from(
            [("easy", "range"), ("medium", "prime_sequence"), ("hard", "sudoku"), ("hard", "n_queens")]
        ),
        st.sampled_from("abc"),
        st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda made: (made[0], made[1]),
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(played_cells, st.randoms(use_true_random=False))
def test_neither_order_nor_other_players_nor_repeated_runs_change_a_figure(made, rng):
    cells = [cell(*where, name, solved, runs=[2] * len(solved)) for where, name, solved in made]
    alone = figures_of(cells)
    others = [
        played._replace(
            player=f"o{place}", columns={**played.columns, "solved": played.columns["solved"] * 0}
        )
        for played in cells
        for place in range(9)
    ]
    mixed = [*cells, *others]
    rng.shuffle(mixed)
    together = {key: figure for key, figure in figures_of(mixed).items() if key[3] == "p"}
    assert together == alone
    twice = [
        played._replace(
            columns={name: of * (1 if name == "size" else 2) for name, of in played.columns.items()}
        )
        for played in cells
    ]
    assert {key: f.value for key, f in figures_of(twice).items()} == {
        key: f.value for key, f in alone.items()
    }
    for figure in alone.values():
        if figure.low is not None:
            assert 0 <= figure.low <= figure.value <= figure.high <= 1


@settings(max_examples=15, deadline=None)
@given(played_cells)
def test_suites_are_means_of_tasks_and_these_of_cells(made):
    cells = [cell(*where, name, solved, runs=[2] * len(solved)) for where, name, solved in made]
    found = {key[1:3] + key[-1:]: f.value for key, f in figures_of(cells).items() if key[0] == "accuracy"}
    for suite in {played.suite for played in cells}:
        tasks = sorted({played.task for played in cells if played.suite == suite})
        means = []
        for task in tasks:
            rates = [np.mean(p.columns["solved"]) / 2 for p in cells if p.task == task]
            means.append(sum(rates) / len(rates))
            assert found[suite, task, ""] == pytest.approx(means[-1])
        assert found[suite, "all", ""] == pytest.approx(sum(means) / len(means))


def test_tokens_are_not_below_0():
    bounds = bound_mean(estimate_cell(np.array([5_000] * 6 + [10]), np.ones(7, int)), is_share=False)
    assert (bounds.low, bounds.high > 5_000) == (0, True)
