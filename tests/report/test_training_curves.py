"""Success against training steps: rates of outcomes, and a panel per test set."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.kumo.report_figures import compute_curves, training_curves
from perennial.tasks.kumo.statistics import rate_of_outcomes
from tests.report.sample_report import report_data, table


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_a_rate_is_the_mean_over_instances_of_the_mean_over_runs(drawn: list[tuple[int, int]]) -> None:
    runs = [played for played, _ in drawn]
    solved = [min(played, won) for played, won in drawn]
    rate, (low, high) = rate_of_outcomes(runs, solved)
    shares = [won / played for played, won in zip(runs, solved, strict=True)]
    assert rate == pytest.approx(sum(shares) / len(shares))
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    if sum(shares) in (0, len(shares)):
        assert high - low > 0.05, "no run of a few instances is certain"


def test_equal_runs_on_an_instance_narrow_nothing() -> None:
    outcomes = [1] * 30 + [0] * 20
    once = rate_of_outcomes([1] * 50, outcomes)
    assert rate_of_outcomes([5] * 50, [5 * won for won in outcomes]) == once
    assert once[1][1] - once[1][0] > 0.2


def curves(rates: list[tuple[object, ...]], outcomes: list[tuple[object, ...]]) -> list[dict[str, object]]:
    columns = "domain setting player instances success_rate success_rate_low success_rate_high"
    queried = {
        "checkpoint_rates": table("checkpoint_rates", columns, rates),
        "outcome_runs": table("outcome_runs", "domain setting player runs solved", outcomes),
    }
    return compute_curves(queried, 0).records()


def test_checkpoints_that_played_and_imported_ones_are_rows_alike() -> None:
    rows = curves(
        [
            ("World IND", "easy", "symbolic:sft/tiny-0", 20, 0.25, 0.1, 0.5),
            ("World IND", "easy", "symbolic:sft/tiny-40", 20, 0.75, 0.5, 0.9),
            ("World IND", "easy", "xsft/tiny-40", 20, 0.75, 0.5, 0.9),
        ],
        [("MedicalINDEnv", "hard", "sft/qwen-hard-500", [5, 5], [5, 0]), ("E", "hard", "oracle", [1], [1])],
    )
    assert [(row["domain"], row["training"], row["step"], row["success_rate"]) for row in rows] == [
        ("World IND", "tiny", 0, 0.25),
        ("World IND", "tiny", 40, 0.75),
        ("MedicalINDEnv", "qwen-hard", 500, 0.5),
    ]
    assert rows[-1]["instances"] == 2


def test_each_test_set_is_a_panel_with_a_point_a_checkpoint() -> None:
    data = report_data(("a", "b"))
    section = training_curves(data)
    domains = list(dict.fromkeys(row["domain"] for row in data.tables["training_curves"].records()))
    assert [drawing.heading.split(", n =")[0] for drawing in section.drawings] == [
        f"{domain}, {setting}" for domain, setting in product(sorted(domains), data.settings)
    ]
    for drawing in section.drawings:
        points = {(row["series"], row["step"]) for row in drawing.rows}
        assert points == set(product(("a", "b"), (0, 500, 4_000)))
        assert {(row["low"], row["rate"], row["high"]) for row in drawing.rows} == {(0.25, 0.5, 0.75)}
