"""Stage 4: let one player play all instances of a configuration and setting."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from flows.stages.model_calls import ModelSession, run_session
from flows.stages.workspace import Batch, Workspace, open_workspace, stage_once
from schemas.calls import CallPolicy
from schemas.errors import EndpointFailed
from schemas.ids import derive_rng
from schemas.kumo import Episode, Instance
from tasks.kumo.books.rules import rules_of
from tasks.kumo.encoding import EncodedConfig, encode_instance
from tasks.kumo.game import play
from tasks.kumo.players import PLAYERS, PlayerKind, take_seat
from tasks.kumo.players.model import Board, parse_model_player, play_all
from tasks.kumo.search import Solution
from warehouse.kumo.rows import Row, episode_row, instance_from_row, turn_rows
from warehouse.staging.staging import Rows

API_ERRORS = "api_errors"
# An episode that reads its reply has no call in flight: another one under way uses the client's slot.
EPISODES_A_CALL = 2


def evaluate_batch(
    root: str,
    edition: str,
    policy: CallPolicy,
    accept_api_errors: bool,
    batch: Batch,
    player: str,
) -> dict[str, int]:
    """Stage a player's episodes on the instances of one batch; return the counts.

    An instance without a book that passed its check is not played. Where calls failed for good, nothing
    is staged and `api_errors` counts these episodes, unless they are accepted: answers are in the ledger,
    so that only the failed calls are made again.
    """
    workspace = open_workspace(root, edition)
    key = workspace.key("episodes", batch, player)
    if player in PLAYERS:
        return stage_once(workspace, key, lambda: _played(workspace, batch, PLAYERS[player]))
    if workspace.staging.is_done(key):
        return workspace.staging.counts(key)
    work = partial(_played_by_model, workspace, batch, player)
    tables = run_session(workspace, policy, work)
    failed = sum(row["status"] == "api_error" for row in tables["episodes"])
    if failed and not accept_api_errors:
        return {API_ERRORS: failed}
    return workspace.staging.write_batch(key, tables)


def refuse_api_errors(counts: dict[str, int]) -> None:
    """Raise EndpointFailed where episodes ended by failed calls that nobody accepted."""
    failed = counts.get(API_ERRORS, 0)
    if failed:
        raise EndpointFailed(
            f"{failed} episodes ended because model calls failed for good (`perennial calls` shows them, "
            "with --status unavailable or rejected); the same command makes only these calls again, and "
            "--accept-api-errors publishes them as api_error, left out of every rate"
        )


def _played(workspace: Workspace, batch: Batch, kind: PlayerKind) -> dict[str, Rows]:
    encoded = workspace.config(batch.config_id)
    episodes: Rows = []
    turns: Rows = []
    for row, book in _playable(workspace, batch):
        for episode, seconds in _runs(workspace, encoded, row, book["text"], kind):
            entry = episode_row(episode, row["instance_id"], book["book_id"], seconds)
            episodes.append(entry)
            turns += turn_rows(episode, entry["episode_id"])
    return {"episodes": episodes, "turns": turns}


async def _played_by_model(
    workspace: Workspace, batch: Batch, player: str, session: ModelSession
) -> dict[str, Rows]:
    encoded = workspace.config(batch.config_id)
    playable = list(_playable(workspace, batch))
    boards = [_board(encoded, row, book["text"]) for row, book in playable]
    calls = session.batch()
    chosen = parse_model_player(player, workspace.plan.player_params)
    runs = workspace.plan.runs
    played = await play_all(calls, chosen, boards, runs, EPISODES_A_CALL * session.policy.concurrency)
    episodes: Rows = []
    turns: Rows = []
    for number, episode in enumerate(played):
        row, book = playable[number // runs]
        seconds = sum(calls.seconds(turn.call_id) for turn in episode.turns if turn.call_id)
        entry = episode_row(episode, row["instance_id"], book["book_id"], seconds)
        episodes.append(entry)
        turns += turn_rows(episode, entry["episode_id"])
    return calls.added_to({"episodes": episodes, "turns": turns})


def _playable(workspace: Workspace, batch: Batch) -> Iterator[tuple[Row, Row]]:
    """Yield each instance that has a book that passed its check, with that book."""
    usable = {book["instance_id"]: book for book in workspace.book_rows(batch) if book["verdict"] == "passed"}
    for row in workspace.instance_rows(batch):
        if row["instance_id"] in usable:
            yield row, usable[row["instance_id"]]


def _board(encoded: EncodedConfig, row: Row, book: str) -> Board:
    instance = instance_from_row(row, encoded.config)
    return Board(
        encoded.config, instance, encode_instance(encoded, instance), book, rules_of(encoded, instance)
    )


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
