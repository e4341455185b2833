from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.kumo.things import Turn
from tasks.kumo.game import is_correct, play
from tests.kumo.small_worlds import unhurried, worlds
from tests.kumo.test_books import CLINIC


class Script:
    """Gives fixed replies and keeps what it was shown."""

    def __init__(self, *replies: str) -> None:
        self.replies = replies
        self.seen: list[tuple[Turn, ...]] = []

    def reply(self, turns: Sequence[Turn]) -> str:
        self.seen.append(tuple(turns))
        return self.replies[min(len(turns), len(self.replies) - 1)]


def say(name: str) -> str:
    return f"Hm. <ANSWER> {name} </ANSWER>"


def run(*replies: str, turn_limit: int = 50):
    script = Script(*replies)
    return play(CLINIC.instance, CLINIC.encoded, script, "script", 2, turn_limit), script


def test_actions_show_their_observations_and_a_truth_ends_the_game():
    episode, script = run(say("Swab"), say("thermometer"), say("Cold"), say("Swab"))
    assert (episode.player, episode.run, episode.status) == ("script", 2, "solved")
    assert episode.success
    assert episode.tests == 2
    assert episode.turns == (
        Turn(1, "action", "Swab", say("Swab"), "red", 1),
        Turn(2, "action", "Thermometer", say("thermometer"), 36.2, 0),
        Turn(3, "truth", "Cold", say("Cold"), None, None),
    )
    assert script.seen == [episode.turns[:n] for n in range(3)]


def test_a_truth_that_an_untaken_action_rules_out_is_wrong():
    episode, _ = run(say("Swab"), say("Flu"))
    assert episode.status == "wrong"
    assert not episode.success


def test_a_guess_without_any_action_counts():
    episode, _ = run(say("Cold"))
    assert (episode.status, episode.tests) == ("solved", 0)


def test_a_repeated_action_shows_the_same_and_counts_again():
    episode, _ = run(say("Thermometer"), say("Thermometer"), say("Cold"))
    assert episode.tests == 2
    assert [turn.observation for turn in episode.turns] == [36.2, 36.2, None]


@pytest.mark.parametrize("reply", ["", "Cold", say("Gout"), "<ANSWER>Cold"])
def test_a_reply_without_a_move_ends_the_game(reply):
    episode, _ = run(say("Swab"), reply)
    assert episode.status == "unparsed"
    assert episode.turns[-1] == Turn(2, "none", None, reply, None, None)
    assert episode.tests == 1


@pytest.mark.parametrize("turn_limit", [1, 3, 50])
def test_the_game_stops_at_the_turn_limit(turn_limit):
    episode, script = run(say("Swab"), turn_limit=turn_limit)
    assert episode.status == "turn_limit"
    assert len(episode.turns) == len(script.seen) == turn_limit


def test_a_truth_in_the_last_turn_still_counts():
    episode, _ = run(say("Swab"), say("Cold"), turn_limit=2)
    assert episode.status == "solved"


@unhurried
@given(st.integers(1, 3).flatmap(lambda n_valid: worlds(n_valid)))
def test_right_are_exactly_the_valid_truths_of_a_sound_instance(world):
    right = {truth for truth in world.instance.truths if is_correct(world.instance, world.encoded, truth)}
    assert right == set(world.instance.valid_truths)
