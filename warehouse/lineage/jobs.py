"""The stages of a refresh as jobs: what each does, which tables it reads and which it adds rows to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from perennial.schemas.tables import TABLES, staged_tables
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.lineage.columns import origin_tables

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
