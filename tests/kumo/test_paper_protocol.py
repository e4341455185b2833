"""The game under the authors' protocol: their order of messages, and their reading of replies."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.flows.kumo.release.domain_files import read_messages
from perennial.tasks.kumo.answers import Move, parse_answer, parse_as_published
from perennial.tasks.kumo.game import VARIANTS, Board, KumoGame
from perennial.tasks.play import ModelPlayer, parse_model_player
from tests.kumo.asking_models import BOARD, VANILLA, make_reply, name, play_once, replies
from tests.kumo.paper_clone import write_clone

CLOSED = parse_model_player("closed:m", {}, VARIANTS)
TRUTHS, ACTIONS = list(BOARD.instance.truths), list(BOARD.instance.actions)
ASK = f"Tests: {ACTIONS!r}\nCauses: {TRUTHS!r}\nWrite <ANSWER> ${{name}} </ANSWER>."
HEAD = f"\nOne {{cause}} is left over.\nCauses: {TRUTHS!r}\nTests: {ACTIONS!r}\n"


@pytest.fixture
def board(tmp_path: Path) -> Board:
    found = read_messages(write_clone(tmp_path), ["ChemicalEnv"])["ChemicalEnv"]
    return replace(BOARD, protocol=found)


@pytest.mark.parametrize(
    ("player", "book"),
    [(VANILLA, f"\n<BOOK>\n{BOARD.book}\n</BOOK>"), (CLOSED, "")],
    ids=lambda value: value.name if isinstance(value, ModelPlayer) else "",
)
def test_the_lists_are_in_the_last_message_alone(board: Board, player: ModelPlayer, book: str) -> None:
    ask = replies(name("Swab"), name("Thermometer"), name("Cold"))
    episode = play_once(ask, player, board)
    assert [turn.feedback for turn in episode.turns] == ["red", str(board.instance.observations[0]), None]
    system = ("system", HEAD + book)
    thermometer = repr({"action": "Thermometer", "observation": board.instance.observations[0]})
    said = [("assistant", "Hm. <ANSWER> Swab </ANSWER>"), ("assistant", "Hm. <ANSWER> Thermometer </ANSWER>")]
    seen = "Seen: {'action': 'Swab', 'observation': 'red'}"
    sent = [[(message["role"], message["content"]) for message in r.messages] for r in ask.requests]
    assert sent == [
        [system, ("user", ASK)],
        [system, ("user", "Go ahead."), said[0], ("user", f"{seen}\n--\n{ASK}")],
        [
            *(system, ("user", "Go ahead."), said[0], ("user", seen), said[1]),
            ("user", f"Seen: {thermometer}\n--\n{ASK}"),
        ],
    ]
    assert {(r.template, r.template_hash) for r in ask.requests} == {
        ("kumo-2025/ChemicalEnv", board.protocol.template_hash)
    }


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("<ANSWER> Swab </ANSWER>", "Swab"),
        ("<ANSWER>Swab</ANSWER> or <ANSWER> Cold", "Cold"),
        ("<ANSWER> ${Swab} </ANSWER>", "Swab"),
        ("Let's perform: ${Swab}$", "Swab"),
        ("Swab", "Swab"),
        ("so ANSWER ${Cold}</ANSWER>", "Cold"),
        ("<ANSWER> swab </ANSWER>", None),
        ("<ANSWER> Swab. </ANSWER>", None),
        ("<answer> Swab </answer>", None),
        ("<ANSWER> Swab </ANSWER> <ANSWER> none", None),
        ("", None),
    ],
)
def test_replies_are_read_as_the_authors_read_them(board: Board, reply: str, move: str | None) -> None:
    assert parse_as_published(reply, TRUTHS, ACTIONS).name == move
    episode = play_once(replies(make_reply(reply), name("Cold")), VANILLA, board)
    assert (episode.status == "unparsed") is (move is None)


def test_a_name_in_both_lists_is_a_truth_as_with_the_authors() -> None:
    assert parse_as_published("<ANSWER>A</ANSWER>", ["A"], ["A"]) == Move("truth", "A")
    assert parse_answer("<ANSWER>A</ANSWER>", ["A"], ["A"]) == Move("action", "A")


@given(st.sampled_from([*TRUTHS, *ACTIONS]), st.text("ab <>$\n", max_size=20))
def test_an_exact_name_in_one_pair_of_tags_is_read_alike_by_both(listed: str, before: str) -> None:
    reply = f"{before} <ANSWER> {listed} </ANSWER>"
    assert parse_as_published(reply, TRUTHS, ACTIONS) == parse_answer(reply, TRUTHS, ACTIONS)


def test_the_game_itself_is_the_same(board: Board) -> None:
    for moves in (["Swab", "Swab", "Cold"], ["Flu"], ["Thermometer", "Cold"]):
        ours, theirs = (play_once(replies(*map(name, moves)), VANILLA, each) for each in (BOARD, board))
        assert (ours.status, ours.game.tests) == (theirs.status, theirs.game.tests)
    game = KumoGame(board, turn_limit=1)
    game.take("<ANSWER>Swab</ANSWER>")
    assert game.status == "turn_limit"


@pytest.mark.slow
def test_every_reply_of_the_authors_runs_is_read_as_they_read_it(release: Path) -> None:
    read, ours_differs = 0, 0
    for file in sorted(release.glob("results/*/VanillaAgent/*/*/*.jsonl")):
        instances = (
            release / "instances" / file.parts[-3] / f"{file.parts[-2].removesuffix('_revised')}.jsonl"
        )
        lines = map(json.loads, instances.read_text().splitlines())
        names = {line["seed"]: (line["truths"], line["actions"]) for line in lines}
        for row in map(json.loads, file.read_text().splitlines()):
            for run in row["trajectories"]:
                for reply, move in zip(run["generated_text"], run["actions"], strict=False):
                    truths, actions = names[row["seed"]]
                    assert parse_as_published(reply, truths, actions).name == move
                    ours_differs += parse_answer(reply, truths, actions).name != move
                    read += 1
    assert read == 21_839
    assert ours_differs == 41
