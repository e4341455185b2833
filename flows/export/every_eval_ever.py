"""What models scored, as records of Every Eval Ever (its schema 0.3).

The files lie as in that project's datastore, `data/COLLECTION/DEVELOPER/MODEL/UUID.json`, and beside each its
instances in `UUID_samples.jsonl`. Programs and people are no models: they are left out, and so are controls
but for `tools:MODEL`, which the schema calls agentic.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

from perennial.flows.export.inspect_logs import (
    EpisodeMessage,
    ServedModel,
    read_arguments,
    read_episodes,
    read_served_models,
)
from perennial.flows.export.source import Source
from perennial.flows.run.code_version import code_version
from perennial.schemas.disclosure import canary_line
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import TOOLS
from perennial.schemas.providers import find_provider, is_local
from perennial.schemas.rows import JsonObject, Row
from perennial.tasks.tools import offers_python
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.export_tables import ExportedFile, describe_file

SCHEMA = "0.3.0"
_SCORES = f"""
SELECT l.player, l.setting, l.success_rate, l.success_rate_low, l.success_rate_high, l.population, l.scored,
       l.instances, l.floor, l.answers, f.weights
FROM leaderboard AS l LEFT JOIN model_facts AS f USING (edition, player)
WHERE (l.player_group = 'models' OR starts_with(l.player, '{TOOLS}:')) AND l.success_rate IS NOT NULL
ORDER BY l.player, l.setting
"""
_LAST_PLAYED = """
SELECT e.player, max(v.created_at)
FROM (SELECT DISTINCT edition, evaluation, player FROM episodes) AS e
JOIN evaluations AS v USING (edition, evaluation)
GROUP BY e.player
"""
# What no folder of a portable file system is called, or the datastore keeps for itself.
_NOT_PORTABLE = re.compile(r'[<>:"\\|?*\x00-\x1f]')
_RESERVED = re.compile(
    r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|COM.|LPT.|DATA|UNKNOWN|)(\..*)?", re.IGNORECASE
)
_WEIGHTS = {"open": "open_weights", "closed": "closed_weights"}


def write_records(source: Source, folder: Path) -> list[ExportedFile]:
    """Write a record of each model and its episodes; raise InvalidOption where no model played."""
    served = read_served_models(source)
    played = dict(source.catalog.query(_LAST_PLAYED)[1])
    scores: dict[str, list[Row]] = {}
    for score in source.catalog.records(_SCORES):
        if score["player"] in served:
            scores.setdefault(score["player"], []).append(score)
    if not scores:
        raise InvalidOption(f"--format eee: no model has published answers to {source.edition}")
    files = []
    for player, settings in scores.items():
        created = datetime.fromisoformat(str(played[player]))
        record = _describe(source, player, served[player], settings, created)
        files += _write(source, folder, player, record, settings)
    return files


def _write(
    source: Source, folder: Path, player: str, record: JsonObject, settings: list[Row]
) -> list[ExportedFile]:
    developer, _, model = str(record["model_info"]["id"]).partition("/")
    collection = f"perennial-{source.plan.benchmark}"
    number = UUID(bytes=hashlib.sha256(str(record["evaluation_id"]).encode()).digest()[:16], version=4)
    name = f"data/{collection}/{developer}/{model.replace('/', '_')}/{number}"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    result_ids = {row["setting"]: result_id(row) for row in settings}
    scope = f"WHERE edition = {quote(source.edition)} AND player = {quote(player)}"
    lines = [
        _describe_episode(source, record, result_ids[episode["setting"]], episode, messages)
        for episode, messages in read_episodes(source, scope)
        # Figures are of the usual version, as in the leaderboard.
        if episode["version"] is None and episode["setting"] in result_ids
    ]
    files = []
    if lines:
        samples = f"{name}_samples.jsonl"
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        (folder / samples).write_bytes(content)
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": samples,
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(content).hexdigest(),
            "total_rows": len(lines),
        }
        sql = f"SELECT count(*) FROM episodes {scope} AND version IS NULL"
        left_out = int(str(source.catalog.query(sql)[1][0][0])) - len(lines)
        files = [describe_file(folder, samples, "episodes", len(lines), left_out)]
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return [describe_file(folder, f"{name}.json", "leaderboard", len(settings), 0), *files]


def _describe(
    source: Source, player: str, served: ServedModel, settings: list[Row], created: datetime
) -> JsonObject:
    seconds = str(int(created.timestamp()))
    organization, _, dataset = source.dataset.partition("/")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": "/".join((source.edition, _portable(player), seconds)),
        "evaluation_timestamp": created.isoformat(),
        # When it was published, so that a second export writes the same bytes.
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": f"perennial, edition {source.edition}",
            "source_type": "evaluation_run",
            "source_organization_name": organization or "not stated",
            "evaluator_relationship": "other",  # whether it made the model is not known
            "additional_details": {
                "canary": canary_line(source.plan.canary),
                "license": source.licence,
                "answers": str(settings[0]["answers"]),
            },
        },
        "eval_library": {"name": "perennial", "version": code_version()},
        "model_info": _describe_model(player, served, settings[0]["weights"]),
        "evaluation_results": [_describe_score(source, row, served, dataset) for row in settings],
    }


def _describe_model(player: str, served: ServedModel, weights: str | None) -> JsonObject:
    provider = find_provider(served.base_url)
    host = urlsplit(served.base_url).hostname or "server"
    # A name such as meta-llama/Llama-3.1-8B says who made it.
    named = (
        served.model
        if served.model.count("/") == 1
        else f"{provider.name if provider else host}/{served.model}"
    )
    deployed = (
        "externally_managed" if provider else "self_deployed" if is_local(served.base_url) else "unknown"
    )
    return {
        "name": served.model,
        "id": "/".join(_portable(part) for part in named.split("/")),
        "inference_platform": provider.name if provider else host,
        "additional_details": {
            "deployment_type": deployed,
            "model_availability": _WEIGHTS.get(weights or "", "unknown"),
            "player": player,
            "reported_by_server": served.reported,
        },
    }


def _portable(name: str) -> str:
    name = _NOT_PORTABLE.sub("-", name).strip().rstrip(". ")
    return f"model-{name}" if _RESERVED.fullmatch(name) else name


def result_id(score: Row) -> str:
    """The name of a score in its record, by which episodes refer to it."""
    return f"{score['setting']}/success_rate"


def _describe_score(source: Source, score: Row, served: ServedModel, dataset: str) -> JsonObject:
    low, high = score["success_rate_low"], score["success_rate_high"]
    uncertainty: JsonObject = {"num_samples": score["instances"]}
    details = {"episodes": str(score["scored"]), "population": str(score["population"])}
    if score["floor"] is not None:
        details["rate_without_solving"] = str(score["floor"])
    if low is not None and high is not None:
        uncertainty["confidence_interval"] = {
            "lower": low,
            "upper": high,
            "confidence_level": 0.95,
            "method": f"by clusters of instances; population: {score['population']}",
        }
    questions = {"dataset_name": dataset or source.edition}
    hub = {"source_type": "hf_dataset", "hf_repo": source.dataset, "hf_split": "test"}
    params = json.loads(served.params)
    standard = {
        name: params[name] for name in ("temperature", "top_p", "max_tokens") if _is_number(params.get(name))
    }
    others = _as_texts({name: params[name] for name in params.keys() - standard.keys()})
    if offers_python(params):
        offered = (tool["function"] for tool in params["tools"])
        tools = [{**function, "parameters": _as_texts(function["parameters"])} for function in offered]
        standard["agentic_eval_config"] = {"available_tools": tools}
    return {
        "evaluation_result_id": result_id(score),
        "evaluation_name": f"{source.plan.benchmark} {score['setting']}",
        "source_data": {**questions, **(hub if dataset else {"source_type": "other"})},
        "metric_config": {
            "evaluation_description": "Mean over instances of the mean over runs: the share that was solved",
            "metric_id": "accuracy",
            "metric_name": "Success rate",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
        },
        "score_details": {"score": score["success_rate"], "details": details, "uncertainty": uncertainty},
        "generation_config": {"generation_args": standard, "additional_details": others},
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _as_texts(values: Mapping[str, object]) -> JsonObject:
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in sorted(values.items())
    }


def _describe_message(index: int, message: EpisodeMessage) -> JsonObject:
    return {
        "turn_idx": index,
        "role": message.role,
        "content": message.text,
        "reasoning_trace": message.reasoning,
        "tool_calls": [_describe_call(call["id"], **call["function"]) for call in message.calls] or None,
        "tool_call_id": [message.answered["id"]] if message.answered else None,
    }


def _describe_call(call_id: str, name: str, arguments: str) -> JsonObject:
    values, problem = read_arguments(arguments)
    # The schema takes an object of texts only: anything else is kept as the model wrote it.
    named = {"arguments": arguments} if problem else _as_texts(values)
    return {"id": call_id, "name": name, "arguments": named}


def _describe_episode(
    source: Source, record: JsonObject, result: str, episode: Row, messages: list[EpisodeMessage]
) -> JsonObject:
    replies = [(index, message) for index, message in enumerate(messages) if message.role == "assistant"]
    first = replies[0][0] if replies else len(messages)
    question = "\n\n".join(message.text or "" for message in messages[:first])
    number_of_calls = sum(len(reply.calls) for _, reply in replies)
    one_shot = source.benchmark.one_shot and len(messages) - first <= 1 and not number_of_calls
    interaction: JsonObject
    if one_shot:
        thoughts = [reply.reasoning for _, reply in replies if reply.reasoning is not None]
        texts = [reply.text or "" for _, reply in replies]
        interaction = {
            "interaction_type": "single_turn",
            "output": {"raw": texts, "reasoning_trace": thoughts or None},
        }
    else:
        interaction = {
            "interaction_type": "agentic" if number_of_calls else "multi_turn",
            "messages": [_describe_message(index, message) for index, message in enumerate(messages)],
        }
    attribution = [
        {
            "turn_idx": 0 if one_shot else index,
            "source": "output.raw" if one_shot else "messages[turn_idx].content",
            "extracted_value": reply.text or "",
            "extraction_method": f"perennial's grader of {source.plan.benchmark}",
            "is_terminal": True,
        }
        # From a reply that calls a tool no answer is read.
        for index, reply in replies[-1:]
        if not reply.calls
    ]
    facts = {
        name: episode[name]
        for name in ("domain", "setting", "run", "status", "score", "episode_id", "evaluation")
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": f"{source.plan.benchmark} {episode['setting']}",
        "evaluation_result_id": result,
        "sample_id": episode["instance_id"],
        "sample_hash": hashlib.sha256(question.encode()).hexdigest(),
        **interaction,
        # The answer stays where it is: `export --format parquet` holds it.
        "input": {"raw": question, "reference": []},
        "answer_attribution": attribution,
        "evaluation": {
            "score": float(episode["success"]),
            "is_correct": episode["success"],
            "num_turns": episode["turns"] or None,
            "tool_calls_count": number_of_calls,
        },
        "performance": {"latency_ms": episode["seconds"] * 1000},
        "error": "its call failed" if episode["status"] == "api_error" else None,
        "metadata": _as_texts(facts),
    }
