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
from perennial.schemas.model_calls import CALL_STATUSES, REASONING_SOURCES, ROLES, USAGE_STATUSES
from perennial.schemas.table_form import CALL_ID, Column, Reference, Table
from perennial.schemas.units import BY_LOG, PLAYED

# The tables of model calls.

CALLS = Table(
    "calls",
    "one model call",
    (
        Column("call_id", "string", "content id of model, parameters, messages and repeat index"),
        Column("role", "string", "the role in which the model was called", allowed=ROLES),
        Column("model", "string", "the model that was requested"),
        Column("served_model", "string", "the model that the server reports", nullable=True),
        Column("template", "string", "the template of the last message"),
        Column("template_hash", "string", "content id of that template and all that it includes"),
        Column("repeat", "int64", "distinguishes runs with the same request", minimum=0),
        Column("request", "string", "model, parameters, and messages by role and message_id (JSON)"),
        Column(
            "reply",
            "string",
            "the reply's text without its reasoning; of status tool_call its content and tool_calls (JSON)",
            nullable=True,
        ),
        Column("reasoning", "string", "the reply's reasoning, kept apart", nullable=True),
        Column(
            "reasoning_source", "string", "where in the response the reasoning was", allowed=REASONING_SOURCES
        ),
        Column("finish_reason", "string", "why the server ended the reply", nullable=True),
        Column("prompt_tokens", "int64", "tokens of the request", nullable=True, minimum=0),
        Column(
            "completion_tokens", "int64", "tokens of the reply, including reasoning", nullable=True, minimum=0
        ),
        Column("reasoning_tokens", "int64", "tokens of the reasoning", nullable=True, minimum=0),
        Column("cached_tokens", "int64", "prompt tokens that came from a cache", nullable=True, minimum=0),
        Column(
            "usage",
            "string",
            "token counts: reported by the server; derived: with reasoning that it counts beside the reply; "
            "short: it reported fewer prompt tokens than the prompt can have, so it seems to cut prompts; "
            "bounded: it reported more than can be; or missing",
            allowed=USAGE_STATUSES,
        ),
        Column("usage_reported", "string", "what it reported, where the counts differ (JSON)", nullable=True),
        Column(
            "cost_usd", "float64", "cost, NULL where tokens or price are unknown", nullable=True, minimum=0
        ),
        Column(
            "price_source",
            "string",
            "where the price is from: models.toml, prices.csv, a log, or a price list with version and date; "
            "NULL where the cost is unknown",
            nullable=True,
            volatile=True,
        ),
        Column("status", "string", "what became of the call", allowed=CALL_STATUSES),
        Column("error", "string", "what went wrong, NULL for an answer", nullable=True),
        Column("endpoint", "string", "where it was sent", volatile=True),
        Column(
            "batch_id",
            "string",
            "the server's batch that answered it, NULL for a call of its own",
            nullable=True,
            volatile=True,
        ),
        Column("attempts", "int64", "requests made for it, retries included", minimum=1, volatile=True),
        Column("latency_s", "float64", "seconds of the last attempt", minimum=0, volatile=True),
    ),
    key=("call_id",),
    # Two batches may need the same reply, which is asked for once: equal texts to judge, for example.
    is_shared=True,
    kind="either",
)

MESSAGES = Table(
    "messages",
    "one text that models were sent",
    (
        Column("message_id", "string", "content id of the text"),
        Column("content", "string", "the text, kept once however many calls send it"),
    ),
    key=("message_id",),
    is_shared=True,
    kind="either",
)


# The table of people who played: who they are in bands, what they did, and whether their answers count.

PARTICIPANTS = Table(
    "participants",
    "one person who agreed to take part in a study",
    (
        Column("participant", "string", "the player's name, human: and the public part of the code"),
        Column("consented", "bool", "whether the person agreed to take part"),
        Column("age_band", "string", "the age band, NULL where it was not given", nullable=True),
        Column("education", "string", "the level of education, NULL where it was not given", nullable=True),
        Column("gender", "string", "the gender, NULL where it was not asked for or given", nullable=True),
        Column("major", "string", "field of study, NULL where it was not asked for or given", nullable=True),
        Column("assigned", "int64", "tasks that were assigned", minimum=0),
        Column(
            "started", "int64", "of these, those whose clock was started: the person's episodes", minimum=0
        ),
        Column("answered", "int64", "of these, those that were answered in time", minimum=0),
        Column("solved", "int64", "of these, those that were answered rightly", minimum=0),
        Column("actions", "int64", "actions taken in all assigned tasks, answers aside", minimum=0),
        Column(
            "median_seconds",
            "float64",
            "median of seconds from the start of a task to its answer, NULL where none was answered",
            nullable=True,
            minimum=0,
            volatile=True,
        ),
        Column("earnings", "float64", "what the person earned, 0 where excluded", minimum=0),
        Column("excluded", "bool", "whether the answers are left out as random ones in a very short time"),
        Column("exclusion", "string", "why they are left out, NULL where they are not", nullable=True),
    ),
    key=("participant",),
    kind="answers",
)


# The tables of computed figures: statistics, the audit, and scores of other benchmarks.

STATISTICS = Table(
    "statistics",
    "one computed figure",
    (
        Column("statistic", "string", "what was computed"),
        Column(
            "convention",
            "string",
            "how it was counted, where there are several ways; else any",
        ),
        Column("setting", "string", "the setting, or `all`"),
        Column("domain", "string", "the domain's name, or `all`"),
        Column("player", "string", "the player, `all`, or a kind of players such as `models`"),
        Column(
            "other",
            "string",
            "what it is compared with or said of: a player, a setting, an instance; else empty",
        ),
        Column(
            "n", "int64", "how many episodes, instances or players it rests on (method says which)", minimum=0
        ),
        Column("value", "float64", "the figure, NULL where it is undefined", nullable=True),
        Column("low", "float64", "lower end of its 95% interval", nullable=True),
        Column("high", "float64", "upper end of its 95% interval", nullable=True),
        Column(
            "population",
            "string",
            "what its interval is of: these domains (instances vary) or new "
            "domains (domains vary too); NULL where it has none, or players are what varies",
            nullable=True,
        ),
        Column(
            "no_interval", "string", "why an estimate has no interval, NULL where it has one", nullable=True
        ),
        Column(
            "p_value", "float64", "p-value, where the method has one", nullable=True, minimum=0, maximum=1
        ),
        Column(
            "p_adjusted",
            "float64",
            "p-value after correction over its family of tests, Holm's or Bonferroni's (method says which)",
            nullable=True,
            minimum=0,
            maximum=1,
        ),
        Column(
            "family",
            "string",
            "which family of tests of its setting it is one of, such as `models`; NULL where of none",
            nullable=True,
        ),
        Column("method", "string", "how value, interval and p-value were computed, and what n counts"),
    ),
    key=("statistic", "convention", "setting", "domain", "player", "other"),
    kind="analysis",
)

EXTERNAL_SCORES = Table(
    "external_scores",
    "another benchmark's score of a model",
    (
        Column("benchmark", "string", "the other benchmark"),
        Column("player", "string", "the player, named as in `episodes`"),
        Column("score", "float64", "its score there"),
        Column("source", "string", "where the score was published"),
        Column(
            "settings",
            "string",
            "what is said of the player there, such as its size and quantization; NULL where nothing is",
            nullable=True,
        ),
    ),
    key=("benchmark", "player", "source"),
    kind="root",
)

PUBLISHED_SCORES = Table(
    "published_scores",
    "a number that a benchmark's paper or its authors' site prints; it comes with the program",
    (
        Column("benchmark", "string", "the benchmark"),
        Column("source", "string", "the paper, or the site"),
        Column("place", "string", "the table, the figure or the section that prints it"),
        Column("player", "string", "whose number it is, named as there; empty where it is nobody's"),
        Column("settings", "string", "what is said of the player there: size, quantization, tools"),
        Column("figure", "string", "what is printed, such as accuracy or tokens"),
        Column("setting", "string", "the setting, in the benchmark's words, or `all`"),
        Column("domain", "string", "the domain, in the benchmark's words, or `all`"),
        Column("value", "float64", "the printed number"),
        Column("deviation", "float64", "the standard deviation that is printed beside it", nullable=True),
        Column("unit", "string", "its unit: share (0 to 1), percent, tokens and others"),
        Column(
            "model",
            "string",
            "the model's own name in small letters, where the printed name can mean no other; a player of "
            "that name is the same model",
            nullable=True,
        ),
    ),
    key=("benchmark", "source", "place", "player", "settings", "figure", "setting", "domain"),
    kind="bundled",
)

SCALE = Table(
    "scale",
    "a player, an edition, or two players on the common scale of all visible editions of a benchmark",
    (
        Column("benchmark", "string", "the benchmark"),
        Column("setting", "string", "the setting; each has a scale of its own"),
        Column(
            "statistic",
            "string",
            "rate: the player's over the population of domains; rate_in_edition: by that edition alone, less "
            "its shift; shift_of_edition: what a typical player gains by its domains; difference: player "
            "minus other",
            allowed=("rate", "rate_in_edition", "shift_of_edition", "difference"),
        ),
        Column("player", "string", "the player, empty for an edition's shift"),
        Column(
            "protocol_id",
            "string",
            "an id of parameters and protocol, where a model was asked with several: each is a player",
        ),
        Column("other", "string", "the edition, or the other player; empty for a rate"),
        Column("other_protocol_id", "string", "the same id for the other player"),
        Column("value", "float64", "the figure"),
        Column(
            "standard_error", "float64", "its standard error, the link between editions included", minimum=0
        ),
        Column("low", "float64", "lower end of its 95% interval"),
        Column("high", "float64", "upper end of its 95% interval"),
        Column("domains", "int64", "how many different domains it rests on", minimum=1),
        Column("editions", "int64", "how many editions it rests on", minimum=1),
        Column(
            "link",
            "string",
            "of a difference: how the players' editions are linked",
            allowed=("", "same edition", "shared players or domains", "population of domains"),
        ),
        Column(
            "discrimination",
            "float64",
            "of a rate: how far the player follows what is hard for all, 1 as the scale takes it; NULL for "
            "fewer than 10 domains with others",
            nullable=True,
        ),
        Column("discrimination_se", "float64", "its standard error", nullable=True),
        Column(
            "discrimination_p_holm",
            "float64",
            "p of the test that it is 1, after Holm's correction over the players of the setting; a small "
            "one says that the scale does not fit this player",
            nullable=True,
        ),
        Column("method", "string", "how it was computed"),
    ),
    key=("benchmark", "setting", "statistic", "player", "protocol_id", "other", "other_protocol_id"),
    kind="root",
)

AUDITS = Table(
    "audits",
    "one expectation's result in the audit before publishing",
    (
        Column("suite", "string", "the table, `cross_table`, `grader` or `overlap`"),
        Column("expectation", "string", "what was expected"),
        Column("success", "bool", "whether it held"),
        Column("observed", "string", "what was seen"),
        Column("unexpected_count", "int64", "number of rows that broke it", minimum=0),
        Column("severity", "string", "whether a failure stops publishing", allowed=("critical", "warning")),
        Column(
            "validation",
            "string",
            "its validation by Great Expectations, NULL for what a stage checked itself",
            nullable=True,
        ),
    ),
    key=("suite", "expectation"),
    references=(Reference("validation", "validations", "validation"),),
    kind="either",
)

VALIDATIONS = Table(
    "validations",
    "one validation of a suite of Great Expectations in the audit before publishing",
    (
        Column("validation", "string", "what was validated: a table, or a rule in its words"),
        Column("suite", "string", "the table, or `cross_table` for a rule"),
        Column("validated_rows", "int64", "number of rows that the suite was run on", minimum=0),
        Column(
            "rows",
            "int64",
            "number of rows of the table, all searched by DuckDB where a sample was validated; or that break "
            "the rule",
            minimum=0,
        ),
        Column("expectations", "int64", "number of expectations of the suite", minimum=1),
        Column("unsuccessful", "int64", "number of expectations that did not hold", minimum=0),
        Column("result", "string", "the validation result of Great Expectations (JSON)"),
    ),
    key=("validation",),
    kind="either",
)


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
    (
        *_PUBLICATION,
        Column("answers", "string", "played here, or by log: as an import says", allowed=(PLAYED, BY_LOG)),
    ),
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
        tables = (table for benchmark in benchmarks().values() for table in benchmark.tables)
        return {table.name: table for table in (*SHARED_TABLES, *tables)}

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
