"""`perennial analyse`: compute an edition's statistics anew, without any model call."""

from typing import Annotated

import typer
from rich.console import Console

from flows.roots import RootOption, data_root
from schemas.errors import InvalidOption
from warehouse.catalog import published_editions, table_file
from warehouse.store import Store


def analyse(
    edition: Annotated[str | None, typer.Argument(help="The edition. Default: every published one.")] = None,
    root: RootOption = None,
) -> None:
    """Compute statistics anew: after new external scores, or with a newer perennial.

    What was published stays as it is; the new figures stand beside it and are what the views show.

    Example: perennial analyse kumo-2026-11-20
    """
    store = data_root(root)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for name in _chosen(store, edition):
        rows, changed = _analysed(store, name)
        told = "as before" if not changed else f"kept in {store.location('analyses')}"
        console.print(f"{name}: {rows:,} statistics, {told}")


def _chosen(store: Store, edition: str | None) -> tuple[str, ...]:
    editions = published_editions(store)
    if edition is None:
        if not editions:
            raise InvalidOption(f"no edition is published in {store.root}: run `perennial refresh` first")
        return editions
    if edition not in editions:
        known = ", ".join(editions) or "none"
        raise InvalidOption(f"edition {edition!r} is not published in {store.root}; published: {known}")
    return (edition,)


def _analysed(store: Store, edition: str) -> tuple[int, bool]:
    """Analyse one edition; return its number of statistics, and whether the views' figures changed."""
    from flows.analyse import edition_statistics
    from warehouse.analysis.cells import CELL_TABLES
    from warehouse.analysis.kept import analysis_file, as_statistics, keep_analysis
    from warehouse.external_scores import load_scores
    from warehouse.publish import published_plan

    tables = {name: store.read_table(table_file(name, edition)) for name in CELL_TABLES}
    seed = published_plan(store, edition).seed
    rows = edition_statistics(tables, seed, load_scores(store))
    later = analysis_file(edition)
    shown = store.read_table(later if store.exists(later) else table_file("statistics", edition))
    if shown.equals(as_statistics(rows)):
        return len(rows), False
    keep_analysis(store, edition, rows)
    return len(rows), True
