"""Models as players, one episode at a time."""

import asyncio
import json
import random
import warnings
from dataclasses import replace
from itertools import pairwise
from operator import is_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.prompts.render import template_hash
from perennial.schemas.errors import EndpointFailed, InvalidOption, LimitReached
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.tasks.kumo.game import (
    CLOSED_TEMPLATE,
    SYMBOLIC_TEMPLATE,
    SYSTEM_TEMPLATE,
    VARIANTS,
    KumoGame,
    rule_outs_json,
)
from perennial.tasks.play import parse_model_player, play_all
from tests.kumo.asking_models import (
    BOARD,
    SYMBOLIC,
    VANILLA,
    Asking,
    board_of,
    bundled_boards,
    conversation,
    make_reply,
    make_scripted,
    moves,
    name,
    play_all_boards,
    play_once,
    replies,
    steps,
)
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC


@pytest.mark.parametrize(
    ("text", "model", "variant"),
    [
        ("gpt-4o", "gpt-4o", ""),
        ("symbolic:gpt-4o", "gpt-4o", "symbolic"),
        ("org/qwen2.5:7b@q4", "org/qwen2.5:7b@q4", ""),
        ("symbolic:org/qwen2.5:7b@q4", "org/qwen2.5:7b@q4", "symbolic"),
        ("symbolic:symbolic:m", "symbolic:m", "symbolic"),
        ("Symbolic:m", "Symbolic:m", ""),
        ("closed:org/m", "org/m", "closed"),
        ("closed:symbolic:m", "symbolic:m", "closed"),
        ("symbolic", "symbolic", ""),
    ],
)
def test_only_the_exact_prefix_names_the_variant(text, model, variant):
    player = parse_model_player(text, {"seed": 3}, VARIANTS)
    assert (player.name, player.choice.model, player.variant) == (text, model, variant)
    assert player.choice.params == {"seed": 3}


@pytest.mark.parametrize("text", ["", " ", "symbolic:", "symbolic: "])
def test_a_player_without_a_model_is_refused(text):
    with pytest.raises(InvalidOption, match="names no model"):
        parse_model_player(text, {}, VARIANTS)


@pytest.mark.slow
@pytest.mark.parametrize("player", [VANILLA, SYMBOLIC], ids=lambda player: player.name)
def test_the_scripted_player_solves_the_bundled_domains(player):
    boards = bundled_boards()
    if player is SYMBOLIC:
        boards = tuple(replace(board, book="") for board in boards)
    episodes = play_all_boards(make_scripted(), player, boards, runs=1, concurrency=8)
    assert len(episodes) == len(boards) >= 30
    for episode, board in zip(episodes, boards, strict=True):
        assert episode.status == "solved"
        assert moves(episode)[-1] == board.instance.valid_truths[0]
        assert 0 < episode.game.tests <= len(board.instance.actions)
        assert len(set(moves(episode))) == len(episode.turns)


@pytest.mark.slow
@some
@given(worlds())
def test_the_scripted_player_reads_awkward_names_in_both_variants(world):
    board = board_of(world)
    for player in (VANILLA, SYMBOLIC):
        assert play_once(make_scripted(), player, board).status == "solved"


@pytest.mark.parametrize(
    ("call", "episode"),
    [
        ("truncated", "truncated"),
        ("refused", "refused"),
        ("overflow", "truncated"),
        ("empty", "unparsed"),
        ("rejected", "api_error"),
        ("unavailable", "api_error"),
        ("html_body", "api_error"),
        ("invalid_body", "api_error"),
    ],
)
def test_a_call_without_a_whole_answer_ends_the_episode(call, episode):
    cut = replace(name("Cold"), status=call)
    ask = replies(name("Swab"), cut)
    found = play_once(ask)
    assert found.status == episode
    assert [step.kind for step in steps(found)] == ["action", "none"]
    last = found.turns[-1]
    assert (last.feedback, last.reply) == (None, cut.content)
    assert (steps(found)[-1].move, steps(found)[-1].observation) == (None, None)
    assert last.call_id == ask.requests[-1].call_id
    assert len(ask.requests) == 2


def test_turns_carry_their_calls_and_tokens_add_up():
    ask = replies(name("Swab"), name("Thermometer"), name("Cold"))
    episode = play_once(ask)
    assert (episode.player, episode.status, episode.game.tests) == ("m", "solved", 2)
    assert [turn.call_id for turn in episode.turns] == [request.call_id for request in ask.requests]
    assert len({turn.call_id for turn in episode.turns}) == 3
    assert (episode.tokens, episode.cost_usd) == (330, 1.5)


def test_an_unknown_count_or_cost_leaves_the_sum_unknown():
    episode = play_once(replies(name("Swab"), replace(name("Cold"), completion_tokens=None, cost_usd=0.25)))
    assert (episode.tokens, episode.cost_usd) == (None, 0.75)
    episode = play_once(replies(replace(name("Swab"), cost_usd=None), name("Cold")))
    assert (episode.tokens, episode.cost_usd) == (220, None)
    episode = play_once(
        replies(make_reply("<ANSWER>Cold</ANSWER>", prompt_tokens=0, completion_tokens=0, cost_usd=0.0))
    )
    assert (episode.tokens, episode.cost_usd) == (0, 0.0)


@pytest.mark.parametrize("player", [VANILLA, SYMBOLIC], ids=lambda player: player.name)
def test_requests_say_what_they_are(player):
    ask = make_scripted()
    play_once(ask, player, run=3)
    for request in ask.requests:
        assert (request.role, request.model, request.repeat) == ("player", "m", 3)
        assert request.params == {"temperature": 0.5}
        assert request.template == (SYMBOLIC_TEMPLATE if player is SYMBOLIC else SYSTEM_TEMPLATE)
        assert request.template_hash == template_hash(request.template)


def test_the_conversation_is_the_one_of_every_reader():
    ask = make_scripted()
    episode = play_once(ask)
    assert len(ask.requests) > 1
    for number, request in enumerate(ask.requests):
        replies_before = [turn.reply for turn in episode.turns[:number]]
        assert list(request.messages) == conversation(BOARD, replies_before)


def test_no_message_is_made_twice():
    ask = make_scripted()
    play_all_boards(ask, VANILLA, [BOARD], runs=3, concurrency=1)
    assert len({id(request.messages[0]) for request in ask.requests}) == 1
    later = [request for request in ask.requests if request.repeat == 0][1:]
    for before, after in pairwise(later):
        assert all(map(is_, before.messages[:-1], after.messages))


def test_repeats_are_calls_of_their_own():
    ask = make_scripted()
    first, second = play_all_boards(ask, VANILLA, [BOARD], runs=2, concurrency=1)
    assert moves(first) == moves(second)
    assert not {turn.call_id for turn in first.turns} & {turn.call_id for turn in second.turns}
    assert [first.run, second.run] == [0, 1]
    assert {request.repeat for request in ask.requests} == {0, 1}


def test_reasoning_is_neither_parsed_nor_told():
    secret = "No: <ANSWER> Flu </ANSWER>"
    thinking = replace(name("Swab"), reasoning=secret, reasoning_source="think_tags")
    ask = replies(thinking, replace(name("Cold"), reasoning=secret, reasoning_source="field"))
    episode = play_once(ask)
    assert moves(episode) == ["Swab", "Cold"]
    assert episode.status == "solved"
    assert secret not in str([request.messages for request in ask.requests])
    silent = play_once(replies(make_reply("", reasoning=secret, reasoning_source="field")))
    assert silent.status == "unparsed"


def test_an_episode_has_fifty_turns_at_most():
    ask = replies(name("Swab"))
    episode = play_once(ask)
    assert episode.status == "turn_limit"
    assert len(ask.requests) == len(episode.turns) == 50


def test_the_symbolic_player_needs_no_book_and_sees_none():
    ask = make_scripted()
    play_once(ask, SYMBOLIC, replace(BOARD, book="A false book: **Cold**."))
    system = ask.requests[0].messages[0]["content"]
    assert "A false book" not in system
    assert "guidebook" not in system
    assert "they never confirm" in system
    assert rule_outs_json(BOARD.instance.truths, BOARD.rules) in system


def test_the_closed_player_sees_lists_and_outcomes_and_no_rules():
    ask = replies(name("Swab"), name("Cold"))
    episode = play_once(ask, parse_model_player("closed:m", {}, VARIANTS), BOARD)
    assert (episode.player, episode.status, ask.requests[0].model) == ("closed:m", "solved", "m")
    opened = replies(name("Swab"), name("Cold"))
    play_once(opened, VANILLA, BOARD)
    (system, *turns), (open_system, *open_turns) = (one.requests[1].messages for one in (ask, opened))
    assert turns == open_turns
    assert "Observed outcome" in turns[-1]["content"]
    head, _, _ = open_system["content"].partition("The guidebook below")
    assert system["content"].startswith(head)
    assert all(f"- {listed}\n" in system["content"] for listed in ("Cold", "Flu", "Swab", "Thermometer"))
    for shown in ("<BOOK>", "<RULE_OUTS>", "red", "37.5"):
        assert shown not in system["content"]
    assert ask.requests[0].template_hash == template_hash(CLOSED_TEMPLATE) != opened.requests[0].template_hash


@pytest.mark.parametrize("variant", ["", *VARIANTS])
@pytest.mark.parametrize(
    ("n_valid", "promise"),
    [
        (1, "Exactly one disease in this list is consistent with the outcomes of all diagnostic tests, incl"),
        (2, "Exactly 2 diseases in this list are consistent with the outcomes of all diagnostic tests, incl"),
    ],
)
def test_every_system_message_promises_how_many_truths_survive(variant, n_valid, promise):
    valid = BOARD.instance.truths[:n_valid]
    board = replace(BOARD, instance=replace(BOARD.instance, valid_truths=valid))
    assert promise in KumoGame(board).opening(variant).messages[0]["content"]


def test_the_mapping_is_json_with_exact_ends():
    text = rule_outs_json(("Cold", "Flu"), CLINIC.rules)
    assert text.splitlines() == [
        "{",
        '  "Thermometer": {',
        '    "[35.0, 37.5)": ["Flu"],',
        '    "[37.5, 42.0]": ["Cold"]',
        "  },",
        '  "Swab": {',
        '    "clear": ["Cold", "Flu"],',
        '    "red": []',
        "  }",
        "}",
    ]


def test_of_two_equal_outcomes_the_first_counts_in_the_mapping_too():
    clear, _ = (rule for rule in CLINIC.rules if rule.action == "Swab")
    text = rule_outs_json(("Cold", "Flu"), [clear, replace(clear, rules_out=frozenset())])
    assert json.loads(text) == {"Swab": {"clear": ["Cold", "Flu"]}}


def test_a_game_takes_no_reply_after_its_end_and_has_no_result_before():
    game = KumoGame(BOARD)
    assert game.take("<ANSWER>Swab</ANSWER>") == "red"
    assert game.result() is None
    game.end("refused")
    for late in (lambda: game.take("<ANSWER>Cold</ANSWER>"), lambda: game.end("api_error")):
        with pytest.raises(ValueError, match="has ended"):
            late()
    assert game.result().status == "refused"


# Many episodes of model players at once: order, errors, calls in flight.


class Shuffled:
    """Asks another, but lets requests wait and answers them in an order drawn by `seed`."""

    def __init__(self, ask: Asking, seed: int) -> None:
        self.ask, self.rng = ask, random.Random(seed)
        self.under_way = self.most = 0

    async def __call__(self, request: ModelRequest) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for _ in range(self.rng.randrange(8)):
            await asyncio.sleep(0)
        self.under_way -= 1
        return await self.ask(request)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 9))
def test_results_do_not_depend_on_timing(seed, concurrency):
    boards = bundled_boards()[:6]
    in_turn = play_all_boards(make_scripted(), VANILLA, boards, runs=3, concurrency=1)
    shuffled = Shuffled(make_scripted(), seed)
    assert play_all_boards(shuffled, VANILLA, boards, runs=3, concurrency=concurrency) == in_turn
    assert [episode.run for episode in in_turn] == [0, 1, 2] * 6
    assert [moves(e)[-1] for e in in_turn[::3]] == [board.instance.valid_truths[0] for board in boards]
    assert shuffled.most == concurrency


@pytest.mark.parametrize("kind", [EndpointFailed, LimitReached])
def test_calls_in_flight_are_finished_before_an_error_is_raised(kind):
    begun, finished = [], []
    failing = asyncio.Event()

    async def ask(request: ModelRequest) -> Reply:
        begun.append(request.repeat)
        if request.repeat == 2:
            while len(begun) < 6:
                await asyncio.sleep(0)
            failing.set()
            raise kind("no more")
        await failing.wait()
        await asyncio.sleep(0.01)
        finished.append(request.repeat)
        return name("Swab")

    noise: list[object] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: noise.append(context))
        with pytest.raises(kind, match="no more"):
            await play_all(ask, VANILLA, [lambda: KumoGame(BOARD)], runs=range(20), concurrency=6)
        assert len(asyncio.all_tasks()) == 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
    assert sorted(begun) == [0, 1, 2, 3, 4, 5]
    assert sorted(finished) == [0, 1, 3, 4, 5]
    assert noise == []


def test_the_first_error_is_the_one_that_is_raised():
    has_failed = [asyncio.Event() for _ in range(4)]
    has_failed[3].set()

    async def ask(request: ModelRequest) -> Reply:
        await has_failed[request.repeat + 1].wait()
        has_failed[request.repeat].set()
        raise EndpointFailed(f"run {request.repeat}")

    with pytest.raises(EndpointFailed, match="run 2"):
        play_all_boards(ask, VANILLA, [BOARD], runs=3, concurrency=3)


def test_nobody_plays_without_concurrency_and_nothing_is_played_without_boards():
    with pytest.raises(InvalidOption, match="concurrency 0"):
        play_all_boards(make_scripted(), VANILLA, [BOARD], runs=1, concurrency=0)
    assert play_all_boards(make_scripted(), VANILLA, [], runs=5, concurrency=4) == []
