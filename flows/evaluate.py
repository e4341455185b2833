"""Stage 4: let one player play all instances of a configuration and setting."""

import time
from collections.abc import Iterator
from typing import Any

from flows.workspace import Workspace, open_workspace, stage_once
from schemas.ids import derive_rng
from schemas.kumo import Episode, Instance
from tasks.kumo.encoding import EncodedConfig, encode_instance
from tasks.kumo.game import play
from tasks.kumo.players import PlayerKind, player_kind, take_seat
from tasks.kumo.search import Solution
from warehouse.kumo_rows import episode_row, instance_from_row, turn_rows
from warehouse.stage import Rows


def evaluate_batch(root: str, edition: str, config_id: str, setting_name: str, player: str) -> dict[str, int]:
    """Stage a player's episodes on the instances of one configuration and setting; return the counts.

    An instance without a book that passed its check is not played.
    """
    workspace = open_workspace(root, edition)
    key = workspace.episodes_key(config_id, setting_name, player)
    return stage_once(
        workspace, key, lambda: _played(workspace, config_id, setting_name, player_kind(player))
    )


def _played(workspace: Workspace, config_id: str, setting_name: str, kind: PlayerKind) -> dict[str, Rows]:
    encoded = workspace.config(config_id)
    staging = workspace.staging
    books = staging.read_batch(workspace.books_key(config_id, setting_name), "books")
    usable = {book["instance_id"]: book for book in books if book["verdict"] == "passed"}
    episodes: Rows = []
    turns: Rows = []
    for row in staging.read_batch(workspace.sample_key(config_id, setting_name), "kumo_instances"):
        book = usable.get(row["instance_id"])
        if book is None:
            continue
        for episode, seconds in _runs(workspace, encoded, row, book["text"], kind):
            entry = episode_row(episode, row["instance_id"], book["book_id"], seconds)
            episodes.append(entry)
            turns += turn_rows(episode, entry["episode_id"])
    return {"episodes": episodes, "turns": turns}


def _runs(
    workspace: Workspace, encoded: EncodedConfig, row: dict[str, Any], book: str, kind: PlayerKind
) -> Iterator[tuple[Episode, float]]:
    """Yield each run and its seconds; a player that never draws plays once, as its runs would be equal."""
    instance = instance_from_row(row, encoded.config)
    board = encode_instance(encoded, instance)
    solution = _solution(row, instance)
    for run in range(workspace.plan.runs if kind.is_random else 1):
        rng = derive_rng(workspace.plan.seed, f"episode/{row['instance_id']}/{kind.name}", run)
        started = time.perf_counter()
        player = kind.start(take_seat(encoded.config, instance, board, book, solution, rng))
        episode = play(instance, board, player, kind.name, run)
        yield episode, time.perf_counter() - started


def _solution(row: dict[str, Any], instance: Instance) -> Solution:
    *actions, answer = row["golden"]
    return Solution(
        status="solved",
        expected_steps=row["expected_steps"],
        golden_actions=tuple(instance.actions.index(action) for action in actions),
        golden_answer=instance.truths.index(answer),
    )
