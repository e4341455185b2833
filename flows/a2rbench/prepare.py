"""From A2RBench's settings to its part of an edition's plan: seeds, variations, catalogue, sandbox."""

from collections.abc import Mapping
from functools import partial

from perennial.flows.a2rbench.authoring.estimate_authors import estimate_authors, estimate_expansions
from perennial.flows.a2rbench.edition import catalogue_id
from perennial.flows.a2rbench.estimate_calls import estimate_calls
from perennial.flows.benchmark import Preparation
from perennial.schemas.a2rbench.settings import A2RBenchSettings
from perennial.schemas.a2rbench.things import DOMAINS, A2RBenchPlan
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.tier import find_protection, require_protection
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.store.store import Store

_WEAK = (
    "the sandbox gives no protection here (tier none): the rules that it runs are perennial's own; see "
    "`perennial doctor`"
)

_WEAK_AUTHORED = (
    "the sandbox gives no protection here (tier none), and code that models write is run, as "
    "--accept-weak-sandbox says; see `perennial doctor`"
)


def prepare(settings: A2RBenchSettings, _store: Store) -> Preparation[None]:
    """Return the plan's own part, after every check that needs no work.

    Raises InvalidOption where models write rules and nothing protects this machine from them, unasked.
    """
    tier = find_protection().tier
    authoring = settings.authoring()
    if authoring.models:
        _require_sandbox(settings)
    plan = A2RBenchPlan(
        settings.seeds, settings.variations, settings.remapping, catalogue_id(), tier, authoring
    )
    items = len(DOMAINS) * plan.seeds * (plan.variations + 1)
    copies = items // 2 if plan.remapping else 0
    return Preparation(
        plan.as_json(),
        # The same edition may be resumed on another machine.
        found=("tier",),
        warnings=() if tier != "none" else (_WEAK_AUTHORED,) if authoring.models else (_WEAK,),
        authors=authoring.choices(),
        shown={"items": f"{items:,}, and at most {copies:,} copies in other tokens", "sandbox": tier},
        counts={"seeds": len(DOMAINS) * plan.seeds, "instances": items + copies},
        estimate=partial(_estimate, plan, items + copies),
        protocol=settings.reading().as_protocol(),
    )


def _require_sandbox(settings: A2RBenchSettings) -> None:
    try:
        require_protection(accept_unprotected=settings.accept_weak_sandbox)
    except Refused as error:
        raise InvalidOption(
            f"--author {','.join(settings.author)}: {error.detail} (--accept-weak-sandbox); see "
            "`perennial doctor`"
        ) from None


def _estimate(
    own: A2RBenchPlan, items: int, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    writing = [*estimate_authors(own, prices), *estimate_expansions(own, prices)]
    return writing + estimate_calls(items, plan, prices)


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition, before any of them is made."""
    return estimate_calls(read_counts(store, plan.edition)["instances"], plan, prices)
