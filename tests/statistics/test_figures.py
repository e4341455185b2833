"""The rows of `statistics` by hand: two players on two instances, counted under both conventions."""

import random
from dataclasses import replace

import pytest
from scipy.stats import pearsonr

from perennial.schemas.statistics import Measure
from perennial.tasks.kumo.statistics import MEANS, style_figures, topology_figures
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.clusters import wilson_interval
from perennial.tasks.statistics.multiplicity import Statistic, kind_by_name
from perennial.tasks.statistics.rank_figures import compare_pairs, pair_figures
from perennial.tasks.statistics.rate_figures import rate_figures
from perennial.tasks.statistics.study_figures import correlation_figures
from tests.statistics.made_cells import Cell, columns_of, grid

# Five runs: three solved with 2, 2 and 4 tests, one wrong, one unparsed; and one more that failed at the API.
CELL = Cell(
    domain="D",
    setting="easy",
    player="p",
    instance_id="i1",
    signature="1,2|3",
    n_actions=6,
    optimal_tests=2,
    statuses={"solved": 3, "wrong": 1, "unparsed": 1, "api_error": 1},
    runs=5,
    solved=3,
    score=3.0,
    tests=11,
    solved_tests=8,
    # Three answers were decided, after 2, 2 and 4 tests; two episodes ended before, one of them with a truth.
    judged=5,
    deciding_tests=8 + 2 * 6,
    guesses=1,
    tokens=700,
    runs_with_tokens=4,
    cost_usd=0.0,
    runs_with_cost=0,
)
ALL_WRONG = replace(
    CELL,
    instance_id="i2",
    statuses={"wrong": 5},
    solved=0,
    score=0.0,
    solved_tests=0,
    tests=5,
    deciding_tests=5 * 6,
    guesses=5,
    promise_tests=1,
    runs_with_optimum=5,
    signature="2|2",
)
RIVAL = replace(
    ALL_WRONG,
    player="q",
    statuses={"solved": 5},
    solved=5,
    score=5.0,
    solved_tests=10,
    tests=10,
    deciding_tests=10,
    guesses=0,
    tokens=0,
    runs_with_tokens=0,
)
CELLS = [CELL, ALL_WRONG, replace(RIVAL, instance_id="i1"), RIVAL]


def _figures(**wanted: str) -> list[Statistic]:
    made = [
        *rate_figures(columns_of(CELLS, "easy"), MEANS),
        *pair_figures("easy", compare_pairs(grid(CELLS), kind_by_name((), ""))),
        *topology_figures(columns_of(CELLS, "easy"), seed=0),
    ]
    return [figure for figure in made if all(getattr(figure, key) == value for key, value in wanted.items())]


def _figure(**wanted: str) -> Statistic:
    (figure,) = _figures(**{"domain": ALL, **wanted})
    return figure


def test_means_over_instances() -> None:
    rate = _figure(statistic="success_rate", player="p")
    assert (rate.n, rate.value, rate.convention) == (10, 0.3, "any")
    assert rate.low is not None
    assert rate.high is not None
    # Clopper and Pearson's: two instances are few.
    assert 0 < rate.low <= 0.3 <= rate.high < 1
    assert _figure(statistic="mean_tests", player="p").value == 1.6
    tokens = _figure(statistic="mean_tokens", player="p")
    assert (tokens.n, tokens.value) == (8, 175)
    # One run on one instance and nine on another weigh alike: 1 and 0, not 1 of 10.
    once = replace(CELL, runs=1, solved=1, instance_id="i1")
    often = replace(CELL, runs=9, solved=0, instance_id="i2")
    rates = rate_figures(columns_of([once, often], "easy"))
    assert next(f.value for f in rates if f.statistic == "success_rate" and f.domain == ALL) == 0.5


def test_actions_under_both_conventions() -> None:
    # algorithm-3: counts of 3, 3, 5, 7, 7 on the first and five times 7 on the second; the optima are 3.
    ours = _figure(statistic="relative_action_count", convention="algorithm-3", player="p")
    assert ours.value == pytest.approx((25 / 5 + 7) / (3 + 3) - 1)
    # The optimum of the second instance, where it is known alone, takes one test.
    best = _figure(statistic="relative_action_count", convention="optimum", player="p")
    assert (best.n, best.value) == (5, pytest.approx(7 / (1 + 1) - 1))
    # 2, 2, 4, 6 and 6 tests where 2 are the optimum; the second instance was guessed in all five runs.
    excess = _figure(statistic="excess_tests", convention="algorithm-3", player="p")
    assert (excess.n, excess.value) == (10, pytest.approx((2 + (6 - 2)) / 2))
    assert _figure(statistic="guess_share", player="p").value == pytest.approx((0.2 + 1) / 2)
    assert _figure(statistic="excess_tests", convention="kumo-2025", player="q").value == 0
    # kumo-2025, the mean of ratios: (4 + 4 + 6 + 7 + 7 - 5 * 4) / 4 and five times (7 - 4) / 4.
    theirs = _figure(statistic="relative_action_count", convention="kumo-2025", player="p")
    assert theirs.value == pytest.approx((8 / 4 + 15 / 4) / 10)


def test_no_interval_leaves_what_its_figure_can_be() -> None:
    # Six instances took all that there was and one nearly nothing: so skewed that the interval would go on.
    lost = {"runs": 5, "solved": 0, "n_actions": 16, "promise_tests": 2, "runs_with_optimum": 5}
    much = {"tests": 80, "tokens": 5_000, "runs_with_tokens": 5, "cost_usd": 5.0, "runs_with_cost": 5}
    cells = [replace(CELL, **lost, **{**much, "instance_id": f"i{n}"}) for n in range(6)]
    little = {"tests": 5, "solved_tests": 5, "tokens": 50, "cost_usd": 0.05}
    cells.append(replace(cells[0], solved=5, **little, instance_id="i6"))
    made = [
        f for f in rate_figures(columns_of(cells, "easy"), MEANS) if f.domain == ALL and f.low is not None
    ]
    least = {"relative_action_count": -1, "excess_tests": float("-inf")}
    assert all(least.get(f.statistic, 0) <= f.low <= f.value <= f.high for f in made)
    unbounded = {"relative_action_count", "mean_tests", "mean_tokens", "mean_cost_usd"}
    assert {f.low - least.get(f.statistic, 0) for f in made if f.statistic in unbounded} == {0}
    assert len([f for f in made if f.statistic in unbounded]) == 6


def test_a_reference_is_0_by_definition_and_another_that_equals_it_is_not() -> None:
    equal = [
        replace(RIVAL, player=player, instance_id=f"i{n}")
        for player in ("algorithm-3", "q")
        for n in range(9)
    ]
    made = rate_figures(columns_of(equal, "easy"), MEANS)
    reasons = {f.player: f.no_interval for f in made if f.statistic == "excess_tests" and f.domain == ALL}
    assert reasons == {
        "algorithm-3": "algorithm-3 is 0 by definition, as the figure is measured from it",
        "q": "all clusters are alike: their variance is unknown",
    }


def test_what_is_unknown_has_no_figure() -> None:
    assert _figures(statistic="mean_cost_usd") == []
    assert _figures(statistic="mean_tokens", player="q") == []


def test_attempts_and_statuses() -> None:
    assert _figure(statistic="majority_success", player="p").value == 0.5
    # pass@2 of 3 in 5: 1 - C(2,2) / C(5,2); pass^2: C(3,2) / C(5,2); nothing on the second instance.
    assert _figure(statistic="pass_at_2", player="p").value == pytest.approx((1 - 1 / 10) / 2)
    assert _figure(statistic="pass_hat_2", player="p").value == pytest.approx((3 / 10) / 2)
    errors = _figure(statistic="status_api_error", player="p")
    assert (errors.n, errors.value) == (11, pytest.approx((1 / 6 + 0) / 2))


def test_pairs_are_compared_on_shared_instances() -> None:
    difference = _figure(statistic="paired_difference")
    assert (difference.player, difference.other, difference.n) == ("p", "q", 2)
    assert difference.value == pytest.approx((-0.4 - 1.0) / 2)
    test = _figure(statistic="mcnemar")
    assert (test.n, test.value, test.p_value, test.p_adjusted) == (1, 0.0, 1.0, None)


def test_topology_of_one_category_or_label_is_undefined() -> None:
    assert _figure(statistic="cramers_v", player="q").value is None
    assert _figure(statistic="cramers_v", player="p").value == pytest.approx(1.0)
    for statistic in ("topology_trend", "cramers_v_pooled"):
        figure = _figure(statistic=statistic, player="p")
        assert (figure.value, figure.p_value) == (None, None)
        assert figure.no_interval


def _test_styles(rates: list[float], seed: int) -> tuple[float, bool]:
    """Return p of 30 instances of each style, and whether two of their intervals lie apart."""
    draw = random.Random(seed)
    solved = [int(draw.random() < rates[number % 8]) for number in range(240)]
    cells = [
        replace(CELL, instance_id=f"i{n:03}", runs=1, solved=right, style=n % 8 + 1)
        for n, right in enumerate(solved)
    ]
    (figure,) = style_figures(columns_of(cells, "easy"), seed=0)
    assert (figure.statistic, figure.player, figure.n) == ("book_style", "p", 240)
    assert figure.p_value is not None
    intervals = [wilson_interval(sum(solved[style::8]), 30) or (0, 1) for style in range(8)]
    return figure.p_value, max(low for low, _ in intervals) > min(high for _, high in intervals)


def test_one_test_of_all_styles_sees_an_effect() -> None:
    assert _test_styles([0.6] * 7 + [0.1], 1)[0] < 0.01
    assert list(style_figures(columns_of([replace(CELL, style=3), ALL_WRONG], "easy"), seed=0)) == []


@pytest.mark.slow
def test_one_test_of_all_styles_holds_its_level_where_single_intervals_do_not() -> None:
    drawn = [_test_styles([0.5] * 8, seed) for seed in range(200)]
    assert 6 <= sum(p_value <= 0.05 for p_value, _ in drawn) <= 15
    # What the report used to call a difference of reading.
    assert sum(apart for _, apart in drawn) > 15


def test_the_papers_v_takes_five_runs_of_each_instance() -> None:
    cells = columns_of([CELL, replace(ALL_WRONG, runs=4)], "easy")
    assert "cramers_v" not in {figure.statistic for figure in topology_figures(cells, seed=0)}


def test_scores_are_correlated_with_other_benchmarks_and_between_settings() -> None:
    cells = []
    for number in range(8):
        for setting, solved in (("easy", number), ("hard", number // 2)):
            statuses = {"solved": solved, "wrong": 8 - solved}
            counts = {"statuses": statuses, "runs": 8, "solved": solved}
            cells.append(replace(CELL, player=f"m{number}", setting=setting, **counts))
    external = {"B": {f"m{number}": 10.0 - number for number in range(7)}, "C": {"m1": 1.0}}
    rates = [figure for setting in ("easy", "hard") for figure in rate_figures(columns_of(cells, setting))]
    figures = list(correlation_figures(rates, external, kind_by_name(("m7",), "")))
    found = {
        (figure.statistic, figure.setting, figure.domain, figure.other): figure
        for figure in figures
        if figure.player == ALL
    }
    against = found["pearson", "easy", ALL, "benchmark B"]
    assert (against.n, against.value) == (7, pytest.approx(-1.0))
    between = found["spearman", "easy", ALL, "setting hard"]
    assert between.n == 8
    assert between.value is not None
    assert between.value > 0.9
    # Program m7 is none of the models.
    wanted = ("pearson", ALL, "setting hard", "models")
    (of_models,) = [f for f in figures if (f.statistic, f.domain, f.other, f.player) == wanted]
    assert of_models.n == 7
    # Each coefficient has an interval of its own kind, and says so.
    assert "Bonett and Wright" in between.method
    assert against.method.startswith("Pearson; 95% interval by Fisher z")
    assert not any(other == "benchmark C" for _, _, _, other in found)


def test_measures_are_correlated_with_other_benchmarks_apart_from_rates() -> None:
    counts = {f"m{n}": float((n - 3) ** 2) for n in range(8)}
    rows = [
        Statistic("actions", "easy", ALL, player, 1, value, "", "own") for player, value in counts.items()
    ]
    rows += [Statistic("actions", "easy", "one domain", "m1", 1, 9.0, "", "own")]
    rates = [Statistic("success_rate", "easy", ALL, player, 1, n / 8, "") for n, player in enumerate(counts)]
    scores = {player: float(n) for n, player in enumerate(counts)}
    measure = Measure("actions", "own", "", "", "")
    found = list(correlation_figures([*rows, *rates], {"B": scores}, lambda _player: "models", [measure]))
    by_measure = {(f.statistic, f.convention, f.player): f for f in found}
    of_counts = by_measure["pearson", "actions_own", "all"]
    assert of_counts.value == pytest.approx(pearsonr(list(scores.values()), list(counts.values())).statistic)
    assert by_measure["pearson", "any", "all"].value == pytest.approx(1)
    # One test in each family: a measure does not make the other's p-value larger.
    assert of_counts.p_adjusted == of_counts.p_value
    assert {f.convention for f in found if f.statistic == "pearson_disattenuated"} == {"any"}
