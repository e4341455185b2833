"""The stages by which an edition of A2RBench grows, declared once."""

from functools import partial

from perennial.flows.a2rbench import check_items, grow_items
from perennial.flows.a2rbench.authoring import author_rules, expand_rules
from perennial.flows.a2rbench.authoring.authored_seeds import expansion_batches, gate_batches
from perennial.flows.a2rbench.edition import batches_of
from perennial.flows.benchmark import Stage, always
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch


def _gate_batches(workspace: Workspace) -> list[Batch]:
    return [*batches_of(workspace, "gate"), *gate_batches(workspace)]


STAGES = (
    Stage(
        author_rules.STAGE,
        "Lets models write the rules of their seeds, judged and run before any item is made of them.",
        author_rules.rule_batches,
        author_rules.author,
        writes=("a2rbench_rules", "a2rbench_attempts", "rejections"),
        earlier=("a2rbench_rules", "instances"),
    ),
    Stage(
        "items",
        "Draws inputs of each variation of a rule and runs its code on them; copies symbolic items in other "
        "tokens.",
        partial(batches_of, stage="items"),
        grow_items.grow,
        writes=("instances", "a2rbench_items", "rejections"),
        earlier=("instances",),
        spreads=always,
    ),
    Stage(
        "expansions",
        "Runs the rules that models wrote, and lets a model choose the inputs of their variations.",
        expansion_batches,
        expand_rules.expand,
        reads=("a2rbench_rules",),
        writes=("instances", "a2rbench_items", "a2rbench_attempts", "rejections"),
        earlier=("instances",),
    ),
    Stage(
        "gate",
        "Runs each item again in a fresh process, searches for other rules that fit, reads its prompt back.",
        _gate_batches,
        check_items.check_rule,
        reads=("a2rbench_rules", "a2rbench_items"),
        writes=("a2rbench_gate",),
        spreads=always,
    ),
)
