"""Gather what the page of profiles shows: the newest edition of each benchmark, side by side."""

from collections.abc import Callable, Mapping
from datetime import UTC

from flows.benchmark import benchmarks
from flows.editions.report import SHARED_QUERIES, own_report, query_table, query_text
from schemas.errors import UnreadableInput
from tasks.report.content import Report, ReportTable
from tasks.report.profiles import ProfileData
from warehouse.catalog.catalog import Catalog, open_catalog
from warehouse.store.store import Store

_QUERIES = ("profile_editions", "profile_scores", "profile_domains", "profile_correlations")


def profile_data(store: Store, step: Callable[[str], None] = lambda name: None) -> ProfileData:
    """Return all that the page of profiles shows; `step` gets the name of each step.

    Raises UnreadableInput where no edition of the data root has a profile.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    tables = {}
    for name in _QUERIES:
        step(f"query {name}")
        tables[name] = query_table(catalog, name, query_text(SHARED_QUERIES, name))
    if not tables["profile_scores"].rows:
        raise UnreadableInput(
            f"no edition in {store.root} has profiles: publish one with `perennial refresh`, or compute "
            "those of editions from an earlier version with `perennial analyse`"
        )
    facts = tuple(
        (
            row["benchmark"],
            f"edition {row['edition']}, {row['created_at'].astimezone(UTC):%Y-%m-%d}, {row['freshness']}, "
            f"{row['players']} players",
        )
        for row in tables["profile_editions"].records()
    )
    step("settings")
    return ProfileData(facts, tables, _columns(catalog, tables))


def _columns(catalog: Catalog, tables: Mapping[str, ReportTable]) -> tuple[tuple[str, str], ...]:
    """Return benchmark and setting of each column: the settings of a benchmark in the order of its report."""
    known = sorted({(row["benchmark"], row["setting"]) for row in tables["profile_scores"].records()})
    columns = []
    for row in tables["profile_editions"].records():
        name, first = row["benchmark"], []
        own = own_report(benchmarks()[name]) if name in benchmarks() else Report()
        if own.order:
            ordered = query_table(catalog, own.order, query_text(own.package, own.order, row["edition"]))
            first = [(name, record["setting"]) for record in ordered.records()]
        settings = dict.fromkeys((*first, *known))
        columns += [column for column in settings if column[0] == name and column in known]
    return tuple(columns)
