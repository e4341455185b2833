"""What KUMO adds to the report: action counts, references, controls, training, books, authors, graphs."""

from perennial.tasks.kumo.report.authoring import authoring
from perennial.tasks.kumo.report.book_styles import book_styles
from perennial.tasks.kumo.report.book_versions import book_versions
from perennial.tasks.kumo.report.control_gaps import control_gaps
from perennial.tasks.kumo.report.domain_graph import domain_graphs
from perennial.tasks.kumo.report.draws import draw_table
from perennial.tasks.kumo.report.extras import CONFIGURATIONS, compute_extras
from perennial.tasks.kumo.report.optimal_histogram import OPTIMAL_COUNTS, optimal_histogram
from perennial.tasks.kumo.report.player_rows import action_rows, action_table, topology_rows
from perennial.tasks.kumo.report.references import reference_table
from perennial.tasks.kumo.report.training_curves import CHECKPOINT_RATES, OUTCOME_RUNS, training_curves
from perennial.tasks.report.content import Report

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
