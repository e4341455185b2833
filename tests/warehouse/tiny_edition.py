"""A whole edition small enough to read: one domain, one instance, one book, two episodes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from perennial.flows.stages.compute_statistics import Scores, Spread, analyse_tables, run_here
from perennial.schemas.game import EpisodeStatus
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.kumo.things import (
    BookVerdict,
    Instance,
    Outcome,
    OutcomeState,
    SeedConfig,
    Setting,
    Step,
)
from perennial.schemas.plan import EditionPlan, EvaluationPlan, RefreshPlan
from perennial.schemas.rows import Rows
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.editions import publish as publishing
from perennial.warehouse.kumo.rows import (
    authored_domain_row,
    book_row,
    config_row,
    domain_row,
    episode_id,
    instance_row,
    move_rows,
    observation_text,
    outcome_rows,
    shared_instance_row,
)
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.parquet import parquet_bytes, sort_by_key, with_place
from perennial.warehouse.store.store import Store

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
CONTENT_HASH = "71" * 16
INSTANCE_ID = f"ki_{CONTENT_HASH}"
STAGED_TABLES = tuple(
    dict.fromkeys((*staged_tables("kumo", answers=False), *staged_tables("kumo", answers=True), "statistics"))
)
MEASURED = Step(1, "action", "measure", 4.5, 1)
LOOKED = Step(2, "action", "look up", "grey", 1)


def staged_rows(staging: Staging, table: str) -> pa.Table:
    """Return the table's rows of all staged batches, sorted by its key."""
    parts = {key: staging.parts(key).get(table) for key in staging.done_keys()}
    rows = [staging.read_part(key, table, part) for key, part in parts.items() if part]
    return sort_by_key(pa.concat_tables(rows), TABLES[table])


def play(
    player: str,
    run: int,
    status: EpisodeStatus,
    steps: tuple[Step, ...],
    *,
    instance_id: str = INSTANCE_ID,
    book_id: str | None = None,
    tokens: int | None = None,
    cost_usd: float | None = None,
    call_ids: tuple[str | None, ...] = (),
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of one episode, by table."""
    identity = episode_id(book_id, instance_id, player, run)
    episode = {
        "episode_id": identity,
        "instance_id": instance_id,
        "player": player,
        "run": run,
        "version": None,
        "status": status,
        "success": status == "solved",
        "score": float(status == "solved"),
        "turns": len(steps),
        "tokens": tokens,
        "cost_usd": cost_usd,
        "seconds": 0.1,
    }
    turns = [
        {
            "episode_id": identity,
            "turn": step.number,
            "reply": None if call_id else f"<ANSWER> {step.move} </ANSWER>",
            "feedback": None if step.observation is None else observation_text(step.observation),
            "call_id": call_id,
        }
        for step, call_id in zip(steps, call_ids or [None] * len(steps), strict=True)
    ]
    tests = sum(step.kind == "action" for step in steps)
    return {
        "episodes": [episode],
        "turns": turns,
        "kumo_episodes": [{"episode_id": identity, "book_id": book_id, "tests": tests, "decided": None}],
        "kumo_moves": move_rows(identity, player, steps),
    }


def add(parts: Iterable[Mapping[str, list[dict[str, Any]]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all these parts, by table."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for part in parts:
        for name, rows in part.items():
            tables.setdefault(name, []).extend(rows)
    return tables


def plan(edition: str, known: tuple[str, ...] = (), benchmark: str = "kumo") -> RefreshPlan:
    """Return a plan that fits the rows below."""
    own = KumoPlan((CONFIG.config_id,), (Setting(3, 2),), instances=1, min_expected_steps=1.0)
    return RefreshPlan(
        EditionPlan(edition, benchmark, own.as_json(), 3, known, "test"),
        EvaluationPlan(
            edition, "1", benchmark, ("algorithm-3", "random"), runs=1, seed=3, code_version="test"
        ),
    )


def publish(
    store: Store,
    plan: RefreshPlan,
    tables: Mapping[str, pa.Table],
    audits: list[dict[str, Any]],
    created_at: datetime,
    files: Mapping[str, Path] | None = None,
    templates: Mapping[str, str] | None = None,
) -> None:
    """Publish an edition of these tables and its first evaluation, which gets the players' calls."""
    of: dict[bool, dict[str, pa.Table]] = {False: {}, True: {}}
    for name, table in tables.items():
        kind = TABLES[name].kind
        for answers, found in of.items():
            if kind == ("answers" if answers else "questions"):
                found[name] = table
            elif name == "calls":
                is_player = pc.equal(table["role"], "player")
                found[name] = table.filter(is_player if answers else pc.invert(is_player))
            elif kind == "either":
                found[name] = table.slice(0, 0) if name == "rejections" and answers else table
    own = {name: file for name, file in (files or {}).items() if TABLES[name].kind != "answers"}
    answer_files = {name: file for name, file in (files or {}).items() if name not in own}
    publishing.publish(store, plan.growth, of[False], audits, created_at, own, templates)
    statistics = with_place(tables["statistics"], TABLES["statistics"], plan.edition)
    publishing.publish(store, plan.evaluation, of[True], [], created_at, answer_files, templates, statistics)


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
        "price_source": "prices.csv",
        "status": status,
        "error": None,
        "endpoint": "http://127.0.0.1/v1",
        "attempts": 1,
        "latency_s": 0.1,
        "batch_id": None,
    }


def rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every staged table; all of them keep every expectation."""
    draft = book_row(
        INSTANCE_ID, 0, "the draft", "m", BookVerdict(("a rule",)), version="draft", call_id="call_draft"
    )
    book = book_row(INSTANCE_ID, 1, "the book", "template", BookVerdict(), is_replacement=True, style="list")
    truth = Step(3, "truth", "rain", None, None)
    shown = {"book_id": book["book_id"]}
    none = Step(1, "none", None, None, None)
    episodes = add(
        (
            play("algorithm-3", 0, "solved", (MEASURED, LOOKED, truth), **shown),
            play("random", 0, "wrong", (MEASURED, Step(2, "truth", "snow", None, None)), **shown),
            play("m", 0, "truncated", (none,), **shown, tokens=7, cost_usd=0.5, call_ids=("call_cut",)),
            play("m", 1, "api_error", (none,), **shown, call_ids=("call_lost",)),
        )
    )
    return {
        "calls": [
            call("call_cut", "player", "truncated", "kumo/players/turn.md.j2"),
            call("call_lost", "player", "unavailable", "kumo/players/turn.md.j2"),
            call("call_draft", "writer", "ok", "kumo/authors/write_book.md.j2"),
        ],
        "messages": [{"message_id": "msg_1", "content": "what now?"}],
        "kumo_domains": [domain_row(CONFIG, "file")],
        "kumo_authored_domains": [authored_domain_row(CONFIG.domain_id, "accepted", 1, [])],
        "kumo_seed_configs": [config_row(CONFIG, [])],
        "kumo_outcomes": outcome_rows(CONFIG),
        "rejections": [],
        "instances": [
            shared_instance_row(INSTANCE, instance_id=INSTANCE_ID, domain=CONFIG.name, setting="3x2")
        ],
        "kumo_instances": [
            instance_row(
                INSTANCE,
                instance_id=INSTANCE_ID,
                config_id=CONFIG.config_id,
                expected_steps=1.5,
                golden=["measure", "look up", "rain"],
                signature="1,2,2|2,2",
            )
        ],
        "kumo_books": [draft, book],
        **episodes,
        "participants": [],
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
        "family": None,
        "method": "made up",
    }


def tables(changed: dict[str, list[dict[str, Any]]] | None = None) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables, some of them replaced."""
    content = {**rows(), **(changed or {})}
    return {
        name: pa.Table.from_pylist(content.get(name, []), schema=TABLES[name].arrow_schema())
        for name in STAGED_TABLES
    }


def edition_statistics(
    benchmark: str, tables: Mapping[str, pa.Table], seed: int, external: Scores, spread: Spread = run_here
) -> Rows:
    """Return all rows of `statistics` for an edition's tables; equal tables and scores give equal rows."""
    with TemporaryDirectory(prefix="perennial-statistics-") as folder:
        places = {}
        for name, table in tables.items():
            path = Path(folder) / f"{name}.parquet"
            path.write_bytes(parquet_bytes(table))
            places[name] = (str(path),)
        statistics = analyse_tables(folder, places, "", benchmark, seed, external, spread)
    return list(statistics.select([column.name for column in TABLES["statistics"].columns]).to_pylist())
