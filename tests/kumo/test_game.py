"""The game and its grader, and how a move is read out of a reply."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.game import Result
from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.answers import Move, parse_answer
from perennial.tasks.kumo.game import Board, KumoGame, is_correct, play
from tests.kumo.small_worlds import names, some, worlds
from tests.kumo.test_books import CLINIC

TRUTHS = ("Brain Tumor", "Flu (type A)", "Gout", "Both", "${x}")
ACTIONS = ("Brain MRI", "X-Ray", "x-ray", "Both", "gout ")


@pytest.mark.parametrize(
    ("reply", "kind", "name"),
    [
        ("<ANSWER>Brain MRI</ANSWER>", "action", "Brain MRI"),
        ("I think.\n<ANSWER> Brain Tumor </ANSWER> Done.", "truth", "Brain Tumor"),
        ("<answer>\n\tBrain Tumor\n</Answer>", "truth", "Brain Tumor"),
        ("<ANSWER>${Brain MRI}</ANSWER>", "action", "Brain MRI"),
        ("<ANSWER> ${ brain  tumor } </ANSWER>", "truth", "Brain Tumor"),
        ("<ANSWER>${x}</ANSWER>", "truth", "${x}"),
        ("<ANSWER>BRAIN\n TUMOR</ANSWER>", "truth", "Brain Tumor"),
        ("<ANSWER>X-Ray</ANSWER>", "action", "X-Ray"),
        ("<ANSWER>x-ray</ANSWER>", "action", "x-ray"),
        ("<ANSWER>X-RAY</ANSWER>", "none", None),
        ("<ANSWER>Both</ANSWER>", "action", "Both"),
        ("<ANSWER>both</ANSWER>", "action", "Both"),
        ("<ANSWER>Gout</ANSWER>", "truth", "Gout"),
        ("<ANSWER>GOUT</ANSWER>", "none", None),
        ("<ANSWER>Gout</ANSWER> or <ANSWER>Brain MRI</ANSWER>", "none", None),
        ("<ANSWER>Gout</ANSWER> or <ANSWER>**Gout**</ANSWER>", "truth", "Gout"),
        ("I end with <ANSWER>...</ANSWER>. <ANSWER>Gout</ANSWER>", "truth", "Gout"),
        ("<ANSWER>Gout</ANSWER>, as in <ANSWER>...</ANSWER>", "none", None),
        ("<ANSWER>...</ANSWER>", "none", None),
        ("<ANSWER>Gout</ANSWER> or <ANSWER>Nothing listed</ANSWER>", "none", None),
        ("<ANSWER>Gout</ANSWER> then <ANSWER>Brain MRI", "truth", "Gout"),
        ("<ANSWER><ANSWER>Gout</ANSWER></ANSWER>", "truth", "Gout"),
        ("<ANSWER>Flu <ANSWER>Gout</ANSWER> MRI</ANSWER>", "truth", "Gout"),
        ("</ANSWER><ANSWER>Gout</ANSWER></ANSWER>", "truth", "Gout"),
        ("<ANSWER>Gout", "none", None),
        ("Gout</ANSWER>", "none", None),
        ("Gout", "none", None),
        ("", "none", None),
        ("<ANSWER></ANSWER>", "none", None),
        ("<ANSWER>Gout.</ANSWER>", "truth", "Gout"),
        ("<ANSWER>**Brain MRI**</ANSWER>", "action", "Brain MRI"),
        ("<ANSWER>- Brain MRI</ANSWER>", "action", "Brain MRI"),
        ("<ANSWER>\n* `Brain MRI`\n</ANSWER>", "action", "Brain MRI"),
        ('<ANSWER>"Brain MRI"</ANSWER>', "action", "Brain MRI"),
        ("<ANSWER>“brain MRI.”</ANSWER>", "action", "Brain MRI"),
        ("<ANSWER>${'Brain MRI'}</ANSWER>", "action", "Brain MRI"),
        ('<ANSWER>- **"Brain MRI".**</ANSWER>', "action", "Brain MRI"),
        ("<ANSWER>- Gout\n- Brain MRI</ANSWER>", "none", None),
        ("<ANSWER>not Gout</ANSWER>", "none", None),
        ("<ANSWER>Brain Tumor or Gout</ANSWER>", "none", None),
        ("<ANSWER>Gout?</ANSWER>", "none", None),
        ("<ANSWER>Gout (not X-Ray)</ANSWER>", "none", None),
        ("<ANSWER>Gout, Brain MRI</ANSWER>", "none", None),
        ("<anſwer>Gout</anſwer>", "none", None),
    ],
)
def test_moves(reply, kind, name):
    assert parse_answer(reply, TRUTHS, ACTIONS) == Move(kind, name)


TYPESET = (
    "Frey’s procedure",  # as a name may be listed
    "Maxwell-Boltzmann test",
    "R&B",
    "Époisses",
    "Epoisse",
    "5° C",
    "co-op",
    "coop",
    "Rosé",
    "Rose",
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Frey's procedure", "Frey’s procedure"),
        ("Frey&#39;s procedure", "Frey’s procedure"),
        ("Frey&#x27;s procedure", "Frey’s procedure"),
        ("Frey&rsquo;s procedure", "Frey’s procedure"),
        ("Freyʼs procedure", "Frey’s procedure"),
        ("​Frey′s procedure‎", "Frey’s procedure"),
        ("Maxwell‑Boltzmann test", "Maxwell-Boltzmann test"),
        ("**Maxwell–Boltzmann test**", "Maxwell-Boltzmann test"),
        ("max­well−Boltzmann test", "Maxwell-Boltzmann test"),
        ("Ｍａｘｗｅｌｌ－Ｂoltzmann test", "Maxwell-Boltzmann test"),
        ("𝐌𝐚xwell&ndash;Boltzmann test", "Maxwell-Boltzmann test"),
        ("R&amp;B", "R&B"),
        ("&quot;R&#38;B&quot;", "R&B"),
        ("Époisses", "Époisses"),
        ("Epoisses", "Époisses"),
        ("5° C", "5° C"),
        ("co‐op", "co-op"),
        # two names fit, or another one is meant
        ("rosẹ́", None),
        ("ROSE", "Rose"),
        ("Ros\u0117", None),
        ("not Frey’s procedure", None),
        ("R&B;", None),
    ],
)
def test_look_alikes_are_one_name_where_one_is_meant(written, name):
    for listed in (TYPESET, TYPESET[::-1]):
        assert parse_answer(f"<ANSWER>{written}</ANSWER>", listed, ACTIONS).name == name
    assert parse_answer(f"&lt;ANSWER&gt;{written}&lt;/ANSWER&gt;", TYPESET, ACTIONS).name == name


def test_look_alikes_of_two_names_are_none_of_them():
    both = ("Hero's Journey", "Hero’s Journey")
    assert [parse_answer(f"<ANSWER>{one}</ANSWER>", both, ACTIONS).name for one in both] == [*both]
    assert parse_answer("<ANSWER>Heroʼs Journey</ANSWER>", both, ACTIONS).name is None


@pytest.mark.slow
@some
@given(st.lists(names, min_size=2, max_size=8, unique=True), st.data())
def test_every_listed_name_can_be_named(listed, data):
    half = len(listed) // 2
    name = data.draw(st.sampled_from(listed))
    around = data.draw(st.sampled_from(["", " ", "\n"]))
    before = data.draw(st.text(max_size=30) | st.just("<ANSWER>no</ANSWER>"))
    move = parse_answer(f"{before}<ANSWER>{around}{name}{around}</ANSWER>", listed[:half], listed[half:])
    assert move == Move("truth" if name in listed[:half] else "action", name)


@given(st.text() | st.lists(st.sampled_from(["<ANSWER>", "</ANSWER>", "Gout", " ", "${", "}"])).map("".join))
def test_any_reply_is_read(reply):
    move = parse_answer(reply, TRUTHS, ACTIONS)
    assert (move.kind == "none") == (move.name is None)
    assert move.name is None or move.name in TRUTHS + ACTIONS


@pytest.mark.parametrize("piece", ["<ANSWER>", "</ANSWER>", "<ANSWER> ", "<", "<ANSWER></ANSWER>", " a"])
@pytest.mark.slow
def test_long_replies_are_read(piece):
    # In quadratic time this would take hours.
    reply = "<ANSWER>" + piece * (4_000_000 // len(piece)) + "</ANSWER>"
    assert parse_answer(reply, TRUTHS, ACTIONS).kind == "none"


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
