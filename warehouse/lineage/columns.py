"""Which columns the values of a column are made from: the references of the tables, what is listed
here, and what each benchmark lists of its own (`perennial.schemas.benchmark.Declaration.origins`).

A column that is absent comes from the settings of the refresh, from the domains that were given, or from
other columns of its own row.
"""

from typing import Literal, NamedTuple

from perennial.schemas.benchmark import Origins, benchmarks
from perennial.schemas.tables import TABLES

Kind = Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"]


_AUDITED = ("validations", "audits")
_PUBLISHED_WITH = (*_AUDITED, "editions", "evaluations", "statistics")


class Origin(NamedTuple):
    """A column that values are made from, and how: taken as they are, computed, or counted up."""

    table: str
    column: str
    kind: Kind = "TRANSFORMATION"


_SHARED: Origins = {
    "TRANSFORMATION": (
        ("statistics", "setting", "instances.setting"),
        ("statistics", "domain", "instances.domain"),
        ("statistics", "player", "episodes.player"),
    ),
    "AGGREGATION": (
        ("episodes", "tokens", "calls.prompt_tokens calls.completion_tokens"),
        ("episodes", "cost_usd", "calls.cost_usd"),
        ("episodes", "seconds", "calls.latency_s"),
        (
            "statistics",
            "n value low high p_value p_adjusted",
            "episodes.status episodes.success episodes.score episodes.tokens episodes.cost_usd "
            "episodes.instance_id external_scores.score",
        ),
    ),
}


def column_origins(table: str) -> dict[str, tuple[Origin, ...]]:
    """Return the origins of the table's columns, as far as they lie in other tables: by column, in order."""
    origins = _listed_origins(table)
    for reference in TABLES[table].references:
        origins[reference.column] = {Origin(reference.to_table, reference.to_column, "IDENTITY"): None}
    return {
        column.name: tuple(origins[column.name]) for column in TABLES[table].columns if column.name in origins
    }


def _listed_origins(table: str) -> dict[str, dict[Origin, None]]:
    """Return the origins of the table's columns without its references."""
    found: dict[str, dict[Origin, None]] = {}
    for listed in (_SHARED, *(benchmark.origins() for benchmark in benchmarks().values())):
        for kind, entries in listed.items():
            for name, columns, origins in entries:
                for column in columns.split() if name == table else ():
                    added = (Origin(*_place(origin), kind) for origin in origins.split())
                    found.setdefault(column, {}).update(dict.fromkeys(added))
    return found


def _place(name: str) -> tuple[str, str]:
    table, column = name.split(".")
    return table, column


def origin_tables(table: str) -> tuple[str, ...]:
    """Return the tables that the table's rows are made from, in the order of `TABLES`."""
    named = {origin.table for origins in column_origins(table).values() for origin in origins}
    return tuple(name for name in TABLES if name in named)


def parent_tables(table: str) -> tuple[str, ...]:
    """Return the tables that the table's rows are made from, in order: without itself, and never in a circle.

    An audit reads all that was staged before it. A table that refers to rows which are made from its own,
    such as a benchmark's instances to the shared ones, is their parent and not their child.
    """
    if table in _AUDITED:
        earlier = set(_AUDITED[: _AUDITED.index(table)])
        return tuple(name for name in TABLES if name in earlier or name not in _PUBLISHED_WITH)
    return tuple(name for name in origin_tables(table) if name != table and not _is_made_from(name, table))


def _is_made_from(table: str, other: str) -> bool:
    return any(origin.table == other for origins in _listed_origins(table).values() for origin in origins)
