"""What KUMO adds to the report: action counts, references, controls, training, books, authors, graphs."""

from tasks.kumo.report.authoring import authoring
from tasks.kumo.report.book_styles import book_styles
from tasks.kumo.report.book_versions import book_versions
from tasks.kumo.report.control_gaps import control_gaps
from tasks.kumo.report.domain_graph import domain_graphs
from tasks.kumo.report.draws import draw_table
from tasks.kumo.report.extras import CONFIGURATIONS, compute_extras
from tasks.kumo.report.optimal_histogram import OPTIMAL_COUNTS, optimal_histogram
from tasks.kumo.report.player_rows import action_rows, action_table, topology_rows
from tasks.kumo.report.references import reference_table
from tasks.kumo.report.training_curves import CHECKPOINT_RATES, OUTCOME_RUNS, training_curves
from tasks.report.content import Report

REPORT = Report(
    after_rates=(action_rows, reference_table, control_gaps),
    at_end=(
        training_curves,
        book_styles,
        book_versions,
        authoring,
        optimal_histogram,
        draw_table,
        domain_graphs,
        topology_rows,
    ),
    sources=(CONFIGURATIONS, OPTIMAL_COUNTS, CHECKPOINT_RATES, OUTCOME_RUNS),
    compute=compute_extras,
    order=OPTIMAL_COUNTS,
    explored=(action_table,),
)
