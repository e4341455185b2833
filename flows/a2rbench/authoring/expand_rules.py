"""Stage `expansions`: the items of the rules that models wrote: V0, and variations that a model chose.

The rules of a cell are expanded at the same time, each with its variations in order. Which rows come of it
depends on the replies alone, not on their order.
"""

import asyncio
from dataclasses import asdict
from functools import partial
from itertools import count

from perennial.flows.a2rbench.authoring.authored_seeds import (
    AuthoredSeed,
    distinct_seeds,
    expansion_batches,
    seeds_of,
)
from perennial.flows.a2rbench.edition import jail_of, plan_of
from perennial.flows.a2rbench.grow_items import rejection_rows, shared_row
from perennial.flows.console import progress
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.threads import available_threads
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig, in_one_line, shorten
from perennial.schemas.rows import Rows
from perennial.tasks.a2rbench.expansion import Expansion, ExpansionRequest, expand_rule
from perennial.tasks.a2rbench.growing import (
    GrownSeed,
    Rejected,
    SeedRequest,
    gate_seeds,
    remove_known,
    write_items,
)
from perennial.tasks.a2rbench.items import AuthoredRule, check_items
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.tier import Jail
from perennial.warehouse.editions.issued_ids import issued_instances

FAILED = "failed_at_gate"
_LONGEST_WHY = 300
_TABLES = ("instances", "a2rbench_items", "a2rbench_attempts", "rejections")


def expand(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of the items of a cell's rules by models, of every step, and of what is missing.

    Raises UnusableConfig where models alone write the rules and no cell has an item.
    """
    jail = jail_of(plan_of(workspace), policies)
    tables = run_session(workspace, policies.calls, partial(_expand_all, workspace, batch.key[0], jail))
    if not tables["a2rbench_items"]:
        _require_items(workspace, batch, tables["rejections"])
    return tables


async def _expand_all(
    workspace: Workspace, domain: str, jail: Jail, session: ModelSession
) -> dict[str, Rows]:
    calls = session.batch()
    asker = session.json_asker(calls)
    slots = asyncio.Semaphore(available_threads())
    ended = count(1)
    distinct = distinct_seeds(workspace)
    seeds = seeds_of(workspace, domain)
    own = [seed for seed in seeds if distinct[seed.rule.name] == seed]

    async def grow(seed: AuthoredSeed) -> tuple[Expansion, GrownSeed]:
        request = _request(workspace, seed, jail)
        expansion = await expand_rule(asker, request, slots)
        async with slots:
            grown = await asyncio.to_thread(_write, request.seed, expansion)
        progress.note_part(next(ended) / len(own))
        return expansion, grown

    tables: dict[str, Rows] = {name: [] for name in _TABLES}
    known = _ids_of_earlier_cells(workspace, domain)
    for seed, (expansion, grown) in zip(own, await settle_all(map(grow, own)), strict=True):
        kept = remove_known(grown, known)
        known.update(item.instance_id for item in kept.items)
        tables["instances"] += [shared_row(item, seed.number, workspace.growth.seed) for item in kept.items]
        tables["a2rbench_items"] += map(asdict, kept.items)
        tables["a2rbench_attempts"] += _attempt_rows(workspace, seed, expansion)
        tables["rejections"] += rejection_rows("expansions", seed.rule.name, seed.number, kept.rejected)
    for seed in seeds:
        if seed not in own:
            first = distinct[seed.rule.name]
            why = f"the code is that of seed {first.number} of {first.domain}"
            rejected = [Rejected(0, "same_code", why)]
            tables["rejections"] += rejection_rows("expansions", seed.rule.name, seed.number, rejected)
    return calls.add_to(tables)


def _request(workspace: Workspace, seed: AuthoredSeed, jail: Jail) -> ExpansionRequest:
    plan = plan_of(workspace)
    authoring = plan.authoring
    return ExpansionRequest(
        SeedRequest(
            seed.rule,
            seed.number,
            range(plan.variations + 1),
            plan.remapping,
            workspace.seed,
            jail,
            issued_instances(workspace.staging.store, workspace.growth.known_editions),
        ),
        seed.inputs,
        authoring.choice("expander", authoring.expander or seed.rule.author),
        authoring.choice("judge", authoring.judge),
        authoring.retries,
    )


def _write(request: SeedRequest[AuthoredRule], expansion: Expansion) -> GrownSeed:
    """Return the items of the variations that were found; none without V0."""
    if 0 not in expansion.drawn:
        return GrownSeed([], list(expansion.rejected))
    try:
        grown = _drop_faulty(request, write_items(request, expansion.drawn))
    except Refused as error:
        refused = Rejected(0, "refused_by_sandbox", error.detail)
        return GrownSeed([], [*expansion.rejected, refused])
    return GrownSeed(grown.items, [*expansion.rejected, *grown.rejected])


def _drop_faulty(request: SeedRequest[AuthoredRule], grown: GrownSeed) -> GrownSeed:
    """Return the seed, without any item where the gate finds a fault in one: then its rule is not sound.

    Stage `gate` reads what is staged once more; there a fault stops the refresh, as it is not the rule's.
    """
    tested = check_items(request.rule, grown.items, request.jail, gate_seeds(request.rule, request.seed))
    if not tested.faults:
        return grown
    why = f"the gate refuses its rule: {shorten(in_one_line(tested.faults[0]), _LONGEST_WHY)}"
    lost = [Rejected(item.variation, FAILED, why) for item in grown.items if not item.is_remapped]
    return GrownSeed([], [*(each for each in grown.rejected if each.rule != "not_remapped"), *lost])


def _require_items(workspace: Workspace, batch: Batch, rejections: Rows) -> None:
    """Raise UnusableConfig where models write all rules, this is the last cell, and no cell has an item."""
    authors = plan_of(workspace).authoring
    if CATALOGUE in authors.authors:
        return
    for other in expansion_batches(workspace):
        if other != batch and (
            not workspace.is_done(other) or workspace.column(other, "a2rbench_items", "instance_id")
        ):
            return
    said = next((f"; {row['subject']}: {row['message']}" for row in rejections), "")
    raise UnusableConfig(
        f"no rule of {', '.join(authors.models)} gave an item that holds{said}; try another model, or name "
        "catalogue among --author"
    )


def _ids_of_earlier_cells(workspace: Workspace, domain: str) -> set[str]:
    """Return the ids of the items of the cells before this one: two authors may choose the same inputs."""
    earlier = [Batch("expansions", (each,)) for each in DOMAINS[: DOMAINS.index(domain)]]
    return {
        id_
        for batch in earlier
        if workspace.is_done(batch)
        for id_ in workspace.column(batch, "a2rbench_items", "instance_id")
    }


def _attempt_rows(workspace: Workspace, seed: AuthoredSeed, expansion: Expansion) -> Rows:
    author = plan_of(workspace).authoring.expander or seed.rule.author
    place = {"domain": seed.domain, "number": seed.number, "author": author}
    return [{**place, **asdict(attempt)} for attempt in expansion.attempts]
