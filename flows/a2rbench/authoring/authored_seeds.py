"""The rules of an edition that models wrote, as stage `rules` staged them."""

import json
from dataclasses import dataclass

from perennial.flows.a2rbench.edition import plan_of
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.a2rbench.things import DOMAINS, RULE_TYPES, SHAPES
from perennial.schemas.benchmark import Batch
from perennial.schemas.rows import Row
from perennial.tasks.a2rbench.catalogue.rule import DIMENSIONS, Value
from perennial.tasks.a2rbench.items import AuthoredRule


@dataclass(frozen=True, slots=True)
class AuthoredSeed:
    """A rule that a model wrote, its number among the seeds of its cell, and inputs of V0, the query last."""

    domain: str
    number: int
    rule: AuthoredRule
    inputs: list[Value]


def seeds_of(workspace: Workspace, domain: str) -> list[AuthoredSeed]:
    """Return the seeds of a cell that models wrote, by number; none before they are staged."""
    batch = Batch("rules", (domain,))
    if not plan_of(workspace).authoring.models or not workspace.is_done(batch):
        return []
    rows = workspace.rows(batch, "a2rbench_rules")
    return [_seed_of(row) for row in sorted(rows, key=lambda row: int(row["number"]))]


def distinct_seeds(workspace: Workspace) -> dict[str, AuthoredSeed]:
    """Return the seeds of all cells that models wrote, by the rule's name: of equal rules the first one.

    A name is a content id of code. Two authors may write the same; its items are made once.
    """
    found: dict[str, AuthoredSeed] = {}
    for domain in DOMAINS:
        for seed in seeds_of(workspace, domain):
            found.setdefault(seed.rule.name, seed)
    return found


def expansion_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each cell with rules that models wrote."""
    return [Batch("expansions", (domain,)) for domain in DOMAINS if seeds_of(workspace, domain)]


def gate_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch of the gate for each rule that a model wrote."""
    return [Batch("gate", (seed.domain, name)) for name, seed in distinct_seeds(workspace).items()]


def _seed_of(row: Row) -> AuthoredSeed:
    shape, _, type_ = row["domain"].partition("_")
    rule = AuthoredRule(
        name=row["rule"],
        author=row["author"],
        dimension=DIMENSIONS[SHAPES.index(shape)],
        type=RULE_TYPES[RULE_TYPES.index(type_)],
        description=row["description"],
        inverse_description=row["inverse_description"],
        code=row["code"],
    )
    return AuthoredSeed(row["domain"], row["number"], rule, json.loads(row["inputs"]))
