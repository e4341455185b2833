"""The warehouse contract: every shared table, its columns, keys and references.

The Arrow schemas, the audit, the DuckDB views of empty warehouses and the README's table list are
derived from here. A file holds the columns below after those that say what published it
(`Table.file_columns`). A benchmark adds tables of its own, which bear its name first
(`perennial.schemas.benchmark`).
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from perennial.schemas.benchmark import benchmarks, find_declaration
from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.model_calls.call_tables import CALLS, MESSAGES
from perennial.schemas.people.study_tables import PARTICIPANTS
from perennial.schemas.statistics.analysis_tables import (
    AUDITS,
    EXTERNAL_SCORES,
    PUBLISHED_SCORES,
    SCALE,
    STATISTICS,
    VALIDATIONS,
)
from perennial.schemas.table_form import CALL_ID, Column, Reference, Table

_PUBLICATION = (
    Column("benchmark", "string", "the benchmark, such as kumo"),
    Column("created_at", "timestamp", "when it was published (UTC)", volatile=True),
    Column("seed", "int64", "the seed of what is drawn, NULL where it was secret then", nullable=True),
    Column("settings", "string", "the plan: all settings that decide what it holds (JSON)"),
    Column("code_version", "string", "the version of perennial"),
    Column("counts", "string", "rows of each table (JSON)"),
    Column("manifest_sha256", "string", "SHA-256 of its manifest", volatile=True),
)
_COMMITMENT = (
    Column(
        "seed_commitment",
        "string",
        "SHA-256 of the seed's decimal digits, NULL for an import",
        nullable=True,
    ),
    Column(
        "freshness",
        "string",
        "fresh: its seed was drawn for it; replayed, not fresh: its seed was given; or imported",
        allowed=("fresh", "replayed, not fresh", "imported"),
    ),
    Column("canary", "string", "the GUID in the metadata of its files and in what is exported"),
    Column("is_trial", "bool", "whether `perennial try` grew it for a first score: no website shows it"),
)
EDITIONS = Table(
    "editions", "one published set of questions", (*_PUBLICATION, *_COMMITMENT), key=("benchmark",)
)
EVALUATIONS = Table(
    "evaluations",
    "one published set of answers to the questions of an edition",
    _PUBLICATION,
    key=("benchmark",),
    kind="answers",
)

INSTANCES = Table(
    "instances",
    "one question; its right answer is `right_answer` of `episodes_wide`, once somebody has played it",
    (
        Column("instance_id", "string", "the instance"),
        Column("benchmark", "string", "the benchmark, such as kumo"),
        Column("domain", "string", "what it is about: the domain's name"),
        Column("setting", "string", "how large or hard it is, in the benchmark's words"),
        Column("seed", "int64", "the seed that it was drawn with, NULL where that was secret", nullable=True),
        Column("index", "int64", "its number within domain and setting", minimum=0),
        Column(
            "content_hash",
            "string",
            "128 bits of what is asked, in hexadecimal digits",
            pattern="[0-9a-f]{32}",
        ),
        Column(
            "cluster",
            "string",
            "what it shares with other instances that were not drawn independently: a domain, a rule, a pair "
            "of texts",
        ),
        Column(
            "origin",
            "string",
            "what it was made from, alone or with others: the texts of a question in several languages, an "
            "original with its copies and variations; its instances are private together",
        ),
    ),
    key=("instance_id",),
)

REJECTIONS = Table(
    "rejections",
    "something that a check refused",
    (
        Column("stage", "string", "the stage that refused it"),
        Column("subject", "string", "what was refused: a name or an id"),
        Column("rule", "string", "the rule that it broke"),
        Column("message", "string", "value, expectation and remedy"),
        Column("player", "string", "the player that it concerns, NULL where it concerns none", nullable=True),
        Column(
            "domain", "string", "the domain of what it counts, NULL where it counts nothing", nullable=True
        ),
        Column("setting", "string", "the setting of what it counts, NULL likewise", nullable=True),
        Column(
            "amount",
            "int64",
            "how many questions, books or proposals are refused or missing, NULL where it counts nothing",
            nullable=True,
            minimum=0,
        ),
        CALL_ID,
    ),
    key=("stage", "subject", "rule", "message", "call_id"),
    references=(Reference("call_id", "calls", "call_id"),),
    kind="either",
)

EPISODES = Table(
    "episodes",
    "one run of one player on one instance",
    (
        Column(
            "episode_id",
            "string",
            "content id of what was played, player and run",
            pattern="ep_[0-9a-f]{32}",
        ),
        Column("instance_id", "string", "the instance that was played"),
        Column("player", "string", "the player's name"),
        Column("run", "int64", "the run's number, from 0", minimum=0),
        Column(
            "version",
            "string",
            "which other version of the question was shown, NULL for the usual one, which figures are of",
            nullable=True,
        ),
        Column("status", "string", "how it ended", allowed=EPISODE_STATUSES),
        Column("success", "bool", "whether the answer was right"),
        Column("score", "float64", "how right it was, 0 to 1", minimum=0, maximum=1),
        Column(
            "turns", "int64", "number of replies, NULL where an import lacks them", nullable=True, minimum=0
        ),
        Column("tokens", "int64", "tokens of all its calls, NULL where no model played", nullable=True),
        Column("cost_usd", "float64", "cost of all its calls, NULL where unknown", nullable=True),
        Column("seconds", "float64", "how long it took", minimum=0, volatile=True),
    ),
    key=("episode_id",),
    references=(Reference("instance_id", "instances", "instance_id"),),
    kind="answers",
)

TURNS = Table(
    "turns",
    "one reply of an episode, and what came back",
    (
        Column("episode_id", "string", "the episode"),
        Column("turn", "int64", "the turn's number, from 1", minimum=1),
        Column("reply", "string", "the reply's text, NULL where a call or nothing holds it", nullable=True),
        Column("feedback", "string", "what came back, NULL where the episode ended", nullable=True),
        CALL_ID,
    ),
    key=("episode_id", "turn"),
    references=(
        Reference("episode_id", "episodes", "episode_id"),
        Reference("call_id", "calls", "call_id"),
    ),
    kind="answers",
)

SHARED_TABLES = (
    EDITIONS,
    EVALUATIONS,
    CALLS,
    MESSAGES,
    REJECTIONS,
    INSTANCES,
    EPISODES,
    TURNS,
    PARTICIPANTS,
    STATISTICS,
    EXTERNAL_SCORES,
    PUBLISHED_SCORES,
    SCALE,
    VALIDATIONS,
    AUDITS,
)
_NOT_STAGED = ("editions", "evaluations", "validations", "audits")


class _Tables(Mapping[str, Table]):
    """All tables by name, the shared ones first; the benchmarks are looked up at the first use."""

    @cached_property
    def _known(self) -> dict[str, Table]:
        own = (table for benchmark in benchmarks().values() for table in benchmark.tables)
        return {table.name: table for table in (*SHARED_TABLES, *own)}

    def __getitem__(self, name: str) -> Table:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


TABLES = _Tables()


def staged_tables(benchmark: str, *, answers: bool) -> tuple[str, ...]:
    """Return the names of the tables that an edition of the benchmark, or an evaluation, is staged in."""
    kinds = ("answers" if answers else "questions", "either")
    shared = (table for table in SHARED_TABLES if table.name not in _NOT_STAGED)
    return tuple(t.name for t in (*shared, *find_declaration(benchmark).tables) if t.kind in kinds)
