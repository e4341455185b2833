"""BeyondBench's own tables, beside the shared ones of `perennial.schemas.tables`."""

from perennial.schemas.beyondbench.things import SUITES, TOKEN_STATUSES
from perennial.schemas.table_form import Column, Reference, Table

INSTANCES = Table(
    "beyondbench_instances",
    "what a problem of BeyondBench holds beside its row of `instances`",
    (
        Column("instance_id", "string", "content id of the task and of what is shown"),
        Column("variation", "string", "the task's variation: with the task, the cell"),
        Column("suite", "string", "the task's suite", allowed=SUITES),
        Column("size", "int64", "the problem's size, in the task's unit", minimum=1),
        Column("prompt", "string", "the text that players are shown"),
        Column("template_hash", "string", "hash of the template that the prompt was made from"),
        Column("payload", "string", "the problem's parameters (JSON)"),
        Column("reference", "string", "the reference solution (JSON)"),
        Column("solutions", "int64", "number of solutions that are known", minimum=1),
        Column("solutions_complete", "bool", "whether these are all solutions"),
        Column("space_log10", "float64", "log10 of how many problems there are of this variation and size"),
        Column("space_exact", "bool", "whether that is exact; a lower bound otherwise"),
        Column(
            "unlike_paper",
            "string",
            "what the cell asks where that is not what the paper's or its authors' program asks, else NULL",
            nullable=True,
        ),
        Column("prompt_tokens", "int64", "tokens of the prompt, counted or estimated as the plan says"),
        Column("solution_tokens", "int64", "estimated tokens of a written solution"),
        Column(
            "context_tokens", "int64", "the budget of tokens that prompt and solution had to fit", minimum=1
        ),
        Column("rejected_draws", "int64", "draws that its generator rejected before it", minimum=0),
        Column("reused", "bool", "whether an earlier edition holds it too: its space was exhausted"),
    ),
    key=("instance_id",),
    extends="instances",
    references=(Reference("instance_id", "instances", "instance_id"),),
)

GATE = Table(
    "beyondbench_gate",
    "what the gate tried on the problems of one variation before anybody played",
    (
        Column("domain", "string", "the task"),
        Column("variation", "string", "the task's variation"),
        Column("problems", "int64", "problems that were tested", minimum=0),
        Column("mutations", "int64", "changed answers that the grader was given", minimum=0),
        Column("refused", "int64", "of these, refused by the grader", minimum=0),
        Column("also_right", "int64", "of these, accepted, and right by the independent checker", minimum=0),
        Column("unique", "int64", "problems whose solution was proved to be the only one", minimum=0),
    ),
    key=("domain", "variation"),
)

ANSWERS = Table(
    "beyondbench_answers",
    "what was read of an episode's reply and how it was graded, beside its row of `episodes`",
    (
        Column("episode_id", "string", "the episode"),
        Column("answer", "string", "the answer that was read (JSON), NULL where none was", nullable=True),
        Column(
            "parse_level",
            "int64",
            "how it was read: 1 exactly as required, 2 another notation, 3 last in the text, 4 last number, "
            "0 not at all",
            minimum=0,
            maximum=4,
        ),
        Column("instruction_followed", "bool", "whether the answer had exactly the required format"),
        Column("detail", "string", "why the grader refused it, NULL where it did not", nullable=True),
        Column(
            "is_best",
            "bool",
            "whether it is a best answer, NULL where the task knows no better and worse right answers or "
            "none was read",
            nullable=True,
        ),
        Column(
            "token_status",
            "string",
            "VALID: at most 85 % of the player's budget, WARNING: at most all, OVERFLOW: more, or cut off; "
            "NULL where no tokens were reported",
            nullable=True,
            allowed=TOKEN_STATUSES,
        ),
        Column(
            "context_tokens",
            "int64",
            "the player's budget of tokens, NULL for a program or a person",
            nullable=True,
        ),
    ),
    key=("episode_id",),
    extends="episodes",
    references=(Reference("episode_id", "episodes", "episode_id"),),
    kind="answers",
)

BEYONDBENCH_TABLES = (INSTANCES, GATE, ANSWERS)
