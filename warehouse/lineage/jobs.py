"""The stages of a refresh as jobs: what each does, which tables it reads and which it adds rows to."""

from collections.abc import Iterable
from dataclasses import dataclass

from perennial.schemas.tables import TABLES, staged_tables
from perennial.schemas.units import is_evaluation
from perennial.warehouse.lineage.columns import origin_tables


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


def jobs_of(unit: str, benchmark: str, stages: Iterable[StageTables]) -> tuple[StageTables, ...]:
    """Return these stages of an edition or evaluation, and the one that publishes it."""
    answers = is_evaluation(unit)
    staged = staged_tables(benchmark, answers=answers)
    audited = ("validations", "audits")
    publishing = StageTables(
        "publish",
        "Audits the answers, computes the figures of the edition and makes both visible."
        if answers
        else "Audits all tables and makes the edition visible.",
        tuple(dict.fromkeys((*staged, *origin_tables("statistics")))) if answers else staged,
        ("evaluations", *audited, "statistics") if answers else ("editions", *audited),
    )
    return (*stages, publishing)
