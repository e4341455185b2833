"""What KUMO adds to the report: action counts, references, controls, training, books, authors, graphs."""

from tasks.kumo.report.authoring import authoring
from tasks.kumo.report.book_styles import book_styles
from tasks.kumo.report.book_versions import book_versions
from tasks.kumo.report.control_gaps import control_gaps
from tasks.kumo.report.domain_graph import domain_graphs
from tasks.kumo.report.extras import CONFIGURATIONS, compute_extras
from tasks.kumo.report.optimal_histogram import OPTIMAL_COUNTS, optimal_histogram
from tasks.kumo.report.player_rows import action_rows, topology_rows
from tasks.kumo.report.references import reference_table
from tasks.kumo.report.training_curves import CHECKPOINT_RATES, OUTCOME_RUNS, training_curves
from tasks.report.content import Query, Report, table_figure

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
ORDER BY setting, rank NULLS LAST, success_rate DESC NULLS LAST, player
""",
)

REPORT = Report(
    after_rates=(action_rows, reference_table, control_gaps),
    at_end=(
        training_curves,
        book_styles,
        book_versions,
        authoring,
        optimal_histogram,
        domain_graphs,
        topology_rows,
    ),
    sources=(CONFIGURATIONS, OPTIMAL_COUNTS, CHECKPOINT_RATES, OUTCOME_RUNS),
    compute=compute_extras,
    order=OPTIMAL_COUNTS,
    explored=(
        table_figure(
            "kumo_leaderboard",
            "Action counts and excess tests",
            "Relative action count: sum of counts / sum of the reference's − 1, a count being tests + 1 and "
            "a failed episode counting as all actions + 1; the reference, whose value is 0, is Algorithm 3 "
            "or the optimum. Excess tests: tests − Algorithm 3's, all actions counting as tests where the "
            "outcomes seen did not decide the answer; guess share: share of episodes that answered so.",
            KUMO_LEADERBOARD,
        ),
    ),
)
