"""Which rules the published editions hold."""

from collections.abc import Sequence
from functools import lru_cache

from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store


def published_codes(store: Store, editions: Sequence[str], domain: str) -> tuple[str, ...]:
    """The code of each rule that models wrote for a cell of these published editions, each once."""
    codes: set[str] = set()
    for edition in editions:
        file = table_file("a2rbench_rules", edition)
        if store.exists(file):
            rows = store.read_table(file, ["domain", "code"]).to_pylist()
            codes |= {row["code"] for row in rows if row["domain"] == domain}
    return tuple(sorted(codes))


@lru_cache(maxsize=4)
def published_names(store: Store, editions: tuple[str, ...]) -> frozenset[str]:
    """Return the names of the rules of these published editions; a drawn rule's says what it does."""
    names: set[str] = set()
    for edition in editions:
        file = table_file("a2rbench_items", edition)
        if store.exists(file):
            names.update(store.read_table(file, ["rule"]).column("rule").unique().to_pylist())
    return frozenset(names)
