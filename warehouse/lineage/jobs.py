"""The stages of a refresh as jobs: what each does, which tables it reads and which it adds rows to."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.tables import STAGED_TABLES, TABLES


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


_PLAYABLE = ("seed_configs", "kumo_instances", "books")

KUMO_STAGES = (
    StageTables(
        "domains",
        "Takes the given domains and their configurations.",
        writes=("domains", "seed_configs", "outcomes"),
    ),
    StageTables(
        "proposals", "Lets a model propose new domains.", (), ("domains", "rejections"), ("domains",)
    ),
    StageTables(
        "configs",
        "Lets a model write a seed configuration for each proposed domain, and validates it.",
        ("domains",),
        ("seed_configs", "outcomes", "rejections"),
    ),
    StageTables(
        "sample",
        "Draws instances that no earlier edition holds and solves each one exactly.",
        ("seed_configs",),
        ("kumo_instances", "rejections"),
        ("kumo_instances",),
    ),
    StageTables(
        "books",
        "Writes the knowledge book of each instance and checks it.",
        ("seed_configs", "kumo_instances"),
        ("books", "rejections"),
    ),
    StageTables(
        "gate",
        "Tests the grader on each instance, and that it is solved from its book.",
        (*_PLAYABLE, "rejections"),
    ),
    StageTables(
        "overlap",
        "Compares the instances with those of earlier editions, and with how many there can be.",
        _PLAYABLE,
        ("audits",),
        ("kumo_instances",),
    ),
    StageTables(
        "episodes",
        "Lets players play the instances whose book passed its check.",
        _PLAYABLE,
        ("episodes", "turns"),
    ),
    StageTables(
        "statistics",
        "Computes the figures of the edition from its episodes.",
        ("domains", "seed_configs", "kumo_instances", "episodes", "external_scores"),
        ("statistics",),
    ),
    StageTables(
        "publish", "Audits all tables and makes the edition visible.", STAGED_TABLES, ("editions", "audits")
    ),
)
