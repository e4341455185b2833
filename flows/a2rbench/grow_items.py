"""Stage `items`: make the items of the seeds of one rule, and say which do not exist."""

from collections.abc import Iterable
from dataclasses import asdict

from perennial.flows.a2rbench.edition import numbers_of, plan_of
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.a2rbench.things import VARIATIONS, Item
from perennial.schemas.benchmark import Batch
from perennial.schemas.ids import content_id
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.growing import Rejected, SeedRequest, grow_seed
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.staging import question_row


def grow(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the items of one rule, and of what is missing."""
    plan, (domain, rule) = plan_of(workspace), batch.key
    issued = issued_instances(workspace.staging.store, workspace.growth.known_editions)
    tables: dict[str, Rows] = {"instances": [], "a2rbench_items": [], "rejections": []}
    for number in numbers_of(plan, domain, rule, workspace.seed):
        variations = range(plan.variations + 1)
        grown = grow_seed(
            SeedRequest(
                RULES[rule],
                number,
                variations,
                plan.remapping,
                workspace.seed,
                find_protection().jail,
                issued,
            )
        )
        tables["instances"] += [shared_row(item, number, workspace.growth.seed) for item in grown.items]
        tables["a2rbench_items"] += map(asdict, grown.items)
        tables["rejections"] += rejection_rows("items", rule, number, grown.rejected)
    return tables


def shared_row(item: Item, number: int, seed: int | None) -> dict[str, object]:
    """Return the item's row of `instances`."""
    # Where an item is missing, so is its index.
    index = {"seed": number, "augmented": number * (VARIATIONS - 1) + item.variation - 1}
    return question_row(
        item.instance_id,
        benchmark="a2rbench",
        domain=item.domain,
        setting=item.setting,
        seed=seed,
        index=index.get(item.setting, number * VARIATIONS + item.variation),
        cluster=item.rule,
        # Rules of different dimensions may have the same code.
        origin=content_id("ao", item.code),
    )


def rejection_rows(stage: str, rule: str, number: int, rejected: Iterable[Rejected]) -> Rows:
    """Return a row of `rejections` for each item of a seed that does not exist."""
    return [
        Rejection(stage, f"{rule} seed {number} V{rejection.variation}", rejection.rule, rejection.why).row()
        for rejection in rejected
    ]
