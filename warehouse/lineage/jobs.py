"""The jobs of a refresh, by stage: what each reads and what it writes."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.tables import TABLES

REFRESH = "kumo-refresh"
REFRESH_DOC = "Grows one edition of the benchmark, from its domains to its published tables."


@dataclass(frozen=True, slots=True)
class StageTables:
    """What a stage does, the tables of its edition that it reads, and those that it adds rows to.

    `earlier`: tables of the editions published before, which it reads as well. A stage that asks models
    adds rows to `calls` and `messages` too; that shows in what it counts.
    """

    doc: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


STAGES: dict[str, StageTables] = {
    "domains": StageTables(
        "Takes the given domains and their configurations.",
        writes=("domains", "seed_configs", "outcomes"),
    ),
    "proposals": StageTables(
        "Lets a model propose new domains.", writes=("domains", "rejections"), earlier=("domains",)
    ),
    "configs": StageTables(
        "Lets a model write a seed configuration for each proposed domain, and validates it.",
        reads=("domains",),
        writes=("seed_configs", "outcomes", "rejections"),
    ),
    "sample": StageTables(
        "Draws instances that no earlier edition holds and solves each one exactly.",
        reads=("seed_configs",),
        writes=("kumo_instances", "rejections"),
        earlier=("kumo_instances",),
    ),
    "books": StageTables(
        "Writes the knowledge book of each instance and checks it.",
        reads=("seed_configs", "kumo_instances"),
        writes=("books", "rejections"),
    ),
    "gate": StageTables(
        "Tests the grader on each instance, and that it is solved from its book.",
        reads=("seed_configs", "rejections", "kumo_instances", "books"),
    ),
    "overlap": StageTables(
        "Compares the instances with those of earlier editions, and with how many there can be.",
        reads=("seed_configs", "kumo_instances", "books"),
        writes=("audits",),
        earlier=("kumo_instances",),
    ),
    "episodes": StageTables(
        "Lets players play the instances whose book passed its check.",
        reads=("seed_configs", "kumo_instances", "books"),
        writes=("episodes", "turns"),
    ),
    "statistics": StageTables(
        "Computes the figures of the edition from its episodes.",
        reads=("domains", "seed_configs", "kumo_instances", "episodes"),
        writes=("statistics",),
    ),
    "publish": StageTables(
        "Audits all tables and makes the edition visible.",
        reads=(),
        writes=("editions", "audits"),
    ),
}


def stage_tables(stage: str) -> StageTables:
    """Return what is known of the stage; one that is not listed reads and writes nothing that is known."""
    return STAGES.get(stage, StageTables(f"Stage {stage} of a refresh."))


def written_tables(stage: str, counted: Iterable[str]) -> tuple[str, ...]:
    """Return the tables that the stage adds rows to: those listed, and those that it counted rows of."""
    known = stage_tables(stage)
    named = {*known.writes, *counted} - set(known.reads)
    return tuple(table for table in TABLES if table in named)
