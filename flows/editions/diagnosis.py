"""What kept a player from a score: replies without a readable answer, cut ones, refusals, failed calls."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from perennial.schemas.errors import PerennialError, count, in_one_line
from perennial.tasks.llm.server_words import is_same_model, read_ending
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote, quote_all
from perennial.warehouse.ledger.reading import LISTED_COLUMNS, CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store

# What a model's calls say about its server: it cuts prompts, has another model, or unknown words.

# So many prompts that are counted alike, at a round number, were cut there: Ollama's contexts are such.
_ALIKE, _ROUND = 3, 256


def describe_call_problems(catalog: Catalog, edition: str) -> list[str]:
    """What is odd about the calls of an edition's players: a line per model and oddity."""
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
    """What is odd about the calls; rows come by model, role and status."""
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


# What an episode ended with, in words; an answer that was read and wrong is no problem of this kind.
PROBLEMS = {
    "unparsed": "without a readable answer",
    "truncated": "cut off by the limit of tokens",
    "refused": "refused",
    "api_error": "with a failed call",
}
LEAST_SHARE = 0.01  # a problem is mentioned on leaderboards above this share


@dataclass(frozen=True, slots=True)
class EpisodeProblem:
    """How many of a player's episodes ended in one of these ways, and the id of one of them."""

    player: str
    status: str
    episodes: int
    attempted: int
    example: str

    @property
    def share(self) -> float:
        """Its share among all episodes that were attempted."""
        return self.episodes / self.attempted

    def describe(self) -> str:
        """The problem in one line, with the command that shows an example."""
        return (
            f"{self.player}: {self.episodes:,} of {count(self.attempted, 'episode')} ({self.share:.0%}) "
            f"{PROBLEMS[self.status]}, such as `perennial episode {self.example}`"
        )


def find_problems(catalog: Catalog, edition: str, least: float = LEAST_SHARE) -> list[EpisodeProblem]:
    """The problems of the edition's players above this share, the largest first.

    The example is the episode that took most tokens.
    """
    return read_problems(catalog.query(problems_sql(edition))[1], least)


def problems_sql(edition: str) -> str:
    """SQL of the problems of the edition's players, whatever their share."""
    return (
        f"SELECT player, status, episodes, attempted, example FROM losses WHERE edition = {quote(edition)} "
        f"AND status IN ({quote_all(PROBLEMS)}) ORDER BY episodes DESC, player, status"
    )


def read_problems(rows: Iterable[tuple[Any, ...]], least: float = LEAST_SHARE) -> list[EpisodeProblem]:
    """Parse the rows of `problems_sql`, and keep those above this share."""
    problems = (EpisodeProblem(*row) for row in rows)
    return [problem for problem in problems if problem.share > least]


def time_waiting(store: Store, edition: str) -> float:
    """Seconds in which players' calls waited, counted once where several wait in a server's queue."""
    with LedgerReader(ledger_file(store.root)) as ledger:
        calls = ledger.newest(CallFilter(role="player", edition=edition), -1)
    listed = [dict(zip(LISTED_COLUMNS, call, strict=True)) for call in calls]
    ends = [(datetime.fromisoformat(call["stored_at"]).timestamp(), call["latency_s"]) for call in listed]
    waited = reached = 0.0
    for begin, end in sorted((end - seconds, end) for end, seconds in ends):
        waited += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return waited


def quote_reply(store: Store, catalog: Catalog, episode: str, width: int) -> str:
    """How the last reply of an episode ends, or why its last call failed, in one line."""
    _, rows = catalog.query(
        "SELECT t.call_id, coalesce(c.error, t.reply) FROM transcripts AS t "
        "LEFT JOIN calls AS c USING (edition, evaluation, call_id) "
        f"WHERE episode_id = {quote(episode)} ORDER BY t.turn DESC LIMIT 1"
    )
    call_id, text = rows[0] if rows else (None, "")
    text = in_one_line(text or (_read_refusal(store, call_id) if call_id else "")) or "(an empty reply)"
    # Answers are at the end.
    return text if len(text) <= width else f"...{text[3 - width :]}"


def _read_refusal(store: Store, call_id: str) -> str:
    """The words of a refusal, which only the ledger has; "" without one."""
    try:
        with LedgerReader(ledger_file(store.root)) as ledger:
            raw = str(ledger.call(call_id)["raw"] or "")
        body = json.loads(raw)
    except (PerennialError, ValueError, RecursionError):
        return ""
    try:
        return str(body["choices"][0]["message"]["refusal"] or "")
    except (KeyError, TypeError, IndexError):
        if not isinstance(body, dict) or "error" not in body:
            return ""
        # Late: it comes with the client of models, which a report needs for nothing else.
        from perennial.tasks.llm.replies import find_message

        return find_message(raw)


def problem_lines(catalog: Catalog, edition: str) -> Sequence[str]:
    """The lines under leaderboards: these problems, and what is odd about the players' calls."""
    problems = [problem.describe() for problem in find_problems(catalog, edition)]
    return [f"problem:   {text}" for text in (*problems, *describe_call_problems(catalog, edition))]
