"""From A2RBench's settings to its part of an edition's plan: seeds, variations, catalogue, sandbox."""

from collections.abc import Mapping
from functools import partial

from flows.a2rbench.authoring.estimate_expansions import estimate_expansions
from flows.a2rbench.edition import catalogue_id
from flows.a2rbench.estimate_calls import estimate_calls
from schemas.a2rbench.item import DOMAINS
from schemas.a2rbench.plan import A2RBenchPlan
from schemas.a2rbench.settings import A2RBenchSettings
from schemas.benchmark import Preparation
from schemas.calls import Price, StageEstimate
from schemas.plan import EvaluationPlan
from tasks.sandbox.tier import find_protection
from warehouse.editions.publish import read_counts
from warehouse.store.store import Store

_WEAK = (
    "the sandbox is on its floor here (a syntax check and limits alone): the rules that it runs are "
    "perennial's own; see `perennial doctor`"
)


def prepare(settings: A2RBenchSettings, _store: Store) -> Preparation:
    """Return the plan's own part, after every check that needs no work."""
    tier = find_protection().tier
    plan = A2RBenchPlan(
        settings.seeds, settings.variations, settings.remapping, catalogue_id(), tier, settings.authoring()
    )
    items = len(DOMAINS) * plan.seeds * (plan.variations + 1)
    copies = items // 2 if plan.remapping else 0
    return Preparation(
        plan.as_json(),
        # The same edition may be resumed on another machine.
        found=("tier",),
        warnings=(_WEAK,) if tier == "floor" else (),
        shown={"items": f"{items:,}, and at most {copies:,} copies in other tokens", "sandbox": tier},
        counts={"seeds": len(DOMAINS) * plan.seeds, "instances": items + copies},
        estimate=partial(_estimate, plan, items + copies),
    )


def _estimate(
    own: A2RBenchPlan, items: int, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    return [*estimate_expansions(own, prices), *estimate_calls(items, plan, prices)]


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition, before any of them is made."""
    return estimate_calls(read_counts(store, plan.edition)["instances"], plan, prices)
