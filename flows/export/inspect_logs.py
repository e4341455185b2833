"""Transcripts as logs of Inspect (inspect_ai), one of each player of an evaluation.

`inspect view` and `samples_df` read them. A sample is an episode: its messages as they were sent, replies
with their reasoning, and the score. A program or person, to whom no messages are sent, gets those by which a
model is asked first, where the instance can be played, and then what came back.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perennial.flows.export.source import Source
from perennial.schemas.errors import InvalidOption, add_extra
from perennial.schemas.ids import content_id
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.providers import name_for_inspect
from perennial.schemas.rows import JsonObject, Row
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.export_tables import ExportedFile, describe_file

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import ChatMessage

_EPISODES = """
SELECT e.episode_id, e.instance_id, e.evaluation, e.run, e.version, e.status, e.success, e.score, e.turns,
       e.tokens, e.cost_usd, e.seconds, i.domain, i.setting
FROM (FROM episodes {scope}) AS e JOIN instances AS i USING (edition, instance_id)
ORDER BY e.evaluation, e.version NULLS FIRST, i.domain, i.setting, i."index", e.run
"""
# Of each turn the messages that are new in it, then the reply: a later call repeats those before it.
_MESSAGES = """
WITH turn AS (
    FROM transcripts {scope}
), first AS (
    SELECT t.episode_id, t.turn, m.position, m.role, m.content
    FROM turn AS t JOIN call_messages AS m
      ON m.edition = t.edition AND m.evaluation = t.evaluation AND m.call_id = t.call_id
    WHERE t.turn = 1
)
SELECT episode_id, turn, position, role, content, NULL AS reasoning FROM first
UNION ALL
SELECT episode_id, turn, 1_000_000, 'user', shown, NULL FROM turn
WHERE shown IS NOT NULL AND NOT (turn = 1 AND call_id IS NOT NULL)
UNION ALL
SELECT episode_id, turn, 1_000_001, 'assistant', reply, reasoning FROM turn
ORDER BY episode_id, turn, position
"""
# Of `tools:MODEL`: which turns call tools, and the results in order. The last call of an episode repeats all
# of them; in `transcripts` those of one turn are joined.
_TOOLS = """
WITH spoken AS (
    SELECT t.*, c.status = 'tool_call' AS is_called
    FROM (FROM transcripts {scope}) AS t JOIN calls AS c USING (edition, evaluation, call_id)
), ended AS (
    SELECT edition, evaluation, episode_id, arg_max(call_id, turn) AS call_id,
           list(is_called ORDER BY turn) AS called
    FROM spoken GROUP BY ALL HAVING bool_or(is_called)
)
SELECT e.episode_id, any_value(e.called), list(m.content ORDER BY m.position) FILTER (m.role = 'tool')
FROM ended AS e JOIN call_messages AS m USING (edition, evaluation, call_id)
GROUP BY e.episode_id
"""

_SERVED = """
SELECT e.player, mode(c.endpoint), mode(coalesce(c.request ->> '$.params.model', c.model)),
       mode(c.served_model), mode(c.request ->> '$.params')
FROM episodes AS e
JOIN turns AS t USING (edition, evaluation, episode_id)
JOIN calls AS c USING (edition, evaluation, call_id)
WHERE e.edition = {edition} AND c.role <> 'tool'
GROUP BY e.player
"""


@dataclass(frozen=True, slots=True)
class EpisodeMessage:
    """A message of an episode; `calls` and `answered` are of tools, in the form of Chat Completions."""

    role: str
    text: str | None
    reasoning: str | None = None
    calls: tuple[JsonObject, ...] = ()
    answered: JsonObject | None = None  # the call whose result it is


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The model that answered for a player: where, under which name, and with which parameters (JSON)."""

    base_url: str
    model: str
    reported: str
    params: str


def read_served_models(source: Source) -> dict[str, ServedModel]:
    """The models that played the edition, by player: of several servers the one that answered most."""
    rows = source.catalog.query(_SERVED.format(edition=quote(source.edition)))[1]
    return {
        str(player): ServedModel(str(url), str(model), str(reported or model), str(params or "{}"))
        for player, url, model, reported, params in rows
    }


def write_logs(source: Source, folder: Path) -> list[ExportedFile]:
    """Write the logs into `logs/`; return what describes them.

    Raises InvalidOption where inspect_ai is not installed, or nobody has played.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError:
        raise InvalidOption(f"--format inspect needs more packages: {add_extra('inspect')}") from None
    players = source.catalog.query(
        f"SELECT evaluation, player, version, count(*) FROM episodes WHERE edition = {quote(source.edition)} "
        "GROUP BY ALL ORDER BY ALL"
    )[1]
    if not players:
        raise InvalidOption(
            f"nobody has played edition {source.edition!r}: `perennial evaluate` lets players"
        )
    files = []
    served = read_served_models(source)
    for evaluation, player, version, episodes in players:
        log = _log(source, str(evaluation), str(player), version, served.get(str(player)))
        safe_player = "".join(char if char.isalnum() or char in "-." else "_" for char in str(player))
        name = f"logs/{evaluation}_{safe_player}_{log.eval.task_id[-8:]}.eval"
        write_eval_log(log, str(folder / name))
        number = len(log.samples or ())
        files.append(describe_file(folder, name, "episodes", number, int(str(episodes)) - number))
    return files


def _log(
    source: Source, evaluation: str, player: str, version: str | None, served: ServedModel | None
) -> "EvalLog":
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalMetric, EvalResults, EvalScore, EvalSpec

    scope = f"""WHERE edition = {quote(source.edition)} AND evaluation = {quote(evaluation)}
        AND player = {quote(player)} AND version IS NOT DISTINCT FROM """ + (
        "NULL" if version is None else quote(version)
    )
    answered_by = served.reported if served else player
    samples = [_sample(episode, messages, answered_by) for episode, messages in read_episodes(source, scope)]
    created, answers = source.catalog.query(
        f"SELECT created_at, answers FROM evaluations WHERE evaluation = {quote(evaluation)}"
    )[1][0]
    log_id = content_id("log", source.edition, evaluation, player, version or "")
    ids = list(dict.fromkeys(str(sample.id) for sample in samples))
    scored = [sample for sample in samples if sample.scores]
    success = sum(float(sample.scores["success"].value) for sample in scored if sample.scores)
    rate = EvalMetric(name="mean", value=success / len(scored) if scored else 0.0)
    return EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=log_id,
            run_id=log_id,
            task_id=log_id,
            created=created,
            task=source.edition,
            dataset=EvalDataset(name=source.edition, samples=len(ids), sample_ids=ids),
            # Of a player without calls, a program or a person, there is no provider.
            model=name_for_inspect(served.base_url, served.model) if served else f"perennial/{player}",
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
            metadata={
                "edition": source.edition,
                "evaluation": evaluation,
                "benchmark": source.plan.benchmark,
                "player": player,
                "version": version,
                "answers": answers,
                "canary": source.plan.canary,
                "licence": source.licence,
            },
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(scored),
            scores=[EvalScore(name="success", scorer="perennial", metrics={"mean": rate})],
        ),
        samples=samples,
    )


def read_episodes(source: Source, scope: str) -> Iterator[tuple[Row, list[EpisodeMessage]]]:
    """The exported episodes that `scope` (SQL) selects, with their messages."""
    episodes = source.catalog.records(_EPISODES.format(scope=scope))
    messages = source.catalog.query(_MESSAGES.format(scope=scope))[1]
    tools: JsonObject = {id_: rest for id_, *rest in source.catalog.query(_TOOLS.format(scope=scope))[1]}
    spoken = {id_: [row[3:] for row in rows] for id_, rows in groupby(messages, key=lambda row: str(row[0]))}
    for episode in episodes:
        if episode["instance_id"] in source.private_ids:
            continue
        turns = spoken.get(episode["episode_id"], [])
        if not turns or turns[0][0] == "assistant":
            opening = source.openings.get(episode["instance_id"], ())
            turns = [*((message["role"], message["content"], None) for message in opening), *turns]
        called, results = tools.get(episode["episode_id"], ((), ()))
        yield episode, [*_separate_tools(turns, iter(called), iter(results or ()))]


def _separate_tools(
    turns: list[tuple[Any, ...]], called: Iterator[bool], results: Iterator[str]
) -> Iterator[EpisodeMessage]:
    """The messages: calls of tools as such, and one for each result in place of the joined ones."""
    calls: tuple[JsonObject, ...] = ()
    for role, text, reasoning in turns:
        if role == "assistant" and next(called, False):
            reply = json.loads(text)
            calls = tuple(reply["tool_calls"])
            yield EpisodeMessage(role, reply["content"], reasoning, calls)
        elif role == "user" and calls:
            for call, result in zip(calls, results, strict=False):
                yield EpisodeMessage("tool", result, answered=call)
            calls = ()
        else:
            yield EpisodeMessage(role, text, reasoning)


def _sample(episode: Row, spoken: list[EpisodeMessage], answered_by: str) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    messages = [
        _message(f"{episode['episode_id']}/{number}", message) for number, message in enumerate(spoken)
    ]
    replies = [message for message in messages if message.role == "assistant"]
    first = next((index for index, turn in enumerate(messages) if turn.role == "assistant"), len(messages))
    failed = episode["status"] == "api_error"
    answer = "" if not replies else str(replies[-1].text)
    return EvalSample(
        id=episode["instance_id"],
        epoch=episode["run"] + 1,
        input=messages[:first] or "",
        target="",
        messages=messages,
        output=ModelOutput.from_content(answered_by, answer),
        scores=None
        if failed
        else {
            "success": Score(
                value=float(episode["success"]),
                answer=answer,
                metadata={"status": episode["status"], "score": episode["score"]},
            )
        },
        metadata={
            name: episode[name]
            for name in ("episode_id", "domain", "setting", "status", "tokens", "cost_usd")
        },
        error=EvalError(message="its call failed", traceback="", traceback_ansi="") if failed else None,
        total_time=episode["seconds"],
        uuid=episode["episode_id"],
    )


def read_arguments(text: str) -> tuple[JsonObject, str | None]:
    """The arguments of a call by name, or why they cannot be read."""
    try:
        values = read_json(text, "the arguments")
    except UnreadableJson as error:
        return {}, str(error)
    return values if isinstance(values, dict) else {"arguments": values}, None


def _message(message_id: str, spoken: EpisodeMessage) -> "ChatMessage":
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
    )
    from inspect_ai.tool import ToolCall

    text: Any = spoken.text or ""
    if spoken.answered is not None:
        made = {"tool_call_id": spoken.answered["id"], "function": spoken.answered["function"]["name"]}
        return ChatMessageTool(id=message_id, content=text, **made)
    if spoken.reasoning is not None:
        text = [ContentReasoning(reasoning=spoken.reasoning), ContentText(text=text)]
    if spoken.role == "assistant":
        calls = [
            ToolCall(call["id"], call["function"]["name"], *read_arguments(call["function"]["arguments"]))
            for call in spoken.calls
        ]
        return ChatMessageAssistant(id=message_id, content=text, tool_calls=calls or None)
    is_system = spoken.role in ("system", "developer")
    return (ChatMessageSystem if is_system else ChatMessageUser)(id=message_id, content=text)
