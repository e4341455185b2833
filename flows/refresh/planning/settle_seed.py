"""Settle an edition's seed before any work: draw it where none is given, keep it, commit to it."""

from perennial.schemas.disclosure import draw_seed, is_public
from perennial.schemas.plan import RefreshPlan
from perennial.warehouse.disclosure import keep_seed
from perennial.warehouse.store.store import Store


def settle_seed(plan: RefreshPlan, given: int | None, store: Store) -> RefreshPlan:
    """Return the plan with the commitment of its seed, which is kept if it is secret.

    A seed is drawn where none is given, unless the plan has its commitment: it was begun before.
    """
    if given is not None and not is_public(given):
        keep_seed(store.root, given)
    if plan.growth.seed_commitment:
        return plan
    return plan.with_commitment(keep_seed(store.root, draw_seed()))
