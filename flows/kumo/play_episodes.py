"""Stage 4: let one player play all instances of a configuration and setting."""

import time
from dataclasses import dataclass
from functools import lru_cache, partial

from flows.kumo.edition import Cell, KumoEdition
from flows.stages.grow import CallsFailed
from flows.stages.model_calls import ModelSession, run_session
from flows.stages.policies import Policies
from flows.stages.workspace import Workspace, open_workspace
from schemas.benchmark import Batch
from schemas.game import Episode
from schemas.ids import derive_rng
from schemas.kumo.things import Instance
from tasks.kumo.board import Board
from tasks.kumo.books.rules import rules_of
from tasks.kumo.encoding import EncodedConfig, encode_instance
from tasks.kumo.game import VARIANTS, KumoGame
from tasks.kumo.players import PLAYERS
from tasks.kumo.search import Solution
from tasks.play.model_player import parse_model_player, play_all
from tasks.play.program_player import Program, play_program
from warehouse.kumo.rows import Row, episode_id, instance_from_row, kumo_episode_row, move_rows
from warehouse.staging.play_rows import episode_row, turn_rows
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


def _played(edition: KumoEdition, cell: Cell, program: Program) -> dict[str, Rows]:
    seats = _seats(edition, cell)
    tables = _empty()
    for seat in seats:
        # A player that never draws plays once, as its runs would be equal.
        for run in range(edition.workspace.plan.evaluation.runs if program.is_random else 1):
            rng = derive_rng(edition.workspace.plan.seed, f"episode/{seat.instance_id}/{program.name}", run)
            started = time.perf_counter()
            episode = play_program(program, KumoGame(seat.board), run, rng)
            _add(tables, seat, episode, time.perf_counter() - started)
    return tables


async def _played_by_model(
    edition: KumoEdition, cell: Cell, player: str, session: ModelSession
) -> dict[str, Rows]:
    seats = _seats(edition, cell)
    calls = session.batch()
    chosen = parse_model_player(player, edition.workspace.plan.evaluation.player_params, VARIANTS)
    runs = edition.workspace.plan.evaluation.runs
    games = [partial(KumoGame, seat.board) for seat in seats]
    played = await play_all(calls, chosen, games, runs, EPISODES_A_CALL * session.policy.concurrency)
    tables = _empty()
    for number, episode in enumerate(played):
        seconds = sum(calls.seconds(turn.call_id) for turn in episode.turns if turn.call_id)
        _add(tables, seats[number // runs], episode, seconds)
    return calls.added_to(tables)


@dataclass(frozen=True, slots=True)
class _Seat:
    """An instance as it is played, and the ids of instance and book."""

    instance_id: str
    book_id: str
    board: Board


def _seats(edition: KumoEdition, cell: Cell) -> tuple[_Seat, ...]:
    """Return each instance of the cell that has a book that passed its check: read once for all players."""
    staging = edition.workspace.staging
    parts = (
        staging.parts(edition.workspace.key(cell.batch("sample"))).get("kumo_instances"),
        staging.parts(edition.workspace.key(cell.batch("books"))).get("kumo_books"),
    )
    return _read_seats(staging.store.root, staging.edition, cell, parts)


@lru_cache(maxsize=1)
def _read_seats(root: str, name: str, cell: Cell, _parts: tuple[object, ...]) -> tuple[_Seat, ...]:
    edition = KumoEdition(open_workspace(root, name))
    encoded = edition.config(cell.config_id)
    usable = {book["instance_id"]: book for book in edition.book_rows(cell) if book["verdict"] == "passed"}
    return tuple(
        _seat(encoded, row, usable[row["instance_id"]])
        for row in edition.instance_rows(cell)
        if row["instance_id"] in usable
    )


def _seat(encoded: EncodedConfig, row: Row, book: Row) -> _Seat:
    instance = instance_from_row(row, encoded.config)
    board = Board(
        encoded.config,
        instance,
        encode_instance(encoded, instance),
        book["text"],
        rules_of(encoded, instance),
        _solution(row, instance),
    )
    return _Seat(row["instance_id"], book["book_id"], board)


def _empty() -> dict[str, Rows]:
    return {"episodes": [], "turns": [], "kumo_episodes": [], "kumo_moves": []}


def _add(tables: dict[str, Rows], seat: _Seat, episode: Episode, seconds: float) -> None:
    """Add the rows of one episode."""
    assert isinstance(episode.game, KumoGame)
    identity = episode_id(seat.book_id, seat.instance_id, episode.player, episode.run)
    tables["episodes"].append(episode_row(episode, identity, seat.instance_id, seconds))
    tables["turns"] += turn_rows(episode, identity)
    tables["kumo_episodes"].append(kumo_episode_row(identity, seat.book_id, episode.game.tests))
    tables["kumo_moves"] += move_rows(identity, episode.game.steps)


def _solution(row: Row, instance: Instance) -> Solution:
    *actions, answer = row["golden"]
    return Solution(
        status="solved",
        expected_steps=row["expected_steps"],
        golden_actions=tuple(instance.actions.index(action) for action in actions),
        golden_answer=instance.truths.index(answer),
    )
