"""How many calls the authors of rules and of variations need, and what they cost, before any is made."""

from functools import partial

from perennial.flows.stages.estimates import estimate_asking
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS, A2RBenchPlan, AuthorRole
from perennial.schemas.model_calls import Prices, StageEstimate

# Tokens of a prompt, which has the former reply in a repeat; of a reply without and with long reasoning.
_PROMPTS: dict[str, int] = {"designer": 1_500, "architect": 1_200, "judge": 1_500}
_REPLIES: dict[str, int] = {"designer": 400, "architect": 1_200, "judge": 250}
_LONG_REPLY = 8_000
# Of an expander: a prompt with code, without its history; a variation in the history; inputs in a reply.
_EXPANDED, _PAST, _INPUTS = 1_200, 500, 700
# Of a judge of inputs: its prompt, and its reply.
_JUDGED, _JUDGEMENT = 900, 100


def estimate_authors(plan: A2RBenchPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of designers, architects and judge; none where the catalogue has all seeds.

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
    """Return the number of seeds whose rule each model writes."""
    authors = [plan.authoring.author_of(number) for number in range(plan.seeds)]
    return {name: authors.count(name) * len(DOMAINS) for name in dict.fromkeys(authors) if name != CATALOGUE}
