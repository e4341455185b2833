"""An edition of BeyondBench made by hand: eight cells, three suites, programs and models.

Figures, views, rules and report need rows alone: no task is imported, and nothing is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics

Rows = dict[str, list[Row]]

# Suite, task, variation, and the sizes of its problems.
CELLS = (
    ("easy", "addition", "standard", (8, 16, 32, 64)),
    ("easy", "range", "standard", (8, 16, 32, 64)),
    ("medium", "fibonacci_sequence", "lucas", (6, 8)),
    ("medium", "prime_sequence", "twin_primes", (6, 8)),
    ("medium", "prime_sequence", "primes", (6, 8)),
    ("hard", "tower_of_hanoi", "disks_3", (3,)),
    ("hard", "tower_of_hanoi", "disks_6", (6,)),
    ("hard", "sudoku", "standard", (4, 9)),
)
PROGRAMS = ("exact", "random")
# Of five problems of a cell in turn, these are right: by player, suites in order.
MODELS = {"m-large": (5, 4, 3), "m-small": (4, 2, 1), "other": (3, 3, 2)}
PROBLEMS = 10
CONTEXT = 1_000


def rows(
    models: Mapping[str, tuple[int, int, int]] = MODELS, suites: Sequence[str] = ("easy", "medium", "hard")
) -> Rows:
    """Return the rows of every staged table; all of them keep every expectation.

    `m-small` was not asked two problems of Sudoku, `other` plays no Medium task.
    """
    names = (*staged_tables("beyondbench", answers=False), *staged_tables("beyondbench", answers=True))
    tables: Rows = {name: [] for name in names}
    for suite, task, variation, sizes in CELLS:
        if suite not in suites:
            continue
        tables["beyondbench_gate"].append(_gate_row(task, variation))
        for number in range(PROBLEMS):
            own = _own_row(suite, task, variation, sizes[number % len(sizes)], number)
            shared = _instance_row(own, task, len(tables["instances"]))
            tables["beyondbench_instances"].append(own)
            tables["instances"].append(shared)
            for player in (*PROGRAMS, *models):
                _play(tables, task, own, player, number, models)
    tables["messages"] = [{"message_id": "msg_1", "content": "what now?"}] if tables["calls"] else []
    return tables


def arrow(made: Rows) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables."""
    return {name: pa.Table.from_pylist(of, schema=TABLES[name].arrow_schema()) for name, of in made.items()}


def publish(
    root: Path, made: Rows, edition: str = "b1", facts: Mapping[str, Mapping[str, Any]] | None = None
) -> Store:
    """Publish the rows with their statistics; `facts` are those of models. Return the data root."""
    store, tables = Store(str(root)), arrow(made)
    found = edition_statistics("beyondbench", tables, 3, {})
    tables["statistics"] = pa.Table.from_pylist(found, schema=TABLES["statistics"].arrow_schema())
    plan = tiny_edition.plan(edition, benchmark="beyondbench")
    plan = replace(plan, evaluation=replace(plan.evaluation, facts=dict(facts or {})))
    tiny_edition.publish(store, plan, tables, [], datetime(2026, 1, 9, tzinfo=UTC))
    return store


def _own_row(suite: str, task: str, variation: str, size: int, number: int) -> Row:
    prompt = f"{task}, {variation}, number {number}"
    return {
        "instance_id": content_id("bb", prompt),
        "variation": variation,
        "suite": suite,
        "size": size,
        "prompt": prompt,
        "template_hash": "tpl",
        "payload": canonical_json({"number": number}),
        "reference": "7",
        "solutions": 1,
        "solutions_complete": True,
        "space_log10": 6.5,
        "space_exact": False,
        "unlike_paper": "asks more" if task == "sudoku" else None,
        "prompt_tokens": 40,
        "solution_tokens": 20,
        "context_tokens": CONTEXT,
        "rejected_draws": 0,
        "reused": False,
    }


def _instance_row(own: Row, domain: str, index: int) -> Row:
    return {
        "instance_id": own["instance_id"],
        "benchmark": "beyondbench",
        "domain": domain,
        "setting": own["suite"],
        "cluster": own["instance_id"],
        "origin": own["instance_id"],
        "seed": 3,
        "index": index,
        "content_hash": own["instance_id"].removeprefix("bb_"),
    }


def _gate_row(task: str, variation: str) -> Row:
    tried = 25 * PROBLEMS
    counts = {"mutations": tried, "refused": tried - 1, "also_right": 1, "unique": PROBLEMS}
    return {"domain": task, "variation": variation, "problems": PROBLEMS, **counts}


def _play(
    tables: Rows, task: str, own: Row, player: str, number: int, models: Mapping[str, tuple[int, int, int]]
) -> None:
    """Add the rows of the player's episode: wrong answers are unread every fifth time."""
    if player == "other" and own["suite"] == "medium":
        return
    if player == "m-small" and task == "sudoku" and number >= PROBLEMS - 2:
        message = (
            "player m-small was not asked: prompt and solution need about 60 tokens, more than 85% of its 50"
        )
        refused = {
            "stage": "episodes",
            "subject": own["instance_id"],
            "rule": "not_asked",
            "message": message,
            "player": "m-small",
        }
        tables["rejections"].append({**refused, "call_id": None})
        return
    is_model = player not in PROGRAMS
    place = ("easy", "medium", "hard").index(own["suite"])
    solved = number % 5 < models[player][place] if is_model else player == "exact"
    is_read = solved or number % 5 != 4
    identity = content_id("ep", own["instance_id"], player, 0)
    tokens = 100 * (place + 1) + 10 * number if is_model else None
    call_id = content_id("call", identity) if is_model else None
    tables["episodes"].append(
        {
            "episode_id": identity,
            "instance_id": own["instance_id"],
            "player": player,
            "run": 0,
            "version": None,
            "status": "solved" if solved else "wrong" if is_read else "unparsed",
            "success": solved,
            "score": float(solved),
            "turns": 1,
            "tokens": None if tokens is None else tokens + 40,
            "cost_usd": None,
            "seconds": 0.1,
        }
    )
    turn = {"turn": 1, "reply": None if is_model else "\\boxed{7}", "feedback": None, "call_id": call_id}
    tables["turns"].append({"episode_id": identity, **turn})
    if call_id:
        call = tiny_edition.call(call_id, "player", "ok", "beyondbench/easy/addition.md.j2")
        tables["calls"].append({**call, "model": player, "prompt_tokens": 40, "completion_tokens": tokens})
    level = (1 if number % 2 else 2) if is_read else 0
    tables["beyondbench_answers"].append(
        {
            "episode_id": identity,
            "answer": "7" if is_read else None,
            "parse_level": level,
            "instruction_followed": level == 1,
            "detail": None if solved or not is_read else "value",
            "token_status": "VALID" if is_model else None,
            "context_tokens": CONTEXT if is_model else None,
        }
    )
