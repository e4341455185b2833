"""How many calls of expander and judge the variations of models' rules need, before any is made."""

from collections.abc import Mapping

from schemas.a2rbench.authoring import AuthoringPlan, AuthorRole
from schemas.a2rbench.item import DOMAINS
from schemas.a2rbench.plan import A2RBenchPlan
from schemas.model_calls.calls import StageEstimate
from schemas.model_calls.price import Price
from tasks.llm.limits.rate_limits import completion_bound

# Tokens: of a prompt with code, without its history; of a variation in the history; of a prompt of the judge.
_PROMPT, _PAST, _JUDGED = 1_200, 500, 900
# Tokens of a reply: of inputs, of a judgement, and of one that thinks at length, without a limit.
_INPUTS, _JUDGEMENT, _LONG_REPLY = 700, 100, 8_000


def estimate_expansions(plan: A2RBenchPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    """Return the estimate of each expander and of the judge: a call of each a variation, or with all retries.

    At most, each candidate of the inputs is judged, and each judgement is asked for as often as it may be.
    """
    authoring = plan.authoring
    numbers: dict[str, int] = {}
    for number in range(plan.seeds):
        author = authoring.author_of(number)
        if author in authoring.models:
            expander = authoring.expander or author
            numbers[expander] = numbers.get(expander, 0) + len(DOMAINS)
    tries = authoring.retries + 1
    history = _PROMPT + _PAST * (plan.variations + 1) // 2
    stages = [
        _stage(authoring, "expander", name, seeds * plan.variations, tries, history, _INPUTS, prices)
        for name, seeds in numbers.items()
    ]
    all_ = sum(numbers.values()) * plan.variations
    if all_:
        judge = authoring.judge
        stages.append(_stage(authoring, "judge", judge, all_, tries * tries, _JUDGED, _JUDGEMENT, prices))
    return [stage for stage in stages if stage.calls_low]


def _stage(
    authoring: AuthoringPlan,
    role: AuthorRole,
    model: str,
    calls: int,
    most: int,
    prompt: int,
    completion: int,
    prices: Mapping[str, Price],
) -> StageEstimate:
    longest = completion_bound(authoring.choice(role, model).params) or _LONG_REPLY
    completion = min(completion, longest)
    price = prices.get(model)
    return StageEstimate(
        stage=f"expansions ({role})",
        model=model,
        calls_low=calls,
        calls_high=calls * most,
        prompt_tokens=calls * prompt,
        completion_tokens=calls * completion,
        prompt_tokens_high=calls * most * prompt,
        completion_tokens_high=calls * most * longest,
        cost_low_usd=_cost(calls * prompt, calls * completion, price),
        cost_high_usd=_cost(calls * most * prompt, calls * most * longest, price),
    )


def _cost(prompt: float, completion: float, price: Price | None) -> float | None:
    if price is None or price.prompt is None or price.completion is None:
        return None
    return (prompt * price.prompt + completion * price.completion) / 1e6
