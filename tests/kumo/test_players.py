import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InvalidOption
from schemas.ids import derive_rng
from schemas.kumo.things import Turn
from tasks.kumo.books import write_book
from tasks.kumo.conversation import messages_for
from tasks.kumo.game import play
from tasks.kumo.players import PLAYERS, Seat, player_kind, take_seat
from tasks.kumo.players.greedy import best_action
from tasks.kumo.players.reader import read_last_outcome, read_lists
from tasks.kumo.search import Solution
from tests.kumo.small_worlds import World, released_worlds, unhurried, worlds
from tests.kumo.test_books import CLINIC


def seat_at(world: World, seed: int = 0, solution: Solution | None = None) -> Seat:
    book = write_book(world.config, world.instance, world.rules, random.Random(seed))
    rng = derive_rng(seed, "play", 0)
    return take_seat(world.config, world.instance, world.encoded, book, solution, rng)


def episode_of(name: str, world: World, seat: Seat):
    return play(world.instance, world.encoded, player_kind(name).start(seat), name, 0)


def test_players_are_known_by_name():
    assert list(PLAYERS) == ["oracle", "greedy", "random", "reader"]
    assert {kind.name for kind in PLAYERS.values() if kind.is_random} == {"random"}
    with pytest.raises(InvalidOption, match=r"'gpt' is not known: use one of oracle, greedy, random, reader"):
        player_kind("gpt")


def test_a_seat_tells_nothing_of_the_case():
    seat = seat_at(CLINIC)
    assert set(Seat.__dataclass_fields__) == {
        "config",
        "truths",
        "actions",
        "masks",
        "book",
        "solution",
        "rng",
    }
    other = replace(CLINIC.instance, observations=(40.0, "clear"), states=(1, 0), valid_truths=("Flu",))
    assert take_seat(CLINIC.config, other, CLINIC.encoded, seat.book, None, seat.rng) == seat


def test_the_oracle_plays_the_golden_trajectory():
    seat = seat_at(CLINIC, solution=Solution("solved", 1.0, (1, 0), 1))
    episode = episode_of("oracle", CLINIC, seat)
    assert [turn.move for turn in episode.turns] == ["Swab", "Thermometer", "Flu"]
    assert episode.status == "wrong"
    episode = episode_of("oracle", CLINIC, replace(seat, solution=Solution("solved", 1.0, (0,), 0)))
    assert [turn.move for turn in episode.turns] == ["Thermometer", "Cold"]
    assert episode.status == "solved"


@pytest.mark.parametrize("solution", [None, Solution("time_limit", None, (), None)])
def test_the_oracle_needs_a_finished_search(solution):
    with pytest.raises(InvalidOption, match="'oracle' needs the instance's finished search"):
        player_kind("oracle").start(seat_at(CLINIC, solution=solution))


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


@unhurried
@given(st.integers(1, 3).flatmap(lambda n_valid: worlds(n_valid)), st.integers(0, 5))
def test_greedy_and_reader_solve_every_sound_instance(world, seed):
    seat = seat_at(world, seed)
    for name in ("greedy", "reader"):
        episode = episode_of(name, world, seat)
        assert episode.status == "solved"
        moves = [turn.move for turn in episode.turns]
        assert len(set(moves)) == len(moves)


@unhurried
@given(worlds())
def test_the_reader_knows_only_its_text(world):
    seat = seat_at(world)
    blind = replace(seat, masks=(), config=replace(seat.config, outcomes=()))
    assert episode_of("reader", world, blind) == episode_of("reader", world, seat)


def test_the_reader_believes_a_false_book():
    seat = seat_at(CLINIC)
    swapped = (
        seat.book.replace("**Cold**", "**X**").replace("**Flu**", "**Cold**").replace("**X**", "**Flu**")
    )
    assert episode_of("reader", CLINIC, seat).status == "solved"
    assert episode_of("reader", CLINIC, replace(seat, book=swapped)).status == "wrong"


@pytest.mark.parametrize("book", ["", "Lost pages.", "## Truths\n\n## Actions\n\n### Swab\n"])
def test_the_reader_makes_a_move_even_without_a_book(book):
    episode = episode_of("reader", CLINIC, replace(seat_at(CLINIC), book=book))
    assert [turn.move for turn in episode.turns] == ["Cold"]


@unhurried
@given(worlds(), st.integers(0, 2**32))
def test_random_moves_are_listed_and_never_repeated(world, seed):
    episode = episode_of("random", world, seat_at(world, seed))
    assert episode.status in ("solved", "wrong")
    moves = [turn.move for turn in episode.turns]
    assert len(set(moves[:-1])) == len(moves) - 1
    assert episode == episode_of("random", world, seat_at(world, seed))


def test_random_follows_no_rule():
    episodes = [episode_of("random", CLINIC, seat_at(CLINIC, seed)) for seed in range(400)]
    solved = sum(episode.success for episode in episodes)
    assert 150 < solved < 250  # one of two truths is valid
    counts = [sum(episode.tests == n for episode in episodes) for n in range(3)]
    assert all(90 < count < 180 for count in counts)  # 0, 1 and 2 actions alike
    assert {episode.turns[0].move for episode in episodes} == {"Swab", "Thermometer", "Cold", "Flu"}


@unhurried
@given(worlds())
def test_messages_are_a_chat_that_grows_by_turns(world):
    seat = seat_at(world)
    turns = episode_of("greedy", world, seat).turns[:-1]
    messages = messages_for(world.config, seat.truths, seat.actions, seat.book, turns)
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user"] + ["assistant", "user"] * len(turns)
    assert all(message.keys() == {"role", "content"} for message in messages)
    assert seat.book.strip("\n") in messages[0]["content"]
    assert all(f"- {name}\n" in messages[0]["content"] for name in seat.truths + seat.actions)
    assert [m["content"] for m in messages if m["role"] == "assistant"] == [turn.reply for turn in turns]
    for length in range(len(turns)):
        shorter = messages_for(world.config, seat.truths, seat.actions, seat.book, turns[:length])
        assert messages[: len(shorter)] == shorter
    shown = [m["content"] for m in messages if m["role"] == "user"]
    assert [read_lists(text) for text in shown] == [(list(seat.truths), list(seat.actions))] * len(shown)
    assert read_last_outcome(shown[0]) == ("", "")
    assert [read_last_outcome(text) for text in shown[1:]] == [(t.move, t.observation) for t in turns]


@unhurried
@given(st.floats(allow_nan=False))
def test_shown_numbers_are_read_back_exactly(value):
    turn = Turn(1, "action", "Thermometer", "", value, 0)
    messages = messages_for(CLINIC.config, ("Flu", "Cold"), ("Thermometer",), "A book", [turn])
    assert read_last_outcome(messages[-1]["content"]) == ("Thermometer", value)


def test_the_prompt_speaks_the_domains_language():
    system, start = messages_for(CLINIC.config, ("Flu", "Cold"), ("Thermometer", "Swab"), "A book", [])
    assert "The goal: Find the disease." in system["content"]
    assert "Either choose one diagnostic test" in system["content"]
    assert "<ANSWER> name </ANSWER>" in system["content"]
    assert system["content"].endswith("<BOOK>\nA book\n</BOOK>")
    assert start["content"].startswith(
        "Diseases:\n- Flu\n- Cold\n\nDiagnostic tests:\n- Thermometer\n- Swab\n"
    )
    assert "<ANSWER> name </ANSWER>" in start["content"]


@pytest.mark.parametrize(
    ("domain", "setting"),
    [("MedicalEnv", "4"), ("MusicEnv", "4"), ("ChemicalEnv", "4"), ("MedicalEnv", "12")],
)
def test_greedy_and_reader_solve_released_instances(release, domain, setting):
    for number, world in enumerate(released_worlds(release, domain, setting)):
        seat = seat_at(world, number)
        assert episode_of("greedy", world, seat).success
        reader = episode_of("reader", world, seat)
        assert reader.success
        assert reader.tests <= len(world.instance.actions)
