"""What is prepared before a root is locked still holds afterwards, or is refused."""

from perennial.schemas.errors import RootLocked
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.staging import staged_units
from perennial.warehouse.store.store import Store

UnitsOfRoot = tuple[frozenset[str], frozenset[str]]


def units_of_root(store: Store) -> UnitsOfRoot:
    """Return the editions and evaluations that are published, and those that are staged."""
    return frozenset(published_units(store)), frozenset(staged_units(store))


def refuse_changed_root(store: Store, before: UnitsOfRoot) -> None:
    """Raise RootLocked where another command has published or staged something since `before`."""
    if units_of_root(store) != before:
        raise RootLocked(
            f"another command wrote to {store.root} while this one was being prepared: give the same command "
            "again"
        )
