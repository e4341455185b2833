"""Compute the statistics of published editions again, without any model call."""

from collections.abc import Callable

from perennial.flows.run.spread_work import spread_over
from perennial.flows.stages.compute_scale import compute_scale
from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.warehouse.catalog.catalog import visible_editions, visible_evaluations
from perennial.warehouse.catalog.later_statistics import analysis_of, keep_analysis
from perennial.warehouse.editions.selectors import require_any, select_unit
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store


def analyse_editions(
    store: Store,
    edition: str | None,
    tell: Callable[[str], None],
    step: Callable[[str], None] = lambda name: None,
) -> dict[str, int]:
    """Compute and keep the figures of the edition, or of all that are not withdrawn; return their numbers.

    `tell` gets a line for each edition, `step` its name while it is at work.
    Raises InvalidOption where it is not published, UnreadableInput where none is.
    """
    known = visible_editions(store)
    require_any(store, known)
    chosen = known if edition is None else (select_unit(store, edition, known),)
    with lock_root(store, f"analyse {edition or 'every edition'}", tell):
        numbers = {}
        for name in chosen:
            step(name)
            evaluations = visible_evaluations(store, name)
            statistics = analyse_edition(store, name, evaluations, spread=spread_over(None))
            shown = analysis_of(store, name, evaluations)
            if shown is not None and store.read_table(shown).equals(statistics):
                result = "as before"
            else:
                keep_analysis(store, name, evaluations, statistics)
                result = f"kept in {store.location('analyses')}"
            tell(f"{name}: {statistics.num_rows:,} statistics, {result}")
            numbers[name] = statistics.num_rows
        step("scale over all editions")
        compute_scale(store)
    return numbers
