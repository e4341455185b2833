"""What a model's calls say about its server: it cuts prompts, has another model, or unknown words."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from perennial.schemas.errors import count
from perennial.tasks.llm.server_words import is_same_model, read_ending
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote

# So many prompts that are counted alike, at a round number, were cut there: Ollama's contexts are such.
_ALIKE, _ROUND = 3, 256


def describe_call_problems(catalog: Catalog, edition: str) -> list[str]:
    """Return what is odd about the calls of an edition's players, a line for each model and oddity."""
    of_players = f"FROM calls WHERE edition = {quote(edition)} AND role = 'player'"
    kinds = catalog.query(
        "SELECT model, coalesce(request ->> '$.params.model', model), served_model, finish_reason, "
        f"status = 'overflow', usage = 'short', count(*) {of_players} GROUP BY ALL ORDER BY ALL"
    )[1]
    cuts = catalog.query(
        "SELECT model, prompt_tokens, count(DISTINCT hash(request)) AS prompts FROM (SELECT model, "
        f"prompt_tokens, request, max(prompt_tokens) OVER (PARTITION BY model) AS most {of_players}) "
        f"WHERE prompt_tokens = most AND (most % {_ROUND} = 0 OR (most + 1) % {_ROUND} = 0) "
        f"GROUP BY ALL HAVING prompts >= {_ALIKE} ORDER BY 1"
    )[1]
    return [*_read_kinds(kinds), *_read_cuts(cuts, {str(row[0]) for row in kinds if row[5]})]


def _read_kinds(rows: list[tuple[Any, ...]]) -> Iterator[str]:
    """Yield what is odd about the calls, which come by model, what they asked, and what came of it."""
    calls: Counter[str] = Counter()
    odd: Counter[tuple[str, str]] = Counter()
    for model, asked, served, finish_reason, is_overflow, is_short, number in rows:
        calls[model] += number
        oddities = []
        if served is not None and not is_same_model(asked, served):
            oddities.append(
                f"were answered by {served!r}, as the server says: name the model as its server does"
            )
        if read_ending(finish_reason) == "unknown":
            oddities.append(f"ended by {finish_reason!r}, which is not known, and were taken to be whole")
        if is_overflow:
            oddities.append(
                "did not fit the model's context and ended their episodes: run it with a larger context, or "
                "set a lower max_output"
            )
        if is_short:
            oddities.append(
                "had fewer prompt tokens, as the server counts, than their prompts can have: it seems to cut "
                "prompts: start it with a larger context"
            )
        for text in oddities:
            odd[model, text] += number
    for (model, text), number in odd.most_common():
        yield f"{model}: {number:,} of {count(calls[model], 'call')} {text}"


def _read_cuts(rows: list[tuple[Any, ...]], named: set[str]) -> Iterator[str]:
    for model, tokens, prompts in rows:
        if model not in named:
            yield (
                f"{model}: {count(prompts, 'prompt')} had exactly {tokens:,} tokens, as the server counts, "
                "and none had more: it may cut prompts: start it with a larger context"
            )
