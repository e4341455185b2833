"""Whole conversations and books of one small domain, as they are kept in `conversations/`.

`python -m tests.kumo.golden_conversations` writes them again; read what changed before you commit it.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import BOOK_STYLES, Instance, Observation, Outcome, SeedConfig
from perennial.schemas.model_calls import Message, ModelChoice
from perennial.tasks.kumo.authors.books import writing_request
from perennial.tasks.kumo.books import write_book
from perennial.tasks.kumo.game import KumoGame
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.reliability import Case, Reports
from tests.kumo.asking_models import board_of, conversation
from tests.kumo.small_worlds import World, world_of
from tests.kumo.tree_config import label, span

FOLDER = Path(__file__).parent / "conversations"
MAX_TOKENS = 4_000


TREES = SeedConfig(
    "Trees",
    ("Oak", "Ash", "Elm", "Lime", "Fir"),
    ("Crush a leaf", "Measure the height", "Count the galls"),
    (
        Outcome(
            "Crush a leaf", "str", (label("sharp", "Oak", "Elm"), label("mild", "Ash", "Fir"), label("sweet"))
        ),
        Outcome(
            "Measure the height",
            "float",
            (span(0.0, 12.0, "Oak", "Fir"), span(12.0, 30.0, "Ash"), span(30.0, 45.0, "Elm", "Lime")),
            "m",
        ),
        Outcome(
            "Count the galls",
            "float",
            (span(0.0, 1.0, "Oak", "Lime"), span(1.0, 6.0, "Ash"), span(6.0, 20.0, "Fir", "Elm", "Lime")),
            "galls",
        ),
    ),
    goal="Find out which tree the leaf on the table comes from",
    truth_noun="tree",
    action_noun="test",
    book_title="A Field Guide to Five Trees",
    truth_notes={"Oak": "It bears acorns", "Fir": "It is an evergreen"},
    action_notes={"Count the galls": "Galls on twenty leaves are counted."},
)


def _world(valid: Sequence[str], states: Sequence[int], observations: Sequence[Observation]) -> World:
    listed = Instance(
        ("Elm", "Fir", "Oak", "Lime", "Ash"),
        ("Measure the height", "Crush a leaf", "Count the galls"),
        tuple(states),
        tuple(observations),
        tuple(valid),
        0,
        0,
    )
    return world_of(TREES, listed)


ONE = _world(("Lime",), (0, 0, 1), (4.5, "sharp", 3.0))
TWO = _world(("Elm", "Lime"), (0, 1, 1), (4.5, "mild", 3.0))


def texts() -> Iterator[tuple[str, str]]:
    """Yield the file's name and the text of each conversation and book."""
    for name, world, variant in (
        ("book", ONE, ""),
        ("symbolic", ONE, "symbolic"),
        ("closed", ONE, "closed"),
        ("two_valid_book", TWO, ""),
        ("two_valid_symbolic", TWO, "symbolic"),
        ("two_valid_closed", TWO, "closed"),
    ):
        yield f"{name}.txt", _show(play(world, variant))
    yield "first_call.txt", _show(opening(ONE, None))
    yield "first_call_with_tokens.txt", _show(opening(ONE, MAX_TOKENS))
    board = board_of(ONE)
    others = ("# A Field Guide to Three Birds\n\n...\n", "# A Field Guide to Six Knots\n\n...\n")
    among = KumoGame(replace(board, guidebooks=(others[0], board.book, others[1])))
    yield "among_three_books.txt", _show(among.opening("").messages)
    reports = Reports(ONE.instance, Case(ONE.encoded.n_truths, ONE.encoded.masks, 0.9, True))
    yield "first_call_with_reports.txt", _show(KumoGame(replace(board, reports=reports)).opening("").messages)
    writer = ModelChoice("m", {})
    for name, world in (("writer", ONE), ("two_valid_writer", TWO)):
        request = writing_request(writer, world.config, world.instance, world.rules)
        yield f"{name}.txt", _show(request.messages)
    for style in BOOK_STYLES:
        book = write_book(TREES, ONE.instance, ONE.rules, random.Random(3), style)
        yield f"book_{style}.md", book


def opening(world: World, max_tokens: int | None) -> Sequence[Message]:
    """Return the messages of a game's first call."""
    found = KumoGame(board_of(world)).opening("")
    if max_tokens is not None and found.with_max_tokens is not None:
        found = found.with_max_tokens(max_tokens)
    return found.messages


def play(world: World, variant: str) -> list[Message]:
    """Return the last call of the greedy player's game, and its reply."""
    game, replies = KumoGame(board_of(world)), list[str]()
    move = PLAYERS["greedy"].start(game, derive_rng(0, "golden", 0))
    while game.status is None:
        replies.append(move())
        game.take(replies[-1])
    asked = conversation(game.board, replies[:-1], variant)
    return [*asked, {"role": "assistant", "content": replies[-1]}]


def _show(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages) + "\n"


if __name__ == "__main__":
    for name, text in texts():
        (FOLDER / name).write_text(text, encoding="utf-8")
