from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.game import Result
from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.game import Board, KumoGame, is_correct, play
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC


class Script:
    """Gives fixed replies and keeps what it was shown."""

    def __init__(self, *replies: str) -> None:
        self.replies = replies
        self.seen: list[tuple[Step, ...]] = []

    def reply(self, steps: Sequence[Step]) -> str:
        self.seen.append(tuple(steps))
        return self.replies[min(len(steps), len(self.replies) - 1)]


def say(name: str) -> str:
    return f"Hm. <ANSWER> {name} </ANSWER>"


def run(*replies: str, turn_limit: int = 50):
    script = Script(*replies)
    board = Board(CLINIC.config, CLINIC.instance, CLINIC.encoded)
    return play(KumoGame(board, turn_limit), script.reply), script


def test_actions_show_their_observations_and_a_truth_ends_the_game():
    game, script = run(say("Swab"), say("thermometer"), say("Cold"), say("Swab"))
    assert game.result() == Result("solved", True, 1.0)
    assert game.tests == 2
    assert game.steps == [
        Step(1, "action", "Swab", "red", 1),
        Step(2, "action", "Thermometer", 36.2, 0),
        Step(3, "truth", "Cold", None, None),
    ]
    assert script.seen == [tuple(game.steps[:n]) for n in range(3)]


def test_a_truth_that_an_untaken_action_rules_out_is_wrong():
    game, _ = run(say("Swab"), say("Flu"))
    assert game.status == "wrong"
    assert game.result() == Result("wrong", False, 0.0)


def test_a_guess_without_any_action_counts():
    game, _ = run(say("Cold"))
    assert (game.status, game.tests) == ("solved", 0)


def test_a_repeated_action_shows_the_same_and_counts_again():
    game, _ = run(say("Thermometer"), say("Thermometer"), say("Cold"))
    assert game.tests == 2
    assert [step.observation for step in game.steps] == [36.2, 36.2, None]


@pytest.mark.parametrize("reply", ["", "Cold", say("Gout"), "<ANSWER>Cold"])
def test_a_reply_without_a_move_ends_the_game(reply):
    game, _ = run(say("Swab"), reply)
    assert game.status == "unparsed"
    assert game.steps[-1] == Step(2, "none", None, None, None)
    assert game.tests == 1


@pytest.mark.parametrize("turn_limit", [1, 3, 50])
def test_the_game_stops_at_the_turn_limit(turn_limit):
    game, script = run(say("Swab"), turn_limit=turn_limit)
    assert game.status == "turn_limit"
    assert len(game.steps) == len(script.seen) == turn_limit


def test_a_truth_in_the_last_turn_still_counts():
    game, _ = run(say("Swab"), say("Cold"), turn_limit=2)
    assert game.status == "solved"


@pytest.mark.slow
@some
@given(st.integers(1, 3).flatmap(lambda n_valid: worlds(n_valid)))
def test_right_are_exactly_the_valid_truths_of_a_sound_instance(world):
    right = {truth for truth in world.instance.truths if is_correct(world.instance, world.encoded, truth)}
    assert right == set(world.instance.valid_truths)
