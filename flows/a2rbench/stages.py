"""The stages that grow an edition: rules and variations by models and what they cost, items, the gate."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count

from perennial.flows.a2rbench.edition import item_of, jail_of, plan_of, rejection_rows, rules_of, shared_row
from perennial.flows.console import progress
from perennial.flows.stages.estimates import estimate_asking
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.workspace import Policies, Workspace, available_threads, refuse_faults
from perennial.schemas.a2rbench.things import (
    DOMAINS,
    OURS,
    RULE_TYPES,
    SHAPES,
    A2RBenchPlan,
    AuthorRole,
    RuleType,
    name_domain,
)
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig, in_one_line, shorten
from perennial.schemas.ids import canonical_json
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.tasks.a2rbench.authored_code import EarlierCode, TestedRule, find_twin
from perennial.tasks.a2rbench.catalogue import DIMENSIONS, Dimension, Value
from perennial.tasks.a2rbench.expansion import Expansion, ExpansionRequest, expand_rule
from perennial.tasks.a2rbench.growing import (
    GrownSeed,
    Rejected,
    SeedRequest,
    gate_seeds,
    grow_seed,
    remove_known,
    write_items,
)
from perennial.tasks.a2rbench.items import AuthoredRule, CodedRule, check_items
from perennial.tasks.a2rbench.rule_author import RuleRequest, RuleWork, write_rule
from perennial.tasks.authors import count_causes
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, find_protection
from perennial.warehouse.a2rbench.published_rules import published_codes
from perennial.warehouse.editions.issued_ids import issued_instances

# Stage `rules`: models write the rules of those seeds of a cell whose author is a model.

STAGE = "rules"
_CELLS: dict[str, tuple[Dimension, RuleType]] = {
    name_domain(dimension, type_): (dimension, type_) for dimension in DIMENSIONS for type_ in RULE_TYPES
}


def authored_numbers(plan: A2RBenchPlan) -> list[int]:
    """Return the numbers of the seeds of each cell whose rule a model writes."""
    return [number for number in range(plan.seeds) if plan.authoring.author_of(number) not in OURS]


def rule_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each cell; none where no model writes rules."""
    if not authored_numbers(plan_of(workspace)):
        return []
    return [Batch(STAGE, (domain,)) for domain in DOMAINS]


def author(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rules that models wrote for one cell, all steps they took, and the seeds without a rule.

    Raises UnusableConfig where models alone write the rules and no seed of any cell got one.
    """
    (domain,) = batch.key
    jail = jail_of(plan_of(workspace), policies)
    tables = run_session(workspace, policies.calls, partial(_author_cell, workspace, domain, jail))
    if _is_last_without(workspace, batch, rule_batches, "a2rbench_rules", tables):
        messages = ((row["rule"], f"{row['subject']}: {row['message']}") for row in tables["rejections"])
        raise UnusableConfig(
            f"no seed of any cell got a rule from {', '.join(plan_of(workspace).authoring.models)}: "
            f"{count_causes(messages)}; try another model, or name drawn among --author"
        )
    return tables


async def _author_cell(
    workspace: Workspace, domain: str, jail: Jail, session: ModelSession
) -> dict[str, Rows]:
    store, editions = workspace.staging.store, workspace.growth.known_editions
    earlier = EarlierCode(published_codes(store, editions, domain), issued_instances(store, editions))
    calls = session.batch()
    plan = plan_of(workspace)
    dimension, type_ = _CELLS[domain]
    with ThreadPoolExecutor(available_threads(), "sandbox") as pool:
        works = [
            RuleWork(
                RuleRequest(
                    dimension,
                    type_,
                    number,
                    plan.authoring.author_of(number),
                    plan.authoring,
                    workspace.seed,
                    earlier,
                    jail,
                    pool,
                )
            )
            for number in authored_numbers(plan)
        ]
        await write_all(session.json_asker(calls), works, pool)
    return calls.add_to(_rows(domain, works))


async def write_all(ask: JsonAsker, works: list[RuleWork], pool: Executor) -> None:
    """Let all seeds of a cell get a rule of their own: the one of the lower number keeps what two wrote.

    Rules are compared when all are written, so that what is kept does not depend on the order of replies.
    """
    await settle_all(write_rule(ask, work) for work in works)
    kept: list[TestedRule] = []
    for work in works:
        while work.tested is not None:
            codes = [tested.rule.code for tested in kept]
            find = partial(find_twin, work.tested, codes, work.request.jail)
            twin = await asyncio.get_running_loop().run_in_executor(pool, find)
            if not twin:
                kept.append(work.tested)
                break
            work.refuse_twin(twin)
            await write_rule(ask, work)


def _rows(domain: str, works: list[RuleWork]) -> dict[str, Rows]:
    tables: dict[str, Rows] = {"a2rbench_rules": [], "a2rbench_attempts": [], "rejections": []}
    for work in works:
        number, name = work.request.number, work.request.author
        seed_key = {"domain": domain, "number": number}
        tables["a2rbench_attempts"] += [
            {**seed_key, "author": name, **asdict(row)} for row in work.attempts.rows
        ]
        if work.tested is None:
            tables["rejections"].append(_rejection(domain, work))
            continue
        rule = work.tested.rule
        tables["a2rbench_rules"].append(
            {
                **seed_key,
                "rule": rule.name,
                "author": name,
                "description": rule.description,
                "inverse_description": rule.inverse_description,
                "code": rule.code,
                "inputs": canonical_json(work.tested.puzzle.inputs),
                "call_ids": work.call_ids,
            }
        )
    return tables


def _rejection(domain: str, work: RuleWork) -> dict[str, object]:
    last = next(row for row in reversed(work.attempts.rows) if not row.passed)
    assert last.reason is not None
    return Rejection(
        STAGE,
        f"{domain} seed {work.request.number} by {work.request.author}",
        last.reason,
        f"no rule after {work.candidate} of {work.request.plan.candidates} candidates; the last one ended "
        f"with step {last.step}: {last.message}",
        next((row.call_id for row in reversed(work.attempts.rows) if row.call_id), None),
    ).row()


def _is_last_without(
    workspace: Workspace,
    batch: Batch,
    batches_of: Callable[[Workspace], list[Batch]],
    table: str,
    made: dict[str, Rows],
) -> bool:
    """Whether models write all rules, this is the last cell, and neither it nor another one has a row."""
    authoring = plan_of(workspace).authoring
    if made[table] or len(authoring.models) < len(authoring.authors):
        return False
    others = (other for other in batches_of(workspace) if other != batch)
    return all(workspace.is_done(other) and not workspace.rows(other, table) for other in others)


# The rules of an edition that models wrote, as stage `rules` staged them.


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
    distinct: dict[str, AuthoredSeed] = {}
    for domain in DOMAINS:
        for seed in seeds_of(workspace, domain):
            distinct.setdefault(seed.rule.name, seed)
    return distinct


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


# How many calls the authors of rules and of variations need, and what they cost, before any is made.

# Tokens of a prompt, which has the former reply in a repeat; of a reply without and with long reasoning.
_PROMPTS: dict[str, int] = {"designer": 1_500, "architect": 1_200, "judge": 1_500}
_REPLIES: dict[str, int] = {"designer": 400, "architect": 1_200, "judge": 250}
_LONG_REPLY = 8_000
# Of an expander: a prompt with code, without its history; a variation in the history; inputs in a reply.
_EXPANDED, _PAST, _INPUTS = 1_200, 500, 700
# Of a judge of inputs: its prompt, and its reply.
_JUDGED, _JUDGEMENT = 900, 100


def estimate_authors(plan: A2RBenchPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of designers, architects and judge; none where no model writes rules.

    At least, each step passes at once: a rule, its judgement, code, its judgement. At most, all candidates
    and all repeats are used up; of the judge, after each code that was run.
    """
    authoring, seeds = plan.authoring, _seeds_by_author(plan)
    tries = authoring.retries + 1

    def estimate(role: AuthorRole, model: str, low: int, high: int) -> StageEstimate:
        return estimate_asking(
            f"rules ({role})",
            authoring.choice(role, model),
            prices,
            calls=(low, high * authoring.candidates),
            prompt=(_PROMPTS[role], _PROMPTS[role] + _REPLIES[role]),
            reply=_REPLIES[role],
            long_reply=_LONG_REPLY,
        )

    stages = [
        estimate(role, name, number, number * tries)
        for name, number in seeds.items()
        for role in ("designer", "architect")
    ]
    if total := sum(seeds.values()):
        stages.append(estimate("judge", authoring.judge, 2 * total, total * (tries + tries * tries)))
    return stages


def estimate_expansions(plan: A2RBenchPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of each expander and of the judge: one call of each per variation, or all retries.

    At most, each candidate of the inputs is judged, and each judgement is asked for as often as it may be.
    """
    authoring = plan.authoring
    variations: dict[str, int] = {}
    for author, seeds in _seeds_by_author(plan).items():
        expander = authoring.expander or author
        variations[expander] = variations.get(expander, 0) + seeds * plan.variations
    total = sum(variations.values())
    if not total:
        return []
    tries = authoring.retries + 1
    history = _EXPANDED + _PAST * (plan.variations + 1) // 2
    estimate = partial(estimate_asking, prices=prices, long_reply=_LONG_REPLY)
    stages = [
        estimate(
            "expansions (expander)",
            authoring.choice("expander", name),
            calls=(number, number * tries),
            prompt=(history, history),
            reply=_INPUTS,
        )
        for name, number in variations.items()
    ]
    judge = authoring.choice("judge", authoring.judge)
    calls = total, total * tries * tries
    prompt = _JUDGED, _JUDGED
    return [*stages, estimate("expansions (judge)", judge, calls=calls, prompt=prompt, reply=_JUDGEMENT)]


def _seeds_by_author(plan: A2RBenchPlan) -> dict[str, int]:
    authors = [plan.authoring.author_of(number) for number in range(plan.seeds)]
    return {name: authors.count(name) * len(DOMAINS) for name in dict.fromkeys(authors) if name not in OURS}


# Stage `expansions`: the items of the rules that models wrote: V0, and variations that a model chose.
#
# The rules of a cell are expanded at the same time, each with its variations in order. Which rows come of it
# depends on the replies alone, not on their order.

FAILED = "failed_at_gate"
_LONGEST_WHY = 300
_TABLES = ("instances", "a2rbench_items", "a2rbench_attempts", "rejections")


def expand(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of the items of a cell's rules by models, of every step, and of what is missing.

    Raises UnusableConfig where models alone write the rules and no cell has an item.
    """
    jail = jail_of(plan_of(workspace), policies)
    tables = run_session(workspace, policies.calls, partial(_expand_all, workspace, batch.key[0], jail))
    if _is_last_without(workspace, batch, expansion_batches, "a2rbench_items", tables):
        reason = next((f"; {row['subject']}: {row['message']}" for row in tables["rejections"]), "")
        raise UnusableConfig(
            f"no rule of {', '.join(plan_of(workspace).authoring.models)} gave an item that holds{reason}; "
            "try another model, or name drawn among --author"
        )
    return tables


async def _expand_all(
    workspace: Workspace, domain: str, jail: Jail, session: ModelSession
) -> dict[str, Rows]:
    calls = session.batch()
    asker = session.json_asker(calls)
    # Workers of the sandbox keep processors busy; calls of models, which wait, are not bounded here.
    slots = asyncio.Semaphore(available_threads())
    ended = count(1)
    distinct = distinct_seeds(workspace)
    seeds = seeds_of(workspace, domain)
    to_grow = [seed for seed in seeds if distinct[seed.rule.name] == seed]

    async def grow(seed: AuthoredSeed) -> tuple[Expansion, GrownSeed]:
        request = _request(workspace, seed, jail)
        expansion = await expand_rule(asker, request, slots)
        async with slots:
            grown = await asyncio.to_thread(_write, request.seed, expansion)
        progress.note_part(next(ended) / len(to_grow))
        return expansion, grown

    tables: dict[str, Rows] = {name: [] for name in _TABLES}
    earlier_ids = _ids_of_earlier_cells(workspace, domain)
    for seed, (expansion, grown) in zip(to_grow, await settle_all(map(grow, to_grow)), strict=True):
        kept = remove_known(grown, earlier_ids)
        earlier_ids.update(item.instance_id for item in kept.items)
        tables["instances"] += [shared_row(item, seed.number, workspace.growth.seed) for item in kept.items]
        tables["a2rbench_items"] += map(asdict, kept.items)
        tables["a2rbench_attempts"] += _attempt_rows(workspace, seed, expansion)
        tables["rejections"] += rejection_rows("expansions", seed.rule.name, seed.number, kept.rejected)
    for seed in seeds:
        if seed not in to_grow:
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
    except SandboxRefusal as error:
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
    return GrownSeed([], [*(fault for fault in grown.rejected if fault.rule != "not_remapped"), *lost])


def _ids_of_earlier_cells(workspace: Workspace, domain: str) -> set[str]:
    """Return the ids of the items of the cells before this one: two authors may choose the same inputs."""
    earlier = [Batch("expansions", (earlier_domain,)) for earlier_domain in DOMAINS[: DOMAINS.index(domain)]]
    return {
        id_
        for batch in earlier
        if workspace.is_done(batch)
        for id_ in workspace.column(batch, "a2rbench_items", "instance_id")
    }


def _attempt_rows(workspace: Workspace, seed: AuthoredSeed, expansion: Expansion) -> Rows:
    author = plan_of(workspace).authoring.expander or seed.rule.author
    seed_key = {"domain": seed.domain, "number": seed.number, "author": author}
    return [{**seed_key, **asdict(attempt)} for attempt in expansion.attempts]


# Stages `items` and `gate`: make the items of the seeds of one rule, and test those of each rule again.


def grow(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the items of one rule, and of what is missing."""
    plan, (domain, rule) = plan_of(workspace), batch.key
    issued = issued_instances(workspace.staging.store, workspace.growth.known_editions)
    tables: dict[str, Rows] = {"instances": [], "a2rbench_items": [], "rejections": []}
    chosen, numbers = rules_of(workspace, domain)[rule]
    for number in numbers:
        variations = range(plan.variations + 1)
        grown = grow_seed(
            SeedRequest(
                chosen, number, variations, plan.remapping, workspace.seed, find_protection().jail, issued
            )
        )
        tables["instances"] += [shared_row(item, number, workspace.growth.seed) for item in grown.items]
        tables["a2rbench_items"] += map(asdict, grown.items)
        tables["rejections"] += rejection_rows("items", rule, number, grown.rejected)
    return tables


def check_rule(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one rule; raise AuditFailed, naming the items, where one is unsound.

    Each item is run again and read back before any model is paid for an answer.
    """
    domain, rule = batch.key
    ours = rules_of(workspace, domain)
    chosen: CodedRule
    if rule in ours:
        batch_of_items, jail = Batch("items", batch.key), find_protection().jail
        chosen, _ = ours[rule]
    else:
        batch_of_items, jail = Batch("expansions", (domain,)), jail_of(plan_of(workspace), policies)
        chosen = distinct_seeds(workspace)[rule].rule
    rows = workspace.rows(batch_of_items, "a2rbench_items")
    items = [item_of(row) for row in rows if row["rule"] == rule]
    # One of the gate's hash seeds: rules that models wrote ran with all of them in `expansions`.
    tested = check_items(chosen, items, jail, gate_seeds(chosen, workspace.seed)[:1])
    refuse_faults(f"{domain}/{rule}", tested.faults, tested.items, "items")
    counts = {name: number for name, number in asdict(tested).items() if name != "faults"}
    return {"a2rbench_gate": [{"domain": domain, "rule": rule, **counts, "tier": plan_of(workspace).tier}]}
