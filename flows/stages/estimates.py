"""What model calls cost: estimates before any is made, from calls and tokens at least and at most."""

from collections.abc import Container
from math import ceil

from perennial.schemas.game import TOOLS
from perennial.schemas.model_calls import DEFAULT_MAX_TOKENS, ModelChoice, Price, Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.llm.limits import completion_bound
from perennial.tasks.llm.replies import cost_usd
from perennial.tasks.play import parse_model_player
from perennial.tasks.tools import MOST_ROUNDS

LowHigh = tuple[float, float]


def estimate_stage(
    stage: str,
    model: str,
    price: Price | None,
    *,
    calls: LowHigh,
    prompts: LowHigh,
    completions: LowHigh,
    in_batches: bool = False,
) -> StageEstimate:
    """Return the estimate with its cost, None without a price.

    Each pair is at least and at most: calls, and tokens of all prompts and of all replies together.
    """
    sent, replied = [ceil(tokens) for tokens in prompts], [ceil(tokens) for tokens in completions]
    costs = [cost_usd(price, *tokens, 0) for tokens in zip(sent, replied, strict=True)]
    return StageEstimate(
        stage=stage,
        model=model,
        calls_low=ceil(calls[0]),
        calls_high=ceil(calls[1]),
        prompt_tokens=sent[0],
        completion_tokens=replied[0],
        prompt_tokens_high=sent[1],
        completion_tokens_high=replied[1],
        cost_low_usd=costs[0],
        cost_high_usd=costs[1],
        in_batches=in_batches,
    )


def estimate_asking(
    stage: str,
    choice: ModelChoice,
    prices: Prices,
    *,
    calls: tuple[int, int],
    prompt: tuple[int, int],
    reply: int,
    long_reply: int,
) -> StageEstimate:
    """Estimate a stage from (least, most) numbers of `calls` and tokens of each `prompt`.

    A reply has at least `reply` tokens and at most its limit, or `long_reply` if it has none.
    """
    longest = _bound_reply(choice, long_reply)
    (low, high), (short, long) = calls, prompt
    return estimate_stage(
        stage,
        choice.model,
        prices.get(choice.model),
        calls=calls,
        prompts=(low * short, high * long),
        completions=(low * min(reply, longest), high * longest),
    )


def _bound_reply(choice: ModelChoice, longest: int) -> int:
    """Return the tokens of a reply at most: its limit, or `longest` where that is the default's."""
    bound = completion_bound(choice.params)
    return longest if bound in (None, DEFAULT_MAX_TOKENS) else bound or longest


def estimate_players(
    plan: EvaluationPlan,
    programs: Container[str],
    prices: Prices,
    *,
    calls: int,
    prompt_tokens: int,
    answer_tokens: int,
    longest_reply: int,
    most_calls: int = 0,
    most_prompt_tokens: int = 0,
) -> list[StageEstimate]:
    """Return the estimate of each player of a plan that is not one of the `programs`.

    A player makes so many `calls`, with so many tokens of prompts in all. Its replies have `answer_tokens`
    in all where it writes no reasoning; at most each has `longest_reply`, where no other limit is set.
    Of `tools:MODEL`, each may take `MOST_ROUNDS` rounds more.
    `most_calls` and `most_prompt_tokens` are given where a game may take more turns than is usual.
    """
    most_calls, most_prompts = most_calls or calls, most_prompt_tokens or prompt_tokens
    stages = []
    for name in (name for name in plan.players if name not in programs):
        player = parse_model_player(name, plan.params_of, (TOOLS,))
        choice, rounds = player.choice, 0 if player.variant != TOOLS else MOST_ROUNDS
        longest = max(most_calls * (1 + rounds) * _bound_reply(choice, longest_reply), answer_tokens)
        # Each round is sent again with all that came before it; what scripts print is not known.
        sent = most_prompts * (1 + rounds) + longest * rounds // 2
        stages.append(
            estimate_stage(
                "episodes",
                name,
                prices.get(choice.model),
                calls=(calls, most_calls * (1 + rounds)),
                prompts=(prompt_tokens, sent),
                completions=(answer_tokens, longest),
            )
        )
    return stages
