import asyncio
import json
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from operator import is_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.render import template_hash
from schemas.calls import ModelRequest, Reply
from schemas.errors import EndpointFailed, InvalidOption, LimitReached
from schemas.ids import derive_rng
from schemas.kumo import Episode, Setting
from tasks.kumo.books import write_book
from tasks.kumo.books.rules import rules_of
from tasks.kumo.configuration import parse_config
from tasks.kumo.conversation import messages_for, rule_outs_json, symbolic_message
from tasks.kumo.encoding import encode_config, encode_instance
from tasks.kumo.game import Match
from tasks.kumo.players import Board, ModelPlayer, parse_model_player, play_all, play_model
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tests.kumo.small_worlds import World, unhurried, worlds
from tests.kumo.test_books import CLINIC
from tests.server.roles.player import SCRIPT
from tests.server.script import Asked
from warehouse.bundled import bundled_domains, bundled_text

VANILLA = parse_model_player("m", {"temperature": 0.5})
SYMBOLIC = parse_model_player("symbolic:m", {"temperature": 0.5})


def board_of(world: World) -> Board:
    book = write_book(world.config, world.instance, world.rules, random.Random(0))
    return Board(world.config, world.instance, world.encoded, book, world.rules)


BOARD = board_of(CLINIC)


@lru_cache(maxsize=1)
def bundled_boards() -> tuple[Board, ...]:
    """Three instances of each bundled domain, easy and hard, with their template books."""
    boards = []
    for name in bundled_domains():
        encoded = encode_config(parse_config(bundled_text(name), name))
        for setting in ("easy", "hard"):
            sample = sample_instances(encoded, SamplingRequest(Setting.parse(setting), 3, seed=1))
            for instance in sample.instances:
                rules = rules_of(encoded, instance)
                book = write_book(encoded.config, instance, rules, random.Random(instance.index))
                boards.append(
                    Board(encoded.config, instance, encode_instance(encoded, instance), book, rules)
                )
    return tuple(boards)


def said(content: str, **fields: object) -> Reply:
    """A whole answer with its tokens; `fields` change it."""
    reply = Reply("", "ok", content, usage="reported", prompt_tokens=100, completion_tokens=10, cost_usd=0.5)
    return replace(reply, **fields)


def name(move: str) -> Reply:
    return said(f"Hm. <ANSWER> {move} </ANSWER>")


class Asking:
    """Answers each request by a function of it and its number, and keeps all requests."""

    def __init__(self, reply: Callable[[ModelRequest, int], Reply]) -> None:
        self.reply = reply
        self.requests: list[ModelRequest] = []

    async def __call__(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        return replace(self.reply(request, len(self.requests) - 1), call_id=request.call_id)


def replies(*given: Reply) -> Asking:
    return Asking(lambda _, number: given[min(number, len(given) - 1)])


def asked(request: ModelRequest) -> Asked:
    return Asked(request.model, request.messages, request.params)


def scripted(*faults: str | None) -> Asking:
    """The scripted player; the faults are those of its first replies."""

    def reply(request: ModelRequest, number: int) -> Reply:
        assert SCRIPT.recognises(asked(request))
        fault = faults[number] if number < len(faults) else None
        return said(SCRIPT.reply(asked(request), fault, derive_rng(0, request.call_id, 0)))

    return Asking(reply)


def played(ask: Asking, player: ModelPlayer = VANILLA, board: Board = BOARD, **options: int) -> Episode:
    options = {"run": 0, **options}
    game = play_model(
        ask, player, board.config, board.instance, board.encoded, board.book, board.rules, **options
    )
    return asyncio.run(game)


def all_played(ask, player: ModelPlayer, boards: Sequence[Board], runs: int, concurrency: int):
    return asyncio.run(play_all(ask, player, boards, runs, concurrency))


def moves(episode: Episode) -> list[str | None]:
    return [turn.move for turn in episode.turns]


@pytest.mark.parametrize(
    ("text", "model", "variant"),
    [
        ("gpt-4o", "gpt-4o", "vanilla"),
        ("symbolic:gpt-4o", "gpt-4o", "symbolic"),
        ("org/qwen2.5:7b@q4", "org/qwen2.5:7b@q4", "vanilla"),
        ("symbolic:org/qwen2.5:7b@q4", "org/qwen2.5:7b@q4", "symbolic"),
        ("symbolic:symbolic:m", "symbolic:m", "symbolic"),
        ("Symbolic:m", "Symbolic:m", "vanilla"),
        ("symbolic", "symbolic", "vanilla"),
    ],
)
def test_only_the_exact_prefix_names_the_variant(text, model, variant):
    player = parse_model_player(text, {"seed": 3})
    assert (player.name, player.choice.model, player.variant) == (text, model, variant)
    assert player.choice.params == {"seed": 3}


@pytest.mark.parametrize("text", ["", " ", "symbolic:", "symbolic: "])
def test_a_player_without_a_model_is_refused(text):
    with pytest.raises(InvalidOption, match="names no model"):
        parse_model_player(text, {})


@pytest.mark.parametrize("player", [VANILLA, SYMBOLIC], ids=lambda player: player.variant)
def test_the_scripted_player_solves_the_bundled_domains(player):
    boards = bundled_boards()
    if player is SYMBOLIC:
        boards = tuple(replace(board, book="") for board in boards)
    episodes = all_played(scripted(), player, boards, runs=1, concurrency=8)
    assert len(episodes) == len(boards) >= 30
    for episode, board in zip(episodes, boards, strict=True):
        assert episode.status == "solved"
        assert moves(episode)[-1] == board.instance.valid_truths[0]
        assert 0 < episode.tests <= len(board.instance.actions)
        assert len(set(moves(episode))) == len(episode.turns)


@unhurried
@given(worlds())
def test_the_scripted_player_reads_awkward_names_in_both_variants(world):
    board = board_of(world)
    for player in (VANILLA, SYMBOLIC):
        assert played(scripted(), player, board).status == "solved"


def test_an_unreadable_book_still_gets_a_listed_name():
    for book in ("", "Lost pages.", "## A\n\n## B\n"):
        episode = played(scripted(), board=replace(BOARD, book=book))
        assert moves(episode)[-1] in CLINIC.instance.truths


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("wrong_name", "unparsed"),
        ("other_case", "solved"),
        ("two_answers", "solved"),
        ("no_answer", "unparsed"),
        ("no_tags", "unparsed"),
    ],
)
def test_each_fault_of_the_script_gives_its_status(fault, status):
    assert fault in SCRIPT.faults
    right = played(scripted())
    faulty = played(scripted(fault))
    assert faulty.status == status
    assert (moves(faulty) == moves(right)) is (status == "solved")
    assert faulty.turns[0].reply != right.turns[0].reply


def test_a_premature_answer_is_drawn():
    episodes = [played(scripted("premature"), run=run) for run in range(30)]
    assert {episode.status for episode in episodes} == {"solved", "wrong"}
    assert {episode.tests for episode in episodes} == {0}


@pytest.mark.parametrize(
    ("call", "episode"),
    [
        ("truncated", "truncated"),
        ("refused", "refused"),
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
    found = played(ask)
    assert found.status == episode
    assert [turn.kind for turn in found.turns] == ["action", "none"]
    last = found.turns[-1]
    assert (last.move, last.observation, last.reply) == (None, None, cut.content)
    assert last.call_id == ask.requests[-1].call_id
    assert len(ask.requests) == 2


def test_turns_carry_their_calls_and_tokens_add_up():
    ask = replies(name("Swab"), name("Thermometer"), name("Cold"))
    episode = played(ask)
    assert (episode.player, episode.status, episode.tests) == ("m", "solved", 2)
    assert [turn.call_id for turn in episode.turns] == [request.call_id for request in ask.requests]
    assert len({turn.call_id for turn in episode.turns}) == 3
    assert (episode.tokens, episode.cost_usd) == (330, 1.5)


def test_an_unknown_count_or_cost_leaves_the_sum_unknown():
    episode = played(replies(name("Swab"), replace(name("Cold"), completion_tokens=None, cost_usd=0.25)))
    assert (episode.tokens, episode.cost_usd) == (None, 0.75)
    episode = played(replies(replace(name("Swab"), cost_usd=None), name("Cold")))
    assert (episode.tokens, episode.cost_usd) == (220, None)
    episode = played(
        replies(said("<ANSWER>Cold</ANSWER>", prompt_tokens=0, completion_tokens=0, cost_usd=0.0))
    )
    assert (episode.tokens, episode.cost_usd) == (0, 0.0)


@pytest.mark.parametrize("player", [VANILLA, SYMBOLIC], ids=lambda player: player.variant)
def test_requests_say_what_they_are(player):
    ask = scripted()
    played(ask, player, run=3)
    for request in ask.requests:
        assert (request.role, request.model, request.repeat) == ("player", "m", 3)
        assert request.params == {"temperature": 0.5}
        assert request.template == player.template
        assert request.template_hash == template_hash(player.template)
    assert VANILLA.template != SYMBOLIC.template


def test_the_conversation_is_the_one_of_every_reader():
    ask = scripted()
    episode = played(ask)
    assert len(ask.requests) > 1
    for number, request in enumerate(ask.requests):
        expected = messages_for(
            BOARD.config, BOARD.instance.truths, BOARD.instance.actions, BOARD.book, episode.turns[:number]
        )
        assert list(request.messages) == expected


def test_no_message_is_made_twice():
    ask = scripted()
    all_played(ask, VANILLA, [BOARD], runs=3, concurrency=1)
    openings = {tuple(id(message) for message in request.messages[:2]) for request in ask.requests}
    assert len(openings) == 1
    for before, after in pairwise(request for request in ask.requests if request.repeat == 0):
        assert all(map(is_, before.messages, after.messages))


def test_repeats_are_calls_of_their_own():
    ask = scripted()
    first, second = all_played(ask, VANILLA, [BOARD], runs=2, concurrency=1)
    assert moves(first) == moves(second)
    assert not {turn.call_id for turn in first.turns} & {turn.call_id for turn in second.turns}
    assert [first.run, second.run] == [0, 1]
    assert {request.repeat for request in ask.requests} == {0, 1}


def test_reasoning_is_neither_parsed_nor_told():
    secret = "No: <ANSWER> Flu </ANSWER>"
    thinking = replace(name("Swab"), reasoning=secret, reasoning_source="think_tags")
    ask = replies(thinking, replace(name("Cold"), reasoning=secret, reasoning_source="field"))
    episode = played(ask)
    assert moves(episode) == ["Swab", "Cold"]
    assert episode.status == "solved"
    assert secret not in str([request.messages for request in ask.requests])
    silent = played(replies(said("", reasoning=secret, reasoning_source="field")))
    assert silent.status == "unparsed"


def test_an_episode_has_fifty_turns_at_most():
    ask = replies(name("Swab"))
    episode = played(ask)
    assert episode.status == "turn_limit"
    assert len(ask.requests) == len(episode.turns) == 50
    assert played(replies(name("Swab")), turn_limit=2).status == "turn_limit"
    assert played(replies(name("Swab"), name("Cold")), turn_limit=2).status == "solved"


def test_the_symbolic_player_needs_no_book_and_sees_none():
    ask = scripted()
    played(ask, SYMBOLIC, replace(BOARD, book="A false book: **Cold**."))
    system = ask.requests[0].messages[0]["content"]
    assert "A false book" not in system
    assert "guidebook" not in system
    assert "they never confirm" in system
    truths, actions = BOARD.instance.truths, BOARD.instance.actions
    assert system == symbolic_message(BOARD.config, truths, actions, BOARD.rules)["content"]


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


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 9))
def test_results_do_not_depend_on_timing(seed, concurrency):
    boards = bundled_boards()[:6]
    in_turn = all_played(scripted(), VANILLA, boards, runs=3, concurrency=1)
    shuffled = Shuffled(scripted(), seed)
    assert all_played(shuffled, VANILLA, boards, runs=3, concurrency=concurrency) == in_turn
    assert [episode.run for episode in in_turn] == [0, 1, 2] * 6
    assert [moves(e)[-1] for e in in_turn[::3]] == [board.instance.valid_truths[0] for board in boards]
    assert shuffled.most == concurrency


@pytest.mark.parametrize("kind", [EndpointFailed, LimitReached])
def test_calls_in_flight_are_finished_before_an_error_is_raised(kind):
    begun, finished = [], []

    async def ask(request: ModelRequest) -> Reply:
        begun.append(request.repeat)
        if request.repeat == 2:
            await asyncio.sleep(0.01)
            raise kind("no more")
        await asyncio.sleep(0.03)
        finished.append(request.repeat)
        return name("Swab")

    noise: list[object] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: noise.append(context))
        with pytest.raises(kind, match="no more"):
            await play_all(ask, VANILLA, [BOARD], runs=20, concurrency=6)
        assert len(asyncio.all_tasks()) == 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
    assert sorted(begun) == [0, 1, 2, 3, 4, 5]
    assert sorted(finished) == [0, 1, 3, 4, 5]
    assert noise == []


def test_the_first_error_is_the_one_that_is_raised():
    async def ask(request: ModelRequest) -> Reply:
        await asyncio.sleep(0.01 * (3 - request.repeat))
        raise EndpointFailed(f"run {request.repeat}")

    with pytest.raises(EndpointFailed, match="run 2"):
        all_played(ask, VANILLA, [BOARD], runs=3, concurrency=3)


def test_a_board_that_cannot_be_shown_is_an_error_too():
    broken = replace(BOARD, book=None)
    with pytest.raises(AttributeError):
        all_played(scripted(), VANILLA, [BOARD, broken, BOARD], runs=1, concurrency=2)


def test_nobody_plays_without_concurrency_and_nothing_is_played_without_boards():
    with pytest.raises(InvalidOption, match="concurrency 0"):
        all_played(scripted(), VANILLA, [BOARD], runs=1, concurrency=0)
    assert all_played(scripted(), VANILLA, [], runs=5, concurrency=4) == []


def test_a_match_takes_no_reply_after_its_end_and_is_no_episode_before():
    match = Match(CLINIC.instance, CLINIC.encoded)
    match.take("<ANSWER>Swab</ANSWER>", "call_1")
    with pytest.raises(ValueError, match="goes on"):
        match.episode("m", 0)
    match.end("refused", "I will not.", "call_2")
    for late in (lambda: match.take("<ANSWER>Cold</ANSWER>"), lambda: match.end("api_error")):
        with pytest.raises(ValueError, match="has ended"):
            late()
    assert [turn.call_id for turn in match.episode("m", 0).turns] == ["call_1", "call_2"]
