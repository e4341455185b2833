"""The knowledge base as values: what the tables of `warehouse/knowlogic` hold, a dataclass a domain."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = Mapping[str, str]


@dataclass(frozen=True)
class Knowledge:
    """All tables of the knowledge base: rows of text by `folder/table`, such as `nature/entities`.

    A domain's `build` makes what it needs of its own tables. `content_id` names this state of all tables.
    """

    tables: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    content_id: str = ""

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return the rows of a table; raise KeyError where there is none."""
        return self.tables[table]
