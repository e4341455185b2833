"""Whole conversations as players and writers get them, and the one example of a reply's form in them."""

import re

import pytest

from perennial.prompts.wording import with_article
from perennial.tasks.kumo.answers import NO_MOVE, parse_answer, parse_as_published
from perennial.tasks.kumo.game import VARIANTS
from perennial.tasks.play import parse_model_player
from tests.kumo.asking_models import bundled_boards, conversation, play_once, replies
from tests.kumo.asking_models import name as naming
from tests.kumo.golden_conversations import FOLDER, texts

TEXTS = dict(texts())


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_the_one_that_was_read_by_eye(name: str) -> None:
    kept = (FOLDER / name).read_text(encoding="utf-8")
    assert TEXTS[name] == kept, "read what changed, then: python -m tests.kumo.golden_conversations"


def test_no_kept_text_is_of_a_conversation_that_is_gone() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(TEXTS)


@pytest.mark.parametrize("variant", ["", *VARIANTS])
def test_no_parser_takes_what_the_messages_say_for_a_move(variant: str) -> None:
    for board in bundled_boards()[::7]:
        truths, actions = board.instance.truths, board.instance.actions
        first = f"<ANSWER>{actions[0]}</ANSWER>"
        for message in (*conversation(board, []), *conversation(board, [first], variant)):
            if message["role"] != "assistant":
                for parse in (parse_answer, parse_as_published):
                    assert parse(message["content"], truths, actions) == NO_MOVE


def test_each_call_says_once_how_to_reply_and_has_each_list_twice() -> None:
    board = bundled_boards()[0]
    given = [f"<ANSWER>{action}</ANSWER>" for action in board.instance.actions[:3]]
    for number in range(4):
        asked = [
            m["content"] for m in conversation(board, given[:number], "closed") if m["role"] != "assistant"
        ]
        assert "".join(asked).count("<ANSWER>") == asked[-1].count("<ANSWER>") == 1
        for name in (*board.instance.truths, *board.instance.actions):
            assert "".join(asked).count(f"- {name}\n") == 2
            assert asked[-1].count(f"- {name}\n") == 1


@pytest.mark.parametrize(
    ("params", "limit"),
    [
        ({}, None),
        ({"max_tokens": 900}, 900),
        ({"max_completion_tokens": 800, "max_tokens": 900}, 800),
        ({"max_tokens": None}, None),
    ],
)
def test_the_limit_of_tokens_is_said_where_there_is_one(params: dict[str, int], limit: int | None) -> None:
    ask = replies(naming("Swab"), naming("Cold"))
    play_once(ask, parse_model_player("m", params, VARIANTS))
    for request in ask.requests:
        system = request.messages[0]["content"]
        assert ("tokens at most" in system) == (limit is not None)
        assert limit is None or f"A reply has {limit} tokens at most" in system
        assert "The game lasts 50 turns at most." in system


@pytest.mark.parametrize("variant", ["", *VARIANTS])
def test_articles_fit_the_nouns_of_each_domain(variant: str) -> None:
    for board in bundled_boards():
        texts_sent = " ".join(message["content"] for message in conversation(board, [], variant))
        noun = board.config.truth_noun
        assert f"named {with_article(noun)} by then" in texts_sent
        assert not re.search(r"\ba (?:airliner|artefact|enquiry|inspection|examination)\b", texts_sent)
