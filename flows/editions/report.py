"""Gather what the report of an edition shows: its queries as they are run, and what is computed from them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.editions.figure_data import fill_queries, read_figures, read_record
from perennial.flows.editions.report_comparison import read_comparison
from perennial.flows.editions.report_facts import state_facts
from perennial.tasks.report.content import ReportData, queries_of
from perennial.tasks.report.page import SHARED
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store


def choose_edition(catalog: Catalog, store: Store, edition: str | None) -> str:
    """Return the edition, or the newest one where none is named.

    Raises UnreadableInput where none is published, InvalidOption where that one is not.
    """
    return select_unit(store, edition, catalog.editions)


def report_data(
    store: Store,
    edition: str | None = None,
    compare: str | None = None,
    anchors: Sequence[str] = (),
    step: Callable[[str], None] = lambda name: None,
) -> ReportData:
    """Return all that the page of the edition shows, compared with another edition where one is named.

    `step` gets the name of each step. `anchors` are players that are the same in both; without any, those
    that both were evaluated with as such.
    Raises what `choose_edition` raises, and InvalidOption for an edition compared with itself or with one of
    another benchmark.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    chosen = choose_edition(catalog, store, edition)
    benchmark = find_benchmark(read_record(catalog.query, chosen)["benchmark"])
    comparison = None
    if compare is not None:
        step(f"comparing with {compare}")
        other = choose_edition(catalog, store, compare)
        comparison = read_comparison(catalog.query, other, chosen, benchmark, anchors)
    plan = read_published_plan(store, chosen)
    figures = (*SHARED, *benchmark.report().figures)
    data = read_figures(
        catalog.query,
        edition=chosen,
        benchmark=benchmark,
        figures=figures,
        seed=lambda: plan.public_seed,
        step=step,
    )
    facts = state_facts(catalog, benchmark, plan, is_retired(store, chosen))
    return replace(data, facts=facts, comparison=comparison)


def report_queries(benchmark: Benchmark, edition: str) -> dict[str, str]:
    """Return the SQL of every query behind the edition's report, by name."""
    own = benchmark.report()
    queries = queries_of((*SHARED, *own.figures))
    return fill_queries(benchmark, edition, (*queries.values(), *own.sources))
