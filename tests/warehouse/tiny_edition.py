"""A whole edition small enough to read: one domain, one instance, one book, two episodes."""

from typing import Any

import pyarrow as pa

from schemas.kumo import Episode, Instance, Outcome, OutcomeState, SeedConfig, Setting, Turn
from schemas.plan import RefreshPlan
from schemas.tables import STAGED_TABLES, TABLES
from warehouse.kumo.rows import (
    book_row,
    config_row,
    domain_row,
    episode_row,
    instance_row,
    outcome_rows,
    turn_rows,
)

CONFIG = SeedConfig(
    name="Weather",
    goal="find the weather",
    truths=("rain", "snow", "sun"),
    actions=("look up", "measure"),
    outcomes=(
        Outcome(
            "look up",
            "str",
            (
                OutcomeState("white flakes", None, None, ("rain", "sun")),
                OutcomeState("grey", None, None, ("sun",)),
            ),
        ),
        Outcome(
            "measure",
            "float",
            (OutcomeState(None, -20.0, 0.0, ("rain",)), OutcomeState(None, 0.0, 30.0, ("snow",))),
        ),
    ),
)
INSTANCE = Instance(
    truths=("snow", "sun", "rain"),
    actions=("measure", "look up"),
    states=(1, 1),
    observations=(4.5, "grey"),
    valid_truths=("rain",),
    seed=3,
    index=0,
)
INSTANCE_ID = "ki_tiny"


def plan(edition: str, known: tuple[str, ...] = ()) -> RefreshPlan:
    """Return a plan that fits the rows below."""
    return RefreshPlan(
        edition=edition,
        configs=(CONFIG.config_id,),
        settings=(Setting(3, 2),),
        instances=1,
        runs=1,
        players=("oracle", "random"),
        seed=3,
        min_expected_steps=1.0,
        preset="",
        known_editions=known,
        code_version="test",
    )


def call(call_id: str, role: str, status: str, template: str) -> dict[str, Any]:
    """Return a row of table `calls`."""
    return {
        "call_id": call_id,
        "role": role,
        "model": "m",
        "served_model": "m-1",
        "template": template,
        "template_hash": "tpl_1",
        "repeat": 0,
        "request": '{"messages":[{"message_id":"msg_1","role":"user"}],"model":"m","params":{}}',
        "reply": "so",
        "reasoning": None,
        "reasoning_source": "none",
        "finish_reason": "length" if status == "truncated" else "stop",
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "reasoning_tokens": None,
        "cached_tokens": None,
        "usage": "reported",
        "usage_reported": None,
        "cost_usd": 0.5,
        "status": status,
        "error": None,
        "endpoint": "http://127.0.0.1/v1",
        "attempts": 1,
        "latency_s": 0.1,
    }


def rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every staged table; all of them keep every expectation."""
    draft = book_row(INSTANCE_ID, 0, "the draft", "m", ["a rule"], [], call_id="call_draft")
    book = book_row(INSTANCE_ID, 1, "the book", "template", [], [], is_replacement=True)
    measured = Turn(1, "action", "measure", "", 4.5, 1)
    looked = Turn(2, "action", "look up", "", "grey", 1)
    solved = Episode("oracle", 0, "solved", (measured, looked, Turn(3, "truth", "rain", "", None, None)))
    wrong = Episode("random", 0, "wrong", (measured, Turn(2, "truth", "snow", "", None, None)))
    cut = Episode("m", 0, "truncated", (Turn(1, "none", None, "so", None, None, "call_cut"),), 7, 0.5)
    lost = Episode("m", 1, "api_error", (Turn(1, "none", None, "", None, None, "call_lost"),))
    played = (solved, wrong, cut, lost)
    episodes = [episode_row(episode, INSTANCE_ID, book["book_id"], 0.1) for episode in played]
    return {
        "calls": [
            call("call_cut", "player", "truncated", "kumo/player_turn.md.j2"),
            call("call_lost", "player", "unavailable", "kumo/player_turn.md.j2"),
            call("call_draft", "writer", "ok", "kumo/write_book.md.j2"),
        ],
        "messages": [{"message_id": "msg_1", "content": "what now?"}],
        "domains": [domain_row(CONFIG, "file")],
        "seed_configs": [config_row(CONFIG, [])],
        "outcomes": outcome_rows(CONFIG),
        "rejections": [],
        "kumo_instances": [
            instance_row(
                INSTANCE,
                instance_id=INSTANCE_ID,
                config_id=CONFIG.config_id,
                setting="3x2",
                expected_steps=1.5,
                golden=["measure", "look up", "rain"],
                signature="1,2,2|2,2",
            )
        ],
        "books": [draft, book],
        "episodes": episodes,
        "turns": [
            *turn_rows(solved, episodes[0]["episode_id"]),
            *turn_rows(wrong, episodes[1]["episode_id"]),
            *turn_rows(cut, episodes[2]["episode_id"]),
            *turn_rows(lost, episodes[3]["episode_id"]),
        ],
        "statistics": [],
    }


def statistic(name: str, value: float) -> dict[str, Any]:
    """Return a row of table `statistics`."""
    return {
        "statistic": name,
        "convention": "any",
        "setting": "all",
        "domain": "all",
        "player": "all",
        "other": "",
        "n": 1,
        "value": value,
        "low": None,
        "high": None,
        "p_value": None,
        "p_adjusted": None,
        "method": "made up",
    }


def tables(changed: dict[str, list[dict[str, Any]]] | None = None) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables, some of them replaced."""
    content = {**rows(), **(changed or {})}
    return {
        name: pa.Table.from_pylist(content[name], schema=TABLES[name].arrow_schema())
        for name in STAGED_TABLES
    }
