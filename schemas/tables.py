"""The warehouse contract: every table, its columns, keys and references.

The Arrow schemas, the audit, the DuckDB views of empty warehouses and the README's table list are
derived from here. A file holds the columns below; `edition` comes from the folder's name.
"""

from schemas.analysis_tables import AUDITS, EXTERNAL_SCORES, STATISTICS
from schemas.call_tables import CALLS, MESSAGES
from schemas.kumo.things import EPISODE_STATUSES
from schemas.table_form import Column, Reference, Table

_CALL_ID = Column(
    "call_id", "string", "the model call that produced the row, NULL where no model did", nullable=True
)

EDITIONS = Table(
    "editions",
    "one published refresh",
    (
        Column("benchmark", "string", "the benchmark, such as kumo"),
        Column("created_at", "timestamp", "when it was published (UTC)", volatile=True),
        Column("seed", "int64", "the seed of the refresh"),
        Column("settings", "string", "all settings of the refresh (JSON)"),
        Column("code_version", "string", "the version of perennial"),
        Column("counts", "string", "rows of each table (JSON)"),
        Column(
            "manifest_sha256",
            "string",
            "SHA-256 of the edition's manifest, NULL where it was published before there were any",
            nullable=True,
            volatile=True,
        ),
    ),
    key=("benchmark",),
)

DOMAINS = Table(
    "domains",
    "a proposed domain",
    (
        Column("domain_id", "string", "content id of name and goal"),
        Column("name", "string", "the domain's name"),
        Column("category", "string", "its category"),
        Column("goal", "string", "what a player of it wants to find"),
        Column("truth_noun", "string", "what a truth is called there"),
        Column("action_noun", "string", "what an action is called there"),
        Column("book_title", "string", "the title of its knowledge books"),
        Column(
            "truth_description",
            "string",
            "what its truths are, in a phrase; NULL where not proposed",
            nullable=True,
        ),
        Column(
            "action_description",
            "string",
            "what its actions are, in a phrase; NULL where not proposed",
            nullable=True,
        ),
        Column("source", "string", "where it comes from", allowed=("catalog", "file", "model", "import")),
        _CALL_ID,
    ),
    key=("domain_id",),
    references=(Reference("call_id", "calls", "call_id"),),
)

SEED_CONFIGS = Table(
    "seed_configs",
    "an accepted seed configuration",
    (
        Column("config_id", "string", "content id of the configuration"),
        Column("domain_id", "string", "its domain"),
        Column("n_truths", "int64", "number of truths", minimum=2),
        Column("n_actions", "int64", "number of actions", minimum=1),
        Column("truths", "list<string>", "all truths of the domain"),
        Column("actions", "list<string>", "all actions of the domain"),
        Column("config", "string", "the configuration (JSON)"),
        Column("warnings", "list<string>", "what the validator found and let pass"),
        Column("call_ids", "list<string>", "the model calls that produced it"),
    ),
    key=("config_id",),
    references=(Reference("domain_id", "domains", "domain_id"),),
)

OUTCOMES = Table(
    "outcomes",
    "one outcome state of an accepted configuration",
    (
        Column("config_id", "string", "the configuration"),
        Column("action", "string", "the action"),
        Column("state", "int64", "the state's number within its action, from 0", minimum=0),
        Column("kind", "string", "type of the outcome", allowed=("str", "float")),
        Column("label", "string", "the state's label, NULL for a range", nullable=True),
        Column("low", "float64", "lower bound (included), NULL for a label", nullable=True),
        Column(
            "high", "float64", "upper bound (excluded, but for the last one), NULL for a label", nullable=True
        ),
        Column("rules_out", "list<string>", "the truths that the state rules out"),
    ),
    key=("config_id", "action", "state"),
    references=(Reference("config_id", "seed_configs", "config_id"),),
)

REJECTIONS = Table(
    "rejections",
    "something that a check refused",
    (
        Column("stage", "string", "the stage that refused it"),
        Column("subject", "string", "what was refused: a name or an id"),
        Column("rule", "string", "the rule that it broke"),
        Column("message", "string", "value, expectation and remedy"),
        _CALL_ID,
    ),
    key=("stage", "subject", "rule", "message", "call_id"),
    references=(Reference("call_id", "calls", "call_id"),),
)

KUMO_INSTANCES = Table(
    "kumo_instances",
    "one task instance of KUMO",
    (
        Column("instance_id", "string", "canonical id: truths, actions and observed states"),
        Column("config_id", "string", "the configuration that it was drawn from"),
        Column("setting", "string", "easy, hard or NxM"),
        Column("n_truths", "int64", "number of truths", minimum=2),
        Column("n_actions", "int64", "number of actions", minimum=1),
        Column("n_valid", "int64", "number of valid truths", minimum=1),
        Column("seed", "int64", "the seed that it was drawn with"),
        Column("index", "int64", "its number within configuration and setting", minimum=0),
        Column("truths", "list<string>", "its truths, in the order shown"),
        Column("actions", "list<string>", "its actions, in the order shown"),
        Column("states", "list<int64>", "the observed state's number of each action"),
        Column("observations", "list<string>", "the observation of each action, numbers as text"),
        Column("valid_truths", "list<string>", "the truths that no observation rules out"),
        Column("expected_steps", "float64", "expected tests of the optimal policy (Algorithm 3)", minimum=0),
        Column("optimal_tests", "int64", "tests of the optimal policy on these observations", minimum=0),
        Column("golden", "list<string>", "the optimal policy's moves: its actions, then the truth it names"),
        Column("signature", "string", "sorted degrees of truths and of actions in the truth-action graph"),
    ),
    key=("instance_id",),
    references=(Reference("config_id", "seed_configs", "config_id"),),
)

BOOKS = Table(
    "books",
    "one version of a knowledge book",
    (
        Column("book_id", "string", "content id of instance, revision and text"),
        Column("instance_id", "string", "the instance that it explains"),
        Column("revision", "int64", "0 for the first version", minimum=0),
        Column("text", "string", "the book (Markdown)"),
        Column("author", "string", "template, or the model that wrote it"),
        Column(
            "verdict",
            "string",
            "what the check of its rules said; unchecked: an imported book",
            allowed=("passed", "failed", "unchecked"),
        ),
        Column("missing_rules", "list<string>", "rules of the instance that the book lacks"),
        Column("extra_rules", "list<string>", "rules of the book that the instance lacks"),
        Column("confirmed_rules", "list<string>", "exclusions that the book gives as confirmations"),
        Column("ambiguous_rules", "list<string>", "passages that leave open what is ruled out"),
        Column(
            "checked_by",
            "string",
            "symbolic: read by grammar; else the model that read it back",
            nullable=True,
        ),
        Column("is_replacement", "bool", "whether it stands in for a model's book that never passed"),
        Column("check_call_ids", "list<string>", "the model calls that read it back"),
        _CALL_ID,
    ),
    key=("book_id",),
    references=(
        Reference("instance_id", "kumo_instances", "instance_id"),
        Reference("call_id", "calls", "call_id"),
    ),
)

EPISODES = Table(
    "episodes",
    "one run of one player on one instance",
    (
        Column("episode_id", "string", "content id of instance, book, player and run"),
        Column("benchmark", "string", "the benchmark, such as kumo"),
        Column("instance_id", "string", "the instance that was played"),
        Column("book_id", "string", "the book that was shown, NULL where an import has none", nullable=True),
        Column("player", "string", "the player's name"),
        Column("run", "int64", "the run's number, from 0", minimum=0),
        Column("status", "string", "how it ended", allowed=EPISODE_STATUSES),
        Column("success", "bool", "whether a truth was named that no observation rules out"),
        Column("tests", "int64", "number of actions taken, repeated ones included", minimum=0),
        Column("tokens", "int64", "tokens of all its calls, NULL where no model played", nullable=True),
        Column("cost_usd", "float64", "cost of all its calls, NULL where unknown", nullable=True),
        Column("seconds", "float64", "how long it took", minimum=0, volatile=True),
    ),
    key=("episode_id",),
    references=(
        Reference("instance_id", "kumo_instances", "instance_id"),
        Reference("book_id", "books", "book_id"),
    ),
)

TURNS = Table(
    "turns",
    "one move of an episode",
    (
        Column("episode_id", "string", "the episode"),
        Column("turn", "int64", "the move's number, from 1", minimum=1),
        Column("kind", "string", "what the reply was read as", allowed=("action", "truth", "none")),
        Column("move", "string", "the action or truth, NULL where the reply named none", nullable=True),
        Column("observation", "string", "the observation of an action, numbers as text", nullable=True),
        Column("state", "int64", "the observed state's number", nullable=True, minimum=0),
        Column("reply", "string", "the reply's text where no call holds it: imported ones", nullable=True),
        _CALL_ID,
    ),
    key=("episode_id", "turn"),
    references=(
        Reference("episode_id", "episodes", "episode_id"),
        Reference("call_id", "calls", "call_id"),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        EDITIONS,
        CALLS,
        MESSAGES,
        DOMAINS,
        SEED_CONFIGS,
        OUTCOMES,
        REJECTIONS,
        KUMO_INSTANCES,
        BOOKS,
        EPISODES,
        TURNS,
        STATISTICS,
        EXTERNAL_SCORES,
        AUDITS,
    )
}
_NOT_STAGED = ("editions", "external_scores", "audits")
STAGED_TABLES: tuple[str, ...] = tuple(name for name in TABLES if name not in _NOT_STAGED)
