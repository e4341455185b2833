"""The line that says what to type next."""

from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.store.store import Store


def next_after_scores(store: Store) -> str:
    """Return the line after an import of scores; without an edition there is nothing to analyse."""
    if visible_editions(store):
        return "next: perennial analyse"
    return 'next: perennial query "FROM external_scores"; an edition\'s statistics will correlate with them'
