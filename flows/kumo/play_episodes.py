"""Stage 4: let one player play all instances of a configuration and setting."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from flows.kumo.edition import Cell, KumoEdition
from flows.stages.grow import CallsFailed
from flows.stages.model_calls import ModelSession, run_session
from flows.stages.policies import Policies
from flows.stages.workspace import Workspace
from schemas.benchmark import Batch
from schemas.ids import derive_rng
from schemas.kumo.things import Episode, Instance
from tasks.kumo.books.rules import rules_of
from tasks.kumo.encoding import EncodedConfig, encode_instance
from tasks.kumo.game import play as play_episode
from tasks.kumo.players import PLAYERS, PlayerKind, take_seat
from tasks.kumo.players.model import Board, parse_model_player, play_all
from tasks.kumo.search import Solution
from warehouse.kumo.rows import Row, episode_row, instance_from_row, turn_rows
from warehouse.staging.staging import Rows

# An episode that reads its reply has no call in flight: another one under way uses the client's slot.
EPISODES_A_CALL = 2


def play(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of a player's episodes on the instances of one cell.

    An instance without a book that passed its check is not played. Raises CallsFailed where calls failed for
    good, unless such episodes are accepted: answers are in the ledger, so that only the failed calls are
    made again.
    """
    edition, cell, player = KumoEdition(workspace), Cell.of(batch), batch.key[-1]
    if player in PLAYERS:
        return _played(edition, cell, PLAYERS[player])
    tables = run_session(workspace, policies.calls, partial(_played_by_model, edition, cell, player))
    failed = sum(row["status"] == "api_error" for row in tables["episodes"])
    if failed and not policies.accept_api_errors:
        raise CallsFailed(failed)
    return tables


def _played(edition: KumoEdition, cell: Cell, kind: PlayerKind) -> dict[str, Rows]:
    encoded = edition.config(cell.config_id)
    episodes: Rows = []
    turns: Rows = []
    for row, book in _playable(edition, cell):
        for episode, seconds in _runs(edition, encoded, row, book["text"], kind):
            entry = episode_row(episode, row["instance_id"], book["book_id"], seconds)
            episodes.append(entry)
            turns += turn_rows(episode, entry["episode_id"])
    return {"episodes": episodes, "turns": turns}


async def _played_by_model(
    edition: KumoEdition, cell: Cell, player: str, session: ModelSession
) -> dict[str, Rows]:
    encoded = edition.config(cell.config_id)
    playable = list(_playable(edition, cell))
    boards = [_board(encoded, row, book["text"]) for row, book in playable]
    calls = session.batch()
    chosen = parse_model_player(player, edition.plan.player_params)
    runs = edition.plan.runs
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


def _playable(edition: KumoEdition, cell: Cell) -> Iterator[tuple[Row, Row]]:
    """Yield each instance that has a book that passed its check, with that book."""
    usable = {book["instance_id"]: book for book in edition.book_rows(cell) if book["verdict"] == "passed"}
    for row in edition.instance_rows(cell):
        if row["instance_id"] in usable:
            yield row, usable[row["instance_id"]]


def _board(encoded: EncodedConfig, row: Row, book: str) -> Board:
    instance = instance_from_row(row, encoded.config)
    return Board(
        encoded.config, instance, encode_instance(encoded, instance), book, rules_of(encoded, instance)
    )


def _runs(
    edition: KumoEdition, encoded: EncodedConfig, row: dict[str, Any], book: str, kind: PlayerKind
) -> Iterator[tuple[Episode, float]]:
    """Yield each run and its seconds; a player that never draws plays once, as its runs would be equal."""
    instance = instance_from_row(row, encoded.config)
    board = encode_instance(encoded, instance)
    solution = _solution(row, instance)
    for run in range(edition.plan.runs if kind.is_random else 1):
        rng = derive_rng(edition.plan.seed, f"episode/{row['instance_id']}/{kind.name}", run)
        started = time.perf_counter()
        player = kind.start(take_seat(encoded.config, instance, board, book, solution, rng))
        episode = play_episode(instance, board, player, kind.name, run)
        yield episode, time.perf_counter() - started


def _solution(row: dict[str, Any], instance: Instance) -> Solution:
    *actions, answer = row["golden"]
    return Solution(
        status="solved",
        expected_steps=row["expected_steps"],
        golden_actions=tuple(instance.actions.index(action) for action in actions),
        golden_answer=instance.truths.index(answer),
    )
