"""Stage `rules`: models write the rules of those seeds of a cell whose author is a model."""

import asyncio
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial

from perennial.flows.a2rbench.edition import jail_of, plan_of
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.threads import available_threads
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS, RULE_TYPES, A2RBenchPlan, name_domain
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig
from perennial.schemas.ids import canonical_json
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.a2rbench.authored_code import Known, TestedRule, find_twin
from perennial.tasks.a2rbench.catalogue.rule import DIMENSIONS, Dimension, RuleType
from perennial.tasks.a2rbench.rule_author import RuleRequest, RuleWork, write_rule
from perennial.tasks.authors import count_causes
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.tier import Jail
from perennial.warehouse.a2rbench.published_rules import published_codes
from perennial.warehouse.editions.issued_ids import issued_instances

STAGE = "rules"
_CELLS: dict[str, tuple[Dimension, RuleType]] = {
    name_domain(dimension, type_): (dimension, type_) for dimension in DIMENSIONS for type_ in RULE_TYPES
}


def authored_numbers(plan: A2RBenchPlan) -> list[int]:
    """Return the numbers of the seeds of each cell whose rule a model writes."""
    return [number for number in range(plan.seeds) if plan.authoring.author_of(number) != CATALOGUE]


def rule_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each cell; none where the catalogue has all seeds."""
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
    if not tables["a2rbench_rules"]:
        _require_rules(workspace, batch, tables["rejections"])
    return tables


async def _author_cell(
    workspace: Workspace, domain: str, jail: Jail, session: ModelSession
) -> dict[str, Rows]:
    store, editions = workspace.staging.store, workspace.growth.known_editions
    known = Known(published_codes(store, editions, domain), issued_instances(store, editions))
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
                    known,
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
        place = {"domain": domain, "number": number}
        tables["a2rbench_attempts"] += [
            {**place, "author": name, **asdict(row)} for row in work.attempts.rows
        ]
        if work.tested is None:
            tables["rejections"].append(_rejection(domain, work))
            continue
        rule = work.tested.rule
        tables["a2rbench_rules"].append(
            {
                **place,
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
    last = work.attempts.last_failure
    assert last is not None
    assert last.reason is not None
    return Rejection(
        STAGE,
        f"{domain} seed {work.request.number} by {work.request.author}",
        last.reason,
        f"no rule after {work.candidate} of {work.request.plan.candidates} candidates; the last one ended "
        f"with step {last.step}: {last.message}",
        next((row.call_id for row in reversed(work.attempts.rows) if row.call_id), None),
    ).row()


def _require_rules(workspace: Workspace, batch: Batch, rejections: Rows) -> None:
    """Raise UnusableConfig where models write all rules, this is the last cell, and none has a rule."""
    plan = plan_of(workspace)
    if CATALOGUE in plan.authoring.authors:
        return
    for other in rule_batches(workspace):
        if other != batch and (
            not workspace.is_done(other) or workspace.column(other, "a2rbench_rules", "rule")
        ):
            return
    causes = count_causes((row["rule"], f"{row['subject']}: {row['message']}") for row in rejections)
    raise UnusableConfig(
        f"no seed of any cell got a rule from {', '.join(plan.authoring.models)}: "
        f"{causes}; try another model, or name catalogue among --author"
    )
