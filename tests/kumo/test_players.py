import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.game import Board, KumoGame, user_message
from perennial.tasks.kumo.players import (
    ALIASES,
    PLAYERS,
    Briefing,
    ReaderPlayer,
    best_action,
    brief_player,
    read_last_outcome,
    read_lists,
)
from perennial.tasks.kumo.search.solve import Optimum, Solution
from perennial.tasks.play import play_program
from tests.kumo.asking_models import board_of, conversation, moves
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC


def episode_of(name: str, board: Board, seed: int = 0):
    return play_program(PLAYERS[name], KumoGame(board), 0, derive_rng(seed, "play", 0))


def test_players_are_known_by_name():
    assert list(PLAYERS) == ["algorithm-3", "optimum", "greedy", "random", "reader", "guesser"]
    assert ALIASES == {"oracle": "algorithm-3"}
    assert {program.name for program in PLAYERS.values() if program.is_random} == {"random"}


def test_a_seat_tells_nothing_of_the_case():
    board, rng = board_of(CLINIC), derive_rng(0, "play", 0)
    assert set(Briefing.__dataclass_fields__) == {
        "config",
        "truths",
        "actions",
        "masks",
        "book",
        "solution",
        "rng",
        "n_valid",  # which is promised, not which they are
        "case",  # of reports: rules and their reliability
    }
    other = replace(CLINIC.instance, observations=(40.0, "clear"), states=(1, 0), valid_truths=("Flu",))
    assert brief_player(replace(board, instance=other), rng) == brief_player(board, rng)


def test_the_guesser_names_the_least_struck_truth_at_once():
    board = board_of(CLINIC)
    states = [mask for of_action in brief_player(board, random.Random(0)).masks for mask in of_action]
    truths = CLINIC.instance.truths
    struck = [sum(mask >> t & 1 for mask in states) for t in range(len(truths))]
    episode = episode_of("guesser", board)
    assert moves(episode) == [truths[struck.index(min(struck))]]
    assert episode.game.tests == 0


def test_algorithm_3_plays_the_golden_trajectory():
    board = board_of(CLINIC, solution=Solution("solved", 1.0, (1, 0), 1))
    episode = episode_of("algorithm-3", board)
    assert moves(episode) == ["Swab", "Thermometer", "Flu"]
    assert episode.status == "wrong"
    episode = episode_of("algorithm-3", replace(board, solution=Solution("solved", 1.0, (0,), 0)))
    assert moves(episode) == ["Thermometer", "Cold"]
    assert episode.status == "solved"


@pytest.mark.parametrize("solution", [None, Solution("time_limit", None, (), None)])
def test_algorithm_3_needs_a_finished_search(solution):
    with pytest.raises(InvalidOption, match="'algorithm-3' needs the instance's finished search"):
        episode_of("algorithm-3", board_of(CLINIC, solution=solution))


def test_the_optimum_plays_its_own_moves_and_algorithm_3s_where_it_is_not_known():
    exact = Optimum("exact", 1.0, 1.0, 1.5, (0,), 0)
    solution = Solution("solved", 1.0, (1, 0), 1, exact)
    assert moves(episode_of("optimum", board_of(CLINIC, solution=solution))) == ["Thermometer", "Cold"]
    bounds = replace(solution, optimum=Optimum("bounds", 1.5, 1.0, 1.5, (), None))
    assert moves(episode_of("optimum", board_of(CLINIC, solution=bounds))) == ["Swab", "Thermometer", "Flu"]
    with pytest.raises(InvalidOption, match="'optimum' needs the instance's optimum under the promise"):
        episode_of("optimum", board_of(CLINIC, solution=replace(solution, optimum=None)))


def test_greedy_weighs_outcomes_by_the_truths_that_they_leave():
    halves = [0b0011, 0b1100]  # 2 of 4 truths in either state: 2 expected
    rare = [0b0111, 0b0000]  # weights 1 and 4: 3 / 5 expected
    single = [0b0001, 0b0000]  # weights 3 and 4: 3 / 7 expected
    assert best_action([single, rare, halves], 0b1111, [0, 1, 2]) == 2
    assert best_action([single, rare, halves], 0b1111, [0, 1]) == 1
    assert best_action([halves, halves], 0b1111, [0, 1]) == 0
    assert best_action([halves, halves], 0b1111, [1]) == 1


def test_greedy_stops_where_no_action_helps():
    assert best_action([[0b01, 0b00]], 0b10, [0]) is None
    assert best_action([[0b001, 0b000]], 0b110, [0]) is None
    assert best_action([], 0b11, []) is None
    assert best_action([[0b11, 0b11]], 0b11, [0]) == 0


@pytest.mark.slow
@some
@given(st.integers(1, 3).flatmap(lambda n_valid: worlds(n_valid)), st.integers(0, 5))
def test_greedy_and_reader_solve_every_sound_instance(world, seed):
    board = board_of(world, seed)
    for name in ("greedy", "reader"):
        episode = episode_of(name, board)
        assert episode.status == "solved"
        assert len(set(moves(episode))) == len(moves(episode))


@pytest.mark.slow
@some
@given(worlds())
def test_the_reader_knows_only_its_text(world):
    briefing = brief_player(board_of(world), derive_rng(0, "play", 0))
    blind = replace(briefing, masks=(), config=replace(briefing.config, outcomes=()))
    seeing, unseeing = ReaderPlayer(briefing), ReaderPlayer(blind)
    game = KumoGame(board_of(world))
    while game.status is None:
        reply = seeing.reply(game.steps)
        assert unseeing.reply(game.steps) == reply
        game.take(reply)


def test_the_reader_believes_a_false_book():
    board = board_of(CLINIC)
    swapped = (
        board.book.replace("**Cold**", "**X**").replace("**Flu**", "**Cold**").replace("**X**", "**Flu**")
    )
    assert episode_of("reader", board).status == "solved"
    assert episode_of("reader", replace(board, book=swapped)).status == "wrong"


@pytest.mark.parametrize("book", ["", "Lost pages.", "## Truths\n\n## Actions\n\n### Swab\n"])
def test_the_reader_makes_a_move_even_without_a_book(book):
    episode = episode_of("reader", replace(board_of(CLINIC), book=book))
    assert moves(episode) == ["Cold"]


@pytest.mark.slow
@some
@given(worlds(), st.integers(0, 2**32))
def test_random_moves_are_listed_and_never_repeated(world, seed):
    episode = episode_of("random", board_of(world), seed)
    assert episode.status in ("solved", "wrong")
    assert len(set(moves(episode)[:-1])) == len(moves(episode)) - 1
    assert episode == episode_of("random", board_of(world), seed)


def test_random_follows_no_rule():
    episodes = [episode_of("random", board_of(CLINIC), seed) for seed in range(400)]
    solved = sum(episode.success for episode in episodes)
    assert 150 < solved < 250  # one of two truths is valid
    counts = [sum(episode.game.tests == n for episode in episodes) for n in range(3)]
    assert all(90 < count < 180 for count in counts)  # 0, 1 and 2 actions alike
    assert {moves(episode)[0] for episode in episodes} == {"Swab", "Thermometer", "Cold", "Flu"}


@pytest.mark.slow
@some
@given(worlds())
def test_messages_are_a_chat_that_grows_by_turns(world):
    board = board_of(world)
    truths, actions = world.instance.truths, world.instance.actions
    episode = episode_of("greedy", board)
    replies = [turn.reply for turn in episode.turns[:-1]]
    steps = episode.game.steps[:-1]
    messages = conversation(board, replies)
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user"] + ["assistant", "user"] * len(replies)
    assert all(message.keys() == {"role", "content"} for message in messages)
    assert board.book.strip("\n") in messages[0]["content"]
    assert all(f"- {name}\n" in messages[0]["content"] for name in truths + actions)
    assert [m["content"] for m in messages if m["role"] == "assistant"] == replies
    for length in range(len(replies)):
        *kept, _ = conversation(board, replies[:length])
        assert messages[: len(kept)] == kept
    shown = [m["content"] for m in messages if m["role"] == "user"]
    assert read_lists(shown[-1]) == (list(truths), list(actions))
    assert not any(f"- {name}\n" in text for name in truths + actions for text in shown[:-1])
    assert read_last_outcome(shown[0]) == ("", "")
    assert [read_last_outcome(text) for text in shown[1:]] == [(s.move, s.observation) for s in steps]


@given(st.floats(allow_nan=False))
def test_shown_numbers_are_read_back_exactly(value):
    step = Step(1, "action", "Thermometer", value, 0)
    message = user_message(step)
    assert read_last_outcome(message["content"]) == ("Thermometer", value)
