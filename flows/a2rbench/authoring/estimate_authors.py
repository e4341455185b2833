"""How many calls the authors of rules need, and what they cost: an estimate before any of them is made."""

from collections.abc import Mapping

from schemas.a2rbench.authoring import CATALOGUE, AuthorRole
from schemas.a2rbench.item import DOMAINS
from schemas.a2rbench.plan import A2RBenchPlan
from schemas.model_calls.calls import StageEstimate
from schemas.model_calls.price import Price
from tasks.llm.limits.rate_limits import completion_bound

# Tokens of a prompt, which has the former reply in a repeat; of a reply without and with long reasoning.
_PROMPTS: dict[str, int] = {"designer": 1_500, "architect": 1_200, "judge": 1_500}
_REPLIES: dict[str, int] = {"designer": 400, "architect": 1_200, "judge": 250}
_LONG_REPLY = 8_000


def estimate_authors(plan: A2RBenchPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    """Return the estimate of designers, architects and judge; none where the catalogue has all seeds.

    At least, each step passes at once: a rule, its judgement, code, its judgement. At most, all candidates
    and all repeats are used up; of the judge, after each code that was run.
    """
    authoring = plan.authoring
    seeds = dict.fromkeys(authoring.models, 0)
    for number in range(plan.seeds):
        name = authoring.author_of(number)
        if name != CATALOGUE:
            seeds[name] += len(DOMAINS)
    tries = authoring.retries + 1
    most = authoring.candidates * tries
    stages: list[StageEstimate] = []
    for name, number in seeds.items():
        if number:
            stages.append(_stage(plan, "designer", name, number, number * most, prices))
            stages.append(_stage(plan, "architect", name, number, number * most, prices))
    total = sum(seeds.values())
    if total:
        judged = total * authoring.candidates * (tries + tries * tries)
        stages.append(_stage(plan, "judge", authoring.judge, 2 * total, judged, prices))
    return stages


def _stage(
    plan: A2RBenchPlan, role: AuthorRole, model: str, low: int, high: int, prices: Mapping[str, Price]
) -> StageEstimate:
    price = prices.get(model)
    longest = completion_bound(plan.authoring.params[role][model]) or _LONG_REPLY
    reply = min(_REPLIES[role], longest)
    prompt, prompt_high = low * _PROMPTS[role], high * (_PROMPTS[role] + _REPLIES[role])
    return StageEstimate(
        stage=f"rules ({role})",
        model=model,
        calls_low=low,
        calls_high=high,
        prompt_tokens=prompt,
        completion_tokens=low * reply,
        prompt_tokens_high=prompt_high,
        completion_tokens_high=high * longest,
        cost_low_usd=_cost(prompt, low * reply, price),
        cost_high_usd=_cost(prompt_high, high * longest, price),
    )


def _cost(prompt: int, completion: int, price: Price | None) -> float | None:
    if price is None or price.prompt is None or price.completion is None:
        return None
    return (prompt * price.prompt + completion * price.completion) / 1e6
