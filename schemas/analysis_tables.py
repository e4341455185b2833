"""The tables of computed figures: statistics, the audit, and scores of other benchmarks."""

from schemas.table_form import Column, Table

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
    ),
    key=("benchmark", "player", "source"),
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
    ),
    key=("suite", "expectation"),
    kind="either",
)
