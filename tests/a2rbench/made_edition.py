"""A small edition of A2RBench, grown and played here: rows of every staged table, without a refresh."""

import random
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pyarrow as pa

from perennial.flows.a2rbench.edition import ItemSeat, shared_row
from perennial.schemas.a2rbench.things import A2RBenchPlan, Item
from perennial.schemas.game import Program
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.a2rbench.items import check_items
from perennial.tasks.a2rbench.players import PLAYERS
from perennial.tasks.play import play_program
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics

Rows = dict[str, list[Row]]
NAMES = ("line_reverse", "line_caesar", "cube_reverse_layers", "cube_transpose_layers")
VARIATIONS = (0, 1, 4, 5, 7)
# What two models answer, item after item: right, the query, a list that is wrong, null, no JSON.
MODELS: Mapping[str, str] = {"m-large": "RRRWRRN", "m-small": "RQWNRX"}
RUNS = 2


@cache
def items() -> tuple[Item, ...]:
    """Return the items of a few rules."""
    grown: list[Item] = []
    for name in NAMES:
        request = SeedRequest(RULES[name], 0, VARIATIONS, True, 3, find_protection().jail)
        found = grow_seed(request)
        assert not found.rejected
        grown += found.items
    return tuple(grown)


def rows(models: Mapping[str, str] = MODELS) -> Rows:
    """Return the rows of every staged table, which are the caller's to change."""
    return deepcopy(_grow_and_play(tuple(models.items())))


@cache
def _grow_and_play(models: tuple[tuple[str, str], ...]) -> Rows:
    names = (*staged_tables("a2rbench", answers=False), *staged_tables("a2rbench", answers=True))
    tables: Rows = {name: [] for name in names}
    tables["a2rbench_items"] = [asdict(item) for item in items()]
    tables["instances"] = [shared_row(item, number, 3) for number, item in enumerate(items())]
    for name in NAMES:
        own = [item for item in items() if item.rule == name]
        counts = asdict(check_items(RULES[name], own, find_protection().jail, (3,)))
        assert counts.pop("faults") == []
        row = {"domain": own[0].domain, "rule": name, **counts, "tier": find_protection().tier}
        tables["a2rbench_gate"].append(row)
    play(tables, items(), dict(models))
    return tables


def play(tables: Rows, of: Sequence[Item], models: Mapping[str, str] = MODELS) -> None:
    """Add the rows of what all players answer to these items."""
    for number, item in enumerate(of):
        for player in PLAYERS:
            _play(tables, item, PLAYERS[player], 0)
        for player, replies in models.items():
            for run in range(RUNS):
                reply = _reply(item, replies[(number + run) % len(replies)])
                _play(tables, item, _say(player, reply), run)


def _say(player: str, reply: str) -> Program:
    return Program(player, False, "", lambda _game, _rng: lambda: reply)


def _reply(item: Item, kind: str) -> str:
    answer = {"R": item.answer, "Q": item.query, "W": '["no"]', "N": "null"}.get(kind)
    return "I cannot say." if answer is None else f'Thinking. {{"rule": "r", "final_answer": {answer}}}'


def _play(tables: Rows, item: Item, program: Program, run: int) -> None:
    seat = ItemSeat(item.instance_id, item.answer, item.prompt, item.template_hash)
    episode = play_program(program, seat.start(), run, random.Random(0))
    id_ = seat.episode_id(program.name, run)
    tables["a2rbench_answers"] += seat.own_rows(id_, episode)["a2rbench_answers"]
    tables["turns"].append(
        {"episode_id": id_, "turn": 1, "reply": episode.turns[0].reply, "feedback": None, "call_id": None}
    )
    tables["episodes"].append(
        {"episode_id": id_, "instance_id": item.instance_id, "player": program.name, "run": run}
        | {"version": None, "status": episode.status, "success": episode.success}
        | {"score": episode.result.score, "turns": 1, "tokens": None, "cost_usd": None, "seconds": 0.1}
    )


def arrow(made: Rows) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables."""
    return {name: pa.Table.from_pylist(of, schema=TABLES[name].arrow_schema()) for name, of in made.items()}


def statistics(made: Rows) -> list[Row]:
    """Return the rows of table `statistics` of an edition of these rows."""
    return list(edition_statistics("a2rbench", arrow(made), 3, {}))


@cache
def usual_statistics() -> tuple[Row, ...]:
    """Return those of the edition as it is made."""
    return tuple(statistics(rows()))


def publish(root: Path, made: Rows, computed: Sequence[Row], edition: str = "a1") -> Store:
    """Publish the rows with their statistics; return the data root."""
    store, tables = Store(str(root)), arrow(made)
    tables["statistics"] = pa.Table.from_pylist(list(computed), schema=TABLES["statistics"].arrow_schema())
    plan = tiny_edition.plan(edition, benchmark="a2rbench")
    own = A2RBenchPlan(1, 9, True, "", "none").as_json()
    plan = replace(plan, growth=replace(plan.growth, own=own))
    tiny_edition.publish(store, plan, tables, [], datetime(2026, 1, 9, tzinfo=UTC))
    return store
