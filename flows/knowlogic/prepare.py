"""From KnowLogic's settings to its part of an edition's plan: domains, languages, knowledge base."""

from collections.abc import Mapping
from functools import partial

from perennial.flows.benchmark import Preparation
from perennial.flows.knowlogic.estimate_calls import estimate_calls
from perennial.schemas.knowlogic.settings import KnowLogicSettings
from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, KnowLogicPlan
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.knowlogic.growing import plan_scenarios
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.store.store import Store


def prepare(settings: KnowLogicSettings, _store: Store) -> Preparation[None]:
    """Return the plan's own part, after every check that needs no work."""
    knowledge = load_knowledge()
    domains = tuple(name for name in DOMAINS if name in settings.domains)
    languages = tuple(name for name in LANGUAGES if name in settings.languages)
    plan = KnowLogicPlan(domains, settings.questions, languages, knowledge.content_id)
    scenarios = sum(
        len(plan_scenarios(find_domain(name, knowledge), plan.questions)) for name in plan.domains
    )
    pairs = len(plan.domains) * plan.questions
    return Preparation(
        plan.as_json(),
        shown={"scenarios": f"{scenarios} of {len(plan.domains)} domains"},
        counts={"pairs": pairs, "instances": pairs * len(plan.languages)},
        estimate=partial(estimate_calls, pairs * len(plan.languages)),
    )


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition, before any of them is made."""
    return estimate_calls(read_counts(store, plan.edition)["instances"], plan, prices)


def unfit(own: Mapping[str, object]) -> dict[str, str]:
    """Return which programs cannot play: `exact` reads the texts of the knowledge base that is installed,
    and `guesser` knows none that are imported.
    """
    plan = KnowLogicPlan.from_json(dict(own))
    if not plan.knowledge:
        return {
            "exact": "reads the texts of this program's templates alone, and the questions are imported",
            "guesser": "has learned from questions that are drawn here, and the questions are imported",
        }
    if plan.knowledge != load_knowledge().content_id:
        return {
            "exact": f"reads texts by the knowledge base, and the edition was grown with {plan.knowledge}, "
            "another one than is installed"
        }
    return {}
