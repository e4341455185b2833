"""Gather what the page of profiles shows: the newest edition of each benchmark, side by side."""

from collections.abc import Callable, Mapping
from datetime import UTC

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.figure_data import Read, fill_query, order_settings, query_table
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.report.content import ReportTable
from perennial.tasks.report.profiles import QUERIES, ProfileData
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store


def profile_data(store: Store, step: Callable[[str], None] = lambda name: None) -> ProfileData:
    """Return all that the page of profiles shows; `step` gets the name of each step.

    Raises UnreadableInput where no edition of the data root has a profile.
    """
    # Sums of floats depend on their order, which several threads leave open.
    data = read_profiles(open_catalog(store, settings={"threads": 1}).query, step)
    if not data.tables["profile_scores"].rows:
        raise UnreadableInput(
            f"no edition in {store.root} has profiles: publish one with `perennial refresh`, or compute "
            "those of editions from an earlier version with `perennial analyse`"
        )
    return data


def read_profiles(read: Read, step: Callable[[str], None] = lambda name: None) -> ProfileData:
    """Return what the page shows of the editions that `read` sees, without rows where none has a profile."""
    tables = {}
    for query in QUERIES:
        step(f"query {query.name}")
        tables[query.name] = query_table(read, query.name, fill_query(query))
    facts = tuple(
        (
            row["benchmark"],
            f"edition {row['edition']}, {row['created_at'].astimezone(UTC):%Y-%m-%d}, {row['freshness']}, "
            f"{row['players']} players",
        )
        for row in tables["profile_editions"].records()
    )
    step("settings")
    return ProfileData(facts, tables, _columns(read, tables))


def _columns(read: Read, tables: Mapping[str, ReportTable]) -> tuple[tuple[str, str], ...]:
    """Return benchmark and setting of each column: the settings of a benchmark in the order of its report."""
    known = sorted({(row["benchmark"], row["setting"]) for row in tables["profile_scores"].records()})
    columns = []
    for row in tables["profile_editions"].records():
        name = row["benchmark"]
        ordered = order_settings(read, find_installed(name), row["edition"])
        first = [(name, setting) for setting in ordered]
        settings = dict.fromkeys((*first, *known))
        columns += [column for column in settings if column[0] == name and column in known]
    return tuple(columns)
