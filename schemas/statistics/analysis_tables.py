"""The tables of computed figures: statistics, the audit, and scores of other benchmarks."""

from perennial.schemas.table_form import Column, Reference, Table

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
            "p-value after Holm's correction over its family of tests: one setting and kind of player",
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
