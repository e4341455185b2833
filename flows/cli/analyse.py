"""`perennial analyse`: compute an edition's statistics again, without any model call."""

from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import table_file, visible_editions
from warehouse.lock.root_lock import locked_root
from warehouse.store.store import Store


def analyse(
    edition: Annotated[
        str | None, typer.Argument(help="The edition. Default: all that are not withdrawn.")
    ] = None,
    root: RootOption = None,
) -> None:
    """Compute statistics again: after new external scores, or with a newer perennial.

    The published files are not changed; the new figures are stored separately, and the views show them.

    Example: perennial analyse kumo-2026-11-20
    """
    store = data_root(root)
    console = Terminal(soft_wrap=True)
    chosen = _chosen(store, edition)
    with locked_root(store, f"analyse {edition or 'every edition'}", console.print):
        for name in chosen:
            rows, changed = _analysed(store, name)
            told = "as before" if not changed else f"kept in {store.location('analyses')}"
            console.print(f"{name}: {rows:,} statistics, {told}")


def _chosen(store: Store, edition: str | None) -> tuple[str, ...]:
    editions = visible_editions(store)
    if edition is None:
        if not editions:
            raise InvalidOption(
                f"no edition is published in {store.root}, or all are withdrawn: "
                "run `perennial refresh` first"
            )
        return editions
    if edition not in editions:
        known = ", ".join(editions) or "none"
        raise InvalidOption(
            f"edition {edition!r} is not published in {store.root}, or withdrawn; published: {known}"
        )
    return (edition,)


def _analysed(store: Store, edition: str) -> tuple[int, bool]:
    """Analyse one edition; return its number of statistics, and whether the views' figures changed."""
    from flows.stages.compute_statistics import edition_statistics, read_columns
    from warehouse.catalog.external_scores import load_scores
    from warehouse.catalog.later_statistics import as_statistics, keep_analysis, latest_analysis
    from warehouse.editions.publish import published_plan

    plan = published_plan(store, edition)
    tables = {
        name: store.read_table(table_file(name, edition), list(columns))
        for name, columns in read_columns(plan.benchmark).items()
    }
    rows = edition_statistics(plan.benchmark, tables, plan.seed, load_scores(store))
    shown = store.read_table(latest_analysis(store, edition) or table_file("statistics", edition))
    if shown.equals(as_statistics(rows)):
        return len(rows), False
    keep_analysis(store, edition, rows)
    return len(rows), True
