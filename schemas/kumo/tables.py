"""KUMO's own tables, beside the shared ones of `perennial.schemas.tables`."""

from perennial.schemas.kumo.things import BOOK_STYLES, BOOK_VERSIONS, ENGINES
from perennial.schemas.table_form import CALL_ID, Column, Reference, Table

DOMAINS = Table(
    "kumo_domains",
    "a proposed domain",
    (
        Column("domain_id", "string", "content id of name and goal"),
        Column("domain", "string", "the domain's name"),
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
        Column(
            "source",
            "string",
            "where it comes from; counterfactual: facts exchanged of the domain that the name begins with",
            allowed=("catalog", "file", "model", "world", "counterfactual", "import"),
        ),
        Column("world_kind", "string", "the kind of a synthetic world; NULL for others", nullable=True),
        Column(
            "world_sparsity",
            "string",
            "communities of a sparse world, and how often an action keeps what it says about others of "
            "them; NULL for other domains",
            nullable=True,
        ),
        CALL_ID,
    ),
    key=("domain_id",),
    references=(Reference("call_id", "calls", "call_id"),),
)

SEED_CONFIGS = Table(
    "kumo_seed_configs",
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
    references=(Reference("domain_id", "kumo_domains", "domain_id"),),
)

AUTHORED_DOMAINS = Table(
    "kumo_authored_domains",
    "what became of a domain that a model proposed",
    (
        Column("domain_id", "string", "the domain"),
        Column(
            "status",
            "string",
            "accepted: its first configuration was valid; repaired: a later one was; near_duplicate: it has "
            "the truths of another domain; dropped: none was valid",
            allowed=("accepted", "repaired", "near_duplicate", "dropped"),
        ),
        Column("versions", "int64", "number of versions of its configuration", minimum=0),
        Column("call_ids", "list<string>", "the model calls made for its configuration, in order"),
    ),
    key=("domain_id",),
    references=(Reference("domain_id", "kumo_domains", "domain_id"),),
)

OUTCOMES = Table(
    "kumo_outcomes",
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
    references=(Reference("config_id", "kumo_seed_configs", "config_id"),),
)

KUMO_INSTANCES = Table(
    "kumo_instances",
    "what a task instance of KUMO holds beside its row of `instances`",
    (
        Column("instance_id", "string", "canonical id: truths, actions and observed states"),
        Column("config_id", "string", "the configuration that it was drawn from"),
        Column("n_truths", "int64", "number of truths", minimum=2),
        Column("n_actions", "int64", "number of actions", minimum=1),
        Column("n_valid", "int64", "number of valid truths", minimum=1),
        Column("truths", "list<string>", "its truths, in the order shown"),
        Column("actions", "list<string>", "its actions, in the order shown"),
        Column("states", "list<int64>", "the observed state's number of each action"),
        Column("observations", "list<string>", "the observation of each action, numbers as text"),
        Column("valid_truths", "list<string>", "the truths that no observation rules out"),
        Column(
            "expected_steps",
            "float64",
            "expected tests of Algorithm 3's policy under its own outcome model, which uses the promise of "
            "how many truths are valid at the end only",
            minimum=0,
        ),
        Column("optimal_tests", "int64", "tests of Algorithm 3's policy on these observations", minimum=0),
        Column(
            "golden", "list<string>", "moves of Algorithm 3's policy: its actions, then the truth it names"
        ),
        Column(
            "promise_status",
            "string",
            "exact: promise_steps is the optimum; bounds: the limit of work was passed; none: the size is "
            "too large",
            allowed=("exact", "bounds", "none"),
        ),
        Column(
            "promise_steps",
            "float64",
            "expected tests of the optimum, which uses the promise of how many truths are valid throughout, "
            "under the sampler's prior (docs/kumo.md); with bounds those of the best policy known",
            nullable=True,
            minimum=0,
        ),
        Column(
            "promise_steps_low",
            "float64",
            "expected tests that no policy is below; equals promise_steps where exact",
            nullable=True,
            minimum=0,
        ),
        Column(
            "policy_steps",
            "float64",
            "expected tests of Algorithm 3's policy under the sampler's prior",
            nullable=True,
            minimum=0,
        ),
        Column(
            "promise_tests",
            "int64",
            "tests of the optimum on these observations; NULL unless exact",
            nullable=True,
            minimum=0,
        ),
        Column(
            "promise_golden",
            "list<string>",
            "moves of the optimum: its actions, then the truth named; NULL unless exact",
            nullable=True,
        ),
        Column("signature", "string", "sorted degrees of truths and of actions in the truth-action graph"),
    ),
    key=("instance_id",),
    extends="instances",
    references=(
        Reference("instance_id", "instances", "instance_id"),
        Reference("config_id", "kumo_seed_configs", "config_id"),
    ),
)

KUMO_DRAWS = Table(
    "kumo_draws",
    "how the instances of a configuration and setting were drawn",
    (
        Column("config_id", "string", "the configuration"),
        Column("setting", "string", "the setting"),
        Column("chunk", "int64", "which 10,000 of their instances, from 0", minimum=0),
        Column(
            "engine",
            "string",
            "what decided: python-sat or the compiled programme about lists of the balanced sampler; "
            "constructive: the sampler of 2025, which asks python-sat where it fails",
            allowed=ENGINES,
        ),
        Column("solver", "string", "the solver and its version"),
        Column("instances", "int64", "number of instances", minimum=0),
        Column(
            "lists",
            "int64",
            "lists of truths and actions that were judged, random ones and those of walks; 0 with the "
            "sampler of 2025",
            minimum=0,
        ),
        Column(
            "refused", "int64", "lists that were refused, or selections that no observations fit", minimum=0
        ),
        Column(
            "walked", "int64", "instances from walks, where random lists are hardly ever balanced", minimum=0
        ),
        Column("duplicates", "int64", "instances that were drawn again because they were taken", minimum=0),
        Column("solver_calls", "int64", "questions to the solver", minimum=0),
        Column("checked", "int64", "lists that both engines judged", minimum=0),
        Column("disagreements", "int64", "of those the ones that they judged differently", minimum=0),
    ),
    key=("config_id", "setting", "chunk"),
    references=(Reference("config_id", "kumo_seed_configs", "config_id"),),
)

BOOKS = Table(
    "kumo_books",
    "one version of an instance's knowledge book",
    (
        Column("book_id", "string", "content id of instance, revision and text"),
        Column("instance_id", "string", "the instance that it explains"),
        Column("revision", "int64", "0 for the first version of the instance's book", minimum=0),
        Column(
            "version",
            "string",
            "final: players are shown it, unless they are shown first (the draft that a model's final one "
            "is a revision of), second (by the second writer, beside the first's) or template (the "
            "template's, beside a model's); draft, second-draft: shown to nobody",
            allowed=BOOK_VERSIONS,
        ),
        Column("text", "string", "the book (Markdown)"),
        Column("author", "string", "template, or the model that wrote it"),
        Column(
            "style", "string", "its form, NULL where no template wrote it", nullable=True, allowed=BOOK_STYLES
        ),
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
            "other_text",
            "int64",
            "characters of sentences that carry no rule, definition or heading; a model's book with more "
            "than a tenth of them failed",
            minimum=0,
        ),
        Column(
            "checked_by",
            "string",
            "symbolic: read by grammar; else the model that read it back",
            nullable=True,
        ),
        Column("is_replacement", "bool", "whether it replaces a model's book that never passed"),
        Column("check_call_ids", "list<string>", "the model calls that read it back"),
        Column(
            "judged_by",
            "string",
            "the model that judged it against its rules, NULL without a judge",
            nullable=True,
        ),
        Column(
            "judged_right",
            "bool",
            "whether the judge held it to be right, NULL where no reply said so",
            nullable=True,
        ),
        Column("judge_call_ids", "list<string>", "the model calls that judged it"),
        CALL_ID,
    ),
    key=("book_id",),
    references=(
        Reference("instance_id", "instances", "instance_id"),
        Reference("call_id", "calls", "call_id"),
    ),
)

KUMO_EPISODES = Table(
    "kumo_episodes",
    "what an episode of KUMO holds beside its row of `episodes`",
    (
        Column("episode_id", "string", "the episode"),
        Column("book_id", "string", "the book that was shown, NULL where an import has none", nullable=True),
        Column("tests", "int64", "number of actions taken, repeated ones included", minimum=0),
        Column(
            "decided",
            "bool",
            "whether the outcomes seen made some truth sure to be valid; NULL where these were reports, and "
            "of imported runs",
            nullable=True,
        ),
    ),
    key=("episode_id",),
    extends="episodes",
    references=(
        Reference("episode_id", "episodes", "episode_id"),
        Reference("book_id", "kumo_books", "book_id"),
    ),
    kind="answers",
)

KUMO_MOVES = Table(
    "kumo_moves",
    "one turn of KUMO: the action or answer read from the reply; its observation is the turn's feedback",
    (
        Column("episode_id", "string", "the episode"),
        Column("turn", "int64", "the turn's number, from 1", minimum=1),
        Column("player", "string", "who made it: the episode's player"),
        Column("kind", "string", "what was read from the reply", allowed=("action", "truth", "none")),
        Column("move", "string", "the action or truth, NULL where the reply named none", nullable=True),
        Column("state", "int64", "the observed state's number", nullable=True, minimum=0),
    ),
    key=("episode_id", "turn"),
    extends="turns",
    references=(Reference("episode_id", "episodes", "episode_id"),),
    kind="answers",
)

KUMO_BELIEFS = Table(
    "kumo_beliefs",
    "an episode of KUMO whose outcomes were reported (version reliability-N): exact probabilities",
    (
        Column("episode_id", "string", "the episode"),
        Column("reliability", "float64", "probability that a report is the true outcome", minimum=0),
        Column(
            "probability",
            "float64",
            "probability that the truth named is valid, given the reports seen; NULL where none was named",
            nullable=True,
            minimum=0,
        ),
        Column("largest", "float64", "probability of the likeliest truth, given the reports seen", minimum=0),
        Column(
            "stated",
            "float64",
            "probability that the player stated of its answer; NULL where it named or stated none",
            nullable=True,
            minimum=0,
        ),
        Column(
            "optimum_success",
            "float64",
            "success rate of the best play, expected before it",
            minimum=0,
        ),
        Column("optimum_tests", "float64", "tests of the best play, expected before it", minimum=0),
        Column(
            "optimum_count",
            "float64",
            "count of the best play, expected before it: tests + 1, all actions + 1 where it is wrong",
            minimum=1,
        ),
    ),
    key=("episode_id",),
    references=(Reference("episode_id", "episodes", "episode_id"),),
    kind="answers",
)

KUMO_OUTCOME_RUNS = Table(
    "kumo_outcome_runs",
    "a player's imported runs on an instance that the release leaves out, and how many succeeded",
    (
        Column("player", "string", "the player, mostly a training checkpoint"),
        Column("domain", "string", "the domain"),
        Column("setting", "string", "the setting"),
        Column("seed", "int64", "the instance's seed in the release, which tells instances apart"),
        Column("runs", "int64", "number of runs", minimum=1),
        Column("solved", "int64", "how many of them succeeded", minimum=0),
    ),
    key=("player", "domain", "setting", "seed"),
    kind="answers",
)

KUMO_TABLES = (
    *(DOMAINS, AUTHORED_DOMAINS, SEED_CONFIGS, OUTCOMES),
    *(KUMO_DRAWS, KUMO_INSTANCES, BOOKS, KUMO_EPISODES, KUMO_MOVES, KUMO_BELIEFS, KUMO_OUTCOME_RUNS),
)
