"""`perennial analyse`: compute an edition's statistics again, without any model call."""

from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import visible_editions, visible_evaluations
from warehouse.lock.root_lock import lock_root


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
    from flows.stages.compute_statistics import analyse_edition
    from warehouse.catalog.later_statistics import analysis_of, keep_analysis
    from warehouse.editions.selectors import select_unit

    store = data_root(root)
    console = Terminal(soft_wrap=True)
    known = visible_editions(store)
    if not known:
        raise InvalidOption(
            f"no edition is published in {store.root}, or all are withdrawn: run `perennial refresh` first"
        )
    chosen = known if edition is None else (select_unit(store, edition, known),)
    with lock_root(store, f"analyse {edition or 'every edition'}", console.print):
        for name in chosen:
            evaluations = visible_evaluations(store, name)
            statistics = analyse_edition(store, name, evaluations)
            shown = analysis_of(store, name, evaluations)
            if shown is not None and store.read_table(shown).equals(statistics):
                told = "as before"
            else:
                keep_analysis(store, name, evaluations, statistics)
                told = f"kept in {store.location('analyses')}"
            console.print(f"{name}: {statistics.num_rows:,} statistics, {told}")
