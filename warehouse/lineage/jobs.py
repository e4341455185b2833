"""The stages of a refresh as jobs: what each does, which tables it reads and which it adds rows to."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.benchmark import find_benchmark
from schemas.tables import TABLES, staged_tables


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

    def written(self, counted: Iterable[str]) -> tuple[str, ...]:
        """Return the tables that the stage adds rows to: those declared, and those with rows counted."""
        named = {*self.writes, *counted} - set(self.reads)
        return tuple(table for table in TABLES if table in named)


def jobs_of(benchmark: str) -> tuple[StageTables, ...]:
    """Return the stages by which an edition of the benchmark grows, and the one that publishes it."""
    grown = (
        StageTables(stage.name, stage.doc, stage.reads, stage.writes, stage.earlier)
        for stage in find_benchmark(benchmark).growing()
    )
    publishing = StageTables(
        "publish",
        "Audits all tables and makes the edition visible.",
        staged_tables(benchmark),
        ("editions", "audits"),
    )
    return (*grown, publishing)
