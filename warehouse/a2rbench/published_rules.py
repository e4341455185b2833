"""Which rules of models the published editions hold."""

from collections.abc import Sequence

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
