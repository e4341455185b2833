"""Which stages a run has, which wait for which, and where each column of their tables comes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from perennial.schemas.benchmark import Origins, benchmarks
from perennial.schemas.tables import TABLES, staged_tables
from perennial.schemas.units import is_evaluation, split_unit

# Which columns the values of a column are made from: the references of the tables, what is listed
# here, and what each benchmark lists of its own (`perennial.schemas.benchmark.Declaration.origins`).
#
# A column that is absent comes from the settings of the refresh, from the domains that were given, or from
# other columns of its own row.

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
    """The origins of the table's columns without its references."""
    by_column: dict[str, dict[Origin, None]] = {}
    for listed in (_SHARED, *(benchmark.origins for benchmark in benchmarks().values())):
        for kind, entries in listed.items():
            for name, columns, origins in entries:
                for column in columns.split() if name == table else ():
                    added = (Origin(*_place(origin), kind) for origin in origins.split())
                    by_column.setdefault(column, {}).update(dict.fromkeys(added))
    return by_column


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


# The stages of a refresh as jobs: what each does, which tables it reads and which it adds rows to.

PUBLISH = "publish"


@dataclass(frozen=True, slots=True)
class StageTables:
    """A stage, the tables of its edition that it reads, and those that it adds rows to.

    `earlier`: tables of the editions published before, which it reads as well. A stage that asks models
    adds rows to `calls` and `messages` too; that shows in what it counts.
    """

    name: str
    doc: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    def list_written(self, counted: Iterable[str]) -> tuple[str, ...]:
        """Return the tables that the stage adds rows to: those declared, and those with rows counted."""
        named = {*self.writes, *counted} - set(self.reads)
        return tuple(table for table in TABLES if table in named)


class StageNode(NamedTuple):
    """A stage of a run: the edition or evaluation that it makes, and its name."""

    unit: str
    stage: str


class StageGraph:
    """Which stages of a run wait for which: those that made the tables which a stage reads.

    The answers of an edition rest on its published questions, so what reads these waits for their publishing.
    """

    def __init__(self) -> None:
        # By edition and table.
        self._makers: dict[tuple[str, str], list[StageNode]] = {}
        self._added: list[StageNode] = []

    def add(self, node: StageNode, tables: StageTables) -> tuple[StageNode, ...]:
        """Add a stage, and return those before it that it waits for, in order.

        Publishing waits for every stage of its unit: nothing is published that one of them refused.
        """
        edition = split_unit(node.unit)[0]
        waits_for = {maker for table in tables.reads for maker in self._makers.get((edition, table), ())}
        if node.stage == PUBLISH:
            waits_for |= {other for other in self._added if other.unit == node.unit}
            for (of_edition, _), makers in self._makers.items():
                if of_edition == edition and makers[0].unit == node.unit:
                    makers[:] = [node]
        for table in tables.writes:
            self._makers.setdefault((edition, table), []).append(node)
        self._added.append(node)
        return tuple(other for other in self._added if other in waits_for)


def jobs_of(unit: str, benchmark: str, stages: Iterable[StageTables]) -> tuple[StageTables, ...]:
    """Return these stages of an edition or evaluation, and the one that publishes it."""
    answers = is_evaluation(unit)
    staged = staged_tables(benchmark, answers=answers)
    audited = ("validations", "audits")
    publishing = StageTables(
        PUBLISH,
        "Audits the answers, computes the figures of the edition and makes both visible."
        if answers
        else "Audits all tables and makes the edition visible.",
        tuple(dict.fromkeys((*staged, *origin_tables("statistics")))) if answers else staged,
        ("evaluations", *audited, "statistics") if answers else ("editions", *audited),
    )
    return (*stages, publishing)
