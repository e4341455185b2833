"""KUMO's own sections of a report."""

from perennial.tasks.kumo import report_books, report_figures
from perennial.tasks.report.content import (
    UNANALYSED,
    Content,
    Query,
    Record,
    Report,
    ReportData,
    figure,
    grid_figure,
    table_figure,
)
from perennial.tasks.report.figures.interval_rows import (
    SCORED_EPISODES,
    Scale,
    read_estimate,
    rows_by_setting,
)
from perennial.tasks.report.wording import name_populations, p_text

# How instances were drawn: engine, solver, and what was judged, by domain and setting.


DRAWS = Query(
    "draws",
    """
-- How was each domain's instances drawn: what judged, and how many lists of truths and actions?
SELECT d.domain, k.setting, k.engine, k.solver, sum(k.instances) AS instances, sum(k.lists) AS lists,
       sum(k.refused) AS refused, sum(k.walked) AS walked, sum(k.solver_calls) AS solver_calls,
       sum(k.checked) AS checked, sum(k.disagreements) AS disagreements
FROM kumo_draws AS k
JOIN kumo_seed_configs AS c USING (edition, config_id)
JOIN kumo_domains AS d USING (edition, domain_id)
WHERE k.edition = $edition
GROUP BY d.domain, k.setting, k.engine, k.solver
ORDER BY d.domain, k.setting
""",
)


def _describe_draws(rows: list[Record]) -> str:
    solvers = " and ".join(sorted({f"{row['solver']} ({row['engine']})" for row in rows}))
    return (
        f"The n instances were drawn by {solvers}. A list of truths and actions is accepted if each listed "
        "truth could be the only survivor. The lists are random ones; where too few of these "
        "are accepted, the solver finds a first list, and a walk of symmetric steps leads from it to each "
        "instance. The other engine judges again the lists that are counted as judged by both. These are "
        "counts, with no interval."
    )


draw_table = grid_figure(
    "How instances were drawn",
    DRAWS,
    _describe_draws,
    {
        "domain": "domain",
        "setting": "setting",
        "n": "instances",
        "lists judged": "lists",
        "refused": "refused",
        "from walks": "walked",
        "solver calls": "solver_calls",
        "judged by both": "checked",
        "disagreements": "disagreements",
    },
    texts=2,
    missing="Nothing says how these instances were drawn.",
)


# KUMO's own rows of players: relative action counts (figure 4b), topology and success (figure 6e).


RELATIVE_ACTION_COUNTS = Query(
    "relative_action_counts",
    """
-- How many more actions than each reference does each player take?
SELECT convention, setting, player, episodes, relative_action_count, relative_action_count_low,
       relative_action_count_high,
       population, no_interval
FROM relative_action_count
WHERE edition = $edition AND domain = 'all'
ORDER BY convention, setting, relative_action_count NULLS LAST, player
""",
)

TOPOLOGY = Query(
    "topology",
    """
-- Does the shape of an instance's truth-action graph go with solving it?
SELECT setting, player, instances, topology_trend, topology_trend_low, topology_trend_high, topology_trend_p,
       topology_trend_p_holm, topology_trend_undefined, cramers_v_pooled, permuted_v, classes, share_in_other,
       cramers_v_pooled_p, cramers_v_pooled_p_holm, cramers_v_pooled_undefined,
       cramers_v_kumo_2025, chi_square_p_kumo_2025, chi_square_p_kumo_2025_shown
FROM topology_association
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player
""",
)

_COUNTING = {
    "algorithm-3": "the sum of counts / the sum of Algorithm 3's − 1, a count being tests + 1, the actions "
    "and the one prediction",
    "optimum": "the same relative to the optimum, on instances where it is proved",
    "kumo-2025": "the mean of (count − Algorithm 3's) / Algorithm 3's with tests + 2, as published",
}
_REFERENCES = {
    "algorithm-3": "relative to Algorithm 3",
    "optimum": "relative to the optimum",
    "kumo-2025": "as the paper counts (kumo-2025)",
}


@figure("Relative action count by setting", RELATIVE_ACTION_COUNTS)
def action_rows(data: ReportData, rows: list[Record]) -> Content | str:
    """A row per player, a drawing per setting and count."""
    title, column = action_rows.title, "relative_action_count"
    rows = [row for row in rows if row[column] is not None]
    if not rows:
        return UNANALYSED
    scale = Scale(("relative action count:", "0 is the reference, lower is better"), has_zero_line=True)
    drawings = [
        drawing
        for convention in _COUNTING
        for drawing in rows_by_setting(
            data,
            title,
            [row for row in rows if row["convention"] == convention],
            lambda row: [read_estimate(row, column, "episodes")],
            scale,
            more=f", {_REFERENCES[convention]}",
        )
    ]
    counting = "; ".join(f"{name}: {meaning}" for name, meaning in _COUNTING.items())
    caption = (
        "Each point compares a player's counts of actions with those of a reference, whose value is 0; a "
        f"failed episode counts as all actions + 1. {counting}. "
        "Algorithm 3, the paper's reference, ignores part of what players know, so the optimum can score "
        f"below it. {name_populations(rows)} "
        f"{SCORED_EPISODES}"
    )
    return Content(caption, drawings)


@figure("Topology and success", TOPOLOGY)
def topology_rows(data: ReportData, rows: list[Record]) -> Content | str:
    """The trend of success on edges, and V in its table; a drawing per setting."""
    informative = [row for row in rows if row["topology_trend"] is not None]
    if not informative:
        return (
            "No trend is defined: it takes 50 instances of a player, which differ in edges and in success "
            "within domains. The table says why for each player."
        )
    scale = Scale(("percentage points of success per edge",), has_zero_line=True)
    drawings = rows_by_setting(data, topology_rows.title, informative, _read_trend, scale)
    caption = (
        "How many percentage points of success one more edge of an instance's truth-action graph gives or "
        "costs, within domains: 0 is no trend. Lines are 95% intervals by resampling domains, from ten "
        "domains on. p is by permuting within domains, adjusted by Holm over the players of one setting "
        "and kind. n is the number of instances. The table also has the bias-corrected Cramér's V of the "
        "graph's shape and the majority label, with shapes of fewer than five instances in one class "
        "(compare permuted_v, its mean without association), and the paper's V and p (kumo_2025) for "
        "players with five runs per instance. Columns that end in _undefined say why a figure is missing."
    )
    return Content(caption, drawings)


def _read_trend(row: Record) -> list[Record]:
    more = f", {p_text(row['topology_trend_p_holm'])} (Holm)"
    return [read_estimate(row, "topology_trend", "instances", more=more)]


KUMO_LEADERBOARD = Query(
    "kumo_leaderboard",
    """
-- How many actions does each player need beside how much it solves?
SELECT setting, rank, player, instances, success_rate, success_rate_low, success_rate_high, population,
       relative_action_count_algorithm_3, relative_action_count_algorithm_3_low,
       relative_action_count_algorithm_3_high, relative_action_count_optimum, excess_tests_algorithm_3,
       excess_tests_algorithm_3_low, excess_tests_algorithm_3_high, guess_share, mean_tests,
       relative_action_count_kumo_2025
FROM kumo_leaderboard
WHERE edition = $edition
ORDER BY setting, place, player
""",
)

action_table = table_figure(
    "kumo_leaderboard",
    "Action counts and excess tests",
    "Relative action count: sum of counts / sum of the reference's − 1, a count being tests + 1 and "
    "a failed episode counting as all actions + 1; the reference, whose value is 0, is Algorithm 3 "
    "or the optimum. Excess tests: tests − those that Algorithm 3 is expected to take given the lists, all "
    "actions counting as tests where the outcomes seen did not decide the answer; guess share: share of "
    "episodes that answered so.",
    KUMO_LEADERBOARD,
)


# What action counts are compared with: Algorithm 3's policy, and the optimum under the promise.


REFERENCES = Query(
    "references",
    """
-- What are action counts compared with? Means over instances: Algorithm 3's expected tests by its own
-- model of outcomes,
-- its policy's under the sampler's prior, the optimum's, and the tests of both on the observations.
SELECT i.setting, count(*) AS instances,
       count(*) FILTER (k.promise_status = 'exact') AS exact,
       avg(k.expected_steps) FILTER (k.expected_steps >= 0) AS expected_steps,
       avg(k.policy_steps) AS policy_steps, avg(k.promise_steps) AS promise_steps,
       avg(k.optimal_tests) AS optimal_tests, avg(k.promise_tests) AS promise_tests
FROM kumo_instances AS k
JOIN instances AS i USING (edition, instance_id)
WHERE edition = $edition
GROUP BY i.setting
ORDER BY max(k.n_truths * k.n_actions), i.setting
""",
)

reference_table = grid_figure(
    "What action counts are compared with",
    REFERENCES,
    lambda _rows: (
        "Mean tests over the n instances, with no interval: they are computed, not sampled. Algorithm 3, "
        "the paper's reference, uses the promise that exactly one truth is valid only at its end. Player "
        "optimum uses it throughout and may need fewer tests, so relative to Algorithm 3 its relative count "
        "can be negative. Algorithm 3's expected tests are under its own model of outcomes; those of its "
        "policy and of the optimum are under the sampler's prior and can be compared. The last two columns "
        "are tests on the observations that the instances have."
    ),
    {
        "setting": "setting",
        "n": "instances",
        "optimum exact": "exact",
        "Algorithm 3, by its own model": "expected_steps",
        "Algorithm 3's policy": "policy_steps",
        "optimum": "promise_steps",
        "tests of Algorithm 3": "optimal_tests",
        "tests of the optimum": "promise_tests",
    },
    texts=1,
    missing="This edition has no instance.",
)


# What KUMO adds to the report: action counts, references, controls, training, books, authors, graphs.


REPORT = Report(
    after_rates=(action_rows, reference_table, report_figures.steps_at_half, report_books.control_gaps),
    at_end=(
        report_figures.training_curves,
        report_books.book_styles,
        report_books.book_versions,
        report_books.book_revisions,
        report_books.configurer_gaps,
        report_books.authoring,
        report_figures.optimal_histogram,
        draw_table,
        report_figures.domain_graphs,
        topology_rows,
    ),
    sources=(
        report_figures.CONFIGURATIONS,
        report_figures.OPTIMAL_COUNTS,
        report_figures.CHECKPOINT_RATES,
        report_figures.OUTCOME_RUNS,
    ),
    compute=report_figures.compute_extras,
    order=report_figures.OPTIMAL_COUNTS,
    explored=(action_table,),
)
