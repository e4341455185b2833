"""A2RBench's own tables, beside the shared ones of `perennial.schemas.tables`."""

from perennial.schemas.a2rbench.things import ANALYSIS, DOMAINS, PARSE_KINDS, RULE_TYPES, STEPS, TIERS
from perennial.schemas.table_form import Column, Disclosure, Reference, Table, analyses_table

_ITS_RULE = Disclosure(("rule",), "a2rbench_items", ("rule",))

ITEMS = Table(
    "a2rbench_items",
    "an item: examples and a query of a hidden rule, beside its row of `instances`",
    (
        Column("instance_id", "string", "content id of examples and query"),
        Column("seed_item", "string", "the item of variation V0 with the same rule and seed number"),
        Column("rule", "string", "the rule's name"),
        Column("author", "string", "where the rule is from: drawn, catalogue, or the model that wrote it"),
        Column(
            "type", "string", "symbolic: structure alone; semantic: tokens mean something", allowed=RULE_TYPES
        ),
        Column("dimension", "int64", "1: a list, 2: a grid, 3: a cube of tokens", minimum=1, maximum=3),
        Column("variation", "int64", "V0 the seed, V1-V3 standard, V4-V6 edge, V7-V9 complex", minimum=0),
        Column("is_remapped", "bool", "whether it is a copy of another item in other tokens (P1)"),
        Column("of", "string", "the item that it is a copy of, NULL where it is none", nullable=True),
        Column("description", "string", "the rule in words"),
        Column("inverse_description", "string", "the inverse rule in words"),
        Column("code", "string", "the rule as a Python script: transform_grid and its inverse"),
        Column("examples", "string", "pairs of input and output (JSON)"),
        Column("query", "string", "the input whose output is asked for (JSON)"),
        Column("answer", "string", "that output (JSON)"),
        Column("phi", "string", "the token that stands for each (JSON), NULL in an original", nullable=True),
        Column(
            "commutes",
            "bool",
            "whether the rule gives renamed outputs for renamed inputs, NULL where that was not tried",
            nullable=True,
        ),
        Column(
            "fits",
            "int64",
            "programs that fit the examples: one or two catalogue rules, or another with another answer",
            minimum=0,
        ),
        Column("fits_other", "int64", "of these, those that give another answer", minimum=0),
        Column("max_loop_depth", "int64", "loops around each other in transform_grid", minimum=0),
        Column("total_ifs", "int64", "conditions in transform_grid", minimum=0),
        Column("max_if_depth", "int64", "conditions inside each other", minimum=0),
        Column("max_complexity", "int64", "most decisions of one function plus one", minimum=1),
        Column("mutability", "int64", "changes in place", minimum=0),
        Column("return_complexity", "int64", "decisions in returned expressions, each plus one", minimum=0),
        Column("gzip", "float64", "compressed over original size of its inputs, by gzip", minimum=0),
        Column("deflate", "float64", "the same by deflate, without a header", minimum=0),
        Column("prompt", "string", "the text that players are shown"),
        Column("template_hash", "string", "hash of the template that the prompt was made from"),
        Column("rejected_draws", "int64", "draws of inputs that were refused before its own", minimum=0),
        Column("steps", "string", "of a drawn rule its alphabet and steps (JSON), else NULL", nullable=True),
    ),
    key=("instance_id",),
    extends="instances",
    references=(
        Reference("instance_id", "instances", "instance_id"),
        Reference("seed_item", "instances", "instance_id"),
        Reference("of", "instances", "instance_id"),
    ),
)

GATE = Table(
    "a2rbench_gate",
    "what the gate ran and found of the items of one rule before anybody played",
    (
        Column("domain", "string", "the cell", allowed=DOMAINS),
        Column("rule", "string", "the rule"),
        Column("items", "int64", "items that were tested", minimum=0),
        Column("outputs", "int64", "outputs that the code gave again, in a fresh process", minimum=0),
        Column("cycles", "int64", "of these, turned back into their inputs by the inverse", minimum=0),
        Column("unique", "int64", "items on which all programs that fit agree", minimum=0),
        Column("prompts", "int64", "prompts that were read back to examples and query", minimum=0),
        Column("copies", "int64", "remapped items that are the image of their original", minimum=0),
        Column("tier", "string", "protection of the processes that ran the code", allowed=TIERS),
    ),
    key=("domain", "rule"),
    discloses=(_ITS_RULE,),
)

ANSWERS = Table(
    "a2rbench_answers",
    "what was read of an episode's reply, beside its row of `episodes`",
    (
        Column("episode_id", "string", "the episode"),
        Column("answer", "string", "the final answer (JSON), NULL where none was read", nullable=True),
        Column("rule", "string", "the rule in the player's words, NULL where none was read", nullable=True),
        Column("parse", "string", "who read it: program, judge, none", allowed=PARSE_KINDS),
        Column(
            "format_level",
            "int64",
            "1: strict JSON in the form that was asked for; 2: JSON5, or a broken object; 3: another form; "
            "NULL where the program read no answer",
            nullable=True,
            minimum=1,
            maximum=3,
        ),
        Column("collapsed", "bool", "whether the reply has no usable answer, for the judge neither"),
        Column("judge_call_id", "string", "the judge's call, NULL where none was asked", nullable=True),
    ),
    key=("episode_id",),
    extends="episodes",
    references=(
        Reference("episode_id", "episodes", "episode_id"),
        Reference("judge_call_id", "calls", "call_id"),
    ),
    kind="answers",
)

RULES = Table(
    "a2rbench_rules",
    "a rule that a model wrote and that passed all checks",
    (
        Column("rule", "string", "the rule's name: a content id of its code"),
        Column("domain", "string", "the cell", allowed=DOMAINS),
        Column("number", "int64", "number of the seed in its cell", minimum=0),
        Column("author", "string", "the model that wrote it"),
        Column("description", "string", "the rule in words"),
        Column("inverse_description", "string", "the inverse rule in words"),
        Column("code", "string", "the rule as a Python script: transform_grid and its inverse"),
        Column("inputs", "string", "inputs of V0, the query last (JSON)"),
        Column("call_ids", "list<string>", "calls that wrote and judged it, in order"),
    ),
    key=("domain", "number"),
    discloses=(_ITS_RULE,),
)

ATTEMPTS = Table(
    "a2rbench_attempts",
    "a step of writing a rule or a variation: whether it passed, or why not",
    (
        Column("domain", "string", "the cell", allowed=DOMAINS),
        Column("number", "int64", "number of the seed in its cell", minimum=0),
        Column("variation", "int64", "0 the seed, 1 to 9 a variation", minimum=0, maximum=9),
        Column("candidate", "int64", "which rule for this seed, from 1", minimum=1),
        Column("step", "string", "what was tried", allowed=STEPS),
        Column("attempt", "int64", "how often this step was tried, from 1", minimum=1),
        Column("author", "string", "the model that wrote what was tried"),
        Column("passed", "bool", "whether the next step follows"),
        Column("reason", "string", "why not, in a word, NULL where it passed", nullable=True),
        Column("message", "string", "why not, in one line, NULL where it passed", nullable=True),
        Column("call_id", "string", "the call, NULL where none was made: code that was run", nullable=True),
    ),
    key=("domain", "number", "variation", "candidate", "step", "attempt"),
    discloses=(Disclosure(("domain", "number"), "a2rbench_rules", ("domain", "number")),),
)

PUBLISHED = Table(
    "a2rbench_published",
    "a line of an imported file as it was read, and the item that it became",
    (
        Column("question_id", "string", "the line's own name"),
        Column("status", "string", "rejected: table rejections says why", allowed=("item", "rejected")),
        Column("line", "string", "the line (JSON): words, code, data"),
        Column("instance_id", "string", "the item, NULL where it is none", nullable=True),
    ),
    key=("question_id",),
    references=(Reference("instance_id", "instances", "instance_id"),),
)

A2RBENCH_TABLES = (
    ITEMS,
    RULES,
    ATTEMPTS,
    GATE,
    PUBLISHED,
    ANSWERS,
    analyses_table(ANALYSIS.table_name, (*ANALYSIS.wrong, *ANALYSIS.right), ANALYSIS.styles),
)
