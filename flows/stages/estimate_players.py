"""What the model calls of an evaluation cost: an estimate before any is made."""

from collections.abc import Container, Mapping

from flows.stages.estimate_stage import estimate_stage
from schemas.model_calls.calls import StageEstimate
from schemas.model_calls.price import Price
from schemas.plan import EvaluationPlan
from tasks.llm.limits.rate_limits import completion_bound
from tasks.play.model_player import parse_model_player


def estimate_players(
    plan: EvaluationPlan,
    programs: Container[str],
    prices: Mapping[str, Price],
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
    `most_calls` and `most_prompt_tokens` are given where a game may take more turns than is usual.
    """
    most_calls, most_prompts = most_calls or calls, most_prompt_tokens or prompt_tokens
    stages = []
    for name in (name for name in plan.players if name not in programs):
        choice = parse_model_player(name, plan.params_of, ()).choice
        longest = max(most_calls * (completion_bound(choice.params) or longest_reply), answer_tokens)
        stages.append(
            estimate_stage(
                "episodes",
                name,
                prices.get(choice.model),
                calls=(calls, most_calls),
                prompts=(prompt_tokens, most_prompts),
                completions=(answer_tokens, longest),
            )
        )
    return stages
