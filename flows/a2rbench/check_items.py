"""Stage `gate`: run each item again and read it back before any model is paid for an answer."""

from dataclasses import asdict

from perennial.flows.a2rbench.authoring import distinct_seeds
from perennial.flows.a2rbench.edition import item_of, jail_of, plan_of
from perennial.flows.stages.workspace import Policies, Workspace, refuse_faults
from perennial.schemas.benchmark import Batch
from perennial.schemas.rows import Rows
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.growing import gate_seeds
from perennial.tasks.a2rbench.items import CodedRule, check_items
from perennial.tasks.sandbox.tier import find_protection


def _hash_seeds(rule: CodedRule, workspace: Workspace) -> list[int]:
    """Return one of the gate's hash seeds: rules that models wrote ran with all of them in `expansions`."""
    return gate_seeds(rule, workspace.seed)[:1]


def check_rule(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one rule; raise AuditFailed, naming the items, where one is unsound."""
    domain, rule = batch.key
    if rule in RULES:
        rows = workspace.rows(Batch("items", batch.key), "a2rbench_items")
        tested = check_items(
            RULES[rule],
            [item_of(row) for row in rows],
            find_protection().jail,
            _hash_seeds(RULES[rule], workspace),
        )
    else:
        rows = workspace.rows(Batch("expansions", (domain,)), "a2rbench_items")
        items = [item_of(row) for row in rows if row["rule"] == rule]
        authored = distinct_seeds(workspace)[rule].rule
        tested = check_items(
            authored, items, jail_of(plan_of(workspace), policies), _hash_seeds(authored, workspace)
        )
    refuse_faults(f"{domain}/{rule}", tested.faults, tested.items, "items")
    counts = {name: number for name, number in asdict(tested).items() if name != "faults"}
    return {"a2rbench_gate": [{"domain": domain, "rule": rule, **counts, "tier": plan_of(workspace).tier}]}
