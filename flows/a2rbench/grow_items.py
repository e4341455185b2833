"""Stages `items` and `gate`: make the items of the seeds of one rule, and test those of each rule again."""

from dataclasses import asdict

from perennial.flows.a2rbench.authoring import distinct_seeds
from perennial.flows.a2rbench.edition import item_of, jail_of, plan_of, rejection_rows, rules_of, shared_row
from perennial.flows.stages.workspace import Policies, Workspace, refuse_faults
from perennial.schemas.benchmark import Batch
from perennial.schemas.rows import Rows
from perennial.tasks.a2rbench.growing import SeedRequest, gate_seeds, grow_seed
from perennial.tasks.a2rbench.items import CodedRule, check_items
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.editions.issued_ids import issued_instances


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


# Stage `gate`: run each item again and read it back before any model is paid for an answer.


def check_rule(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one rule; raise AuditFailed, naming the items, where one is unsound."""
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
