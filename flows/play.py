"""One person plays one instance in the terminal."""

import secrets
from collections.abc import Sequence
from itertools import count
from typing import TextIO

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.root_option import data_root
from perennial.flows.console.row_formats import Terminal
from perennial.prompts.wording import with_article
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InvalidOption, UnreadableInput, quote
from perennial.schemas.errors import count as count_of
from perennial.schemas.game import Game, Seat, Sheet
from perennial.schemas.ids import derive_rng
from perennial.schemas.rows import JsonObject
from perennial.tasks.play import play_program
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit

# Which instance a person plays: a fresh one, or one of a published edition.


def draw_fresh(benchmark: str, domain: str, setting: str, seed: int | None) -> tuple[Benchmark, Seat, str]:
    """The seat of a fresh instance, and the command that draws it again.

    Raises InvalidOption where the benchmark draws none for a person.
    """
    played = find_benchmark(benchmark)
    if not (played.offers(Benchmark.draw_seat) and played.offers(Benchmark.draw_sheet)):
        raise InvalidOption(
            f"benchmark {benchmark!r} draws no single instance for a person: give --edition and --instance"
        )
    chosen = secrets.randbits(32) if seed is None else seed
    other_benchmark = "" if benchmark == DEFAULT_BENCHMARK else benchmark
    flags = {"--benchmark": other_benchmark, "--domain": domain, "--setting": setting}
    options = [f"{name} {value}" for name, value in flags.items() if value]
    replay = " ".join(("perennial play", *options, f"--seed {chosen}"))
    return played, played.draw_seat(domain, setting, chosen), replay


def find_published(edition: str, instance: str, root: str | None) -> tuple[Benchmark, Seat, str]:
    """The seat of an instance of a published edition, and the command that plays it again.

    Raises InvalidOption where there is none, or people cannot play it.
    """
    store = data_root(root)
    chosen = select_unit(store, edition, visible_editions(store))
    benchmark = read_published_plan(store, chosen).benchmark
    played = find_benchmark(benchmark)
    if not played.offers(Benchmark.draw_sheet):
        raise InvalidOption(f"benchmark {benchmark!r} cannot be played by a person: name another edition")
    seats = played.take_seats(store, chosen, [instance], {})
    if not seats:
        raise InvalidOption(
            f"--instance {quote(instance)}: edition {chosen!r} has no such instance that can be played; "
            f"`perennial query \"SELECT instance_id FROM instances WHERE edition = '{chosen}'\"` lists them"
        )
    return played, seats[0], f"perennial play --edition {chosen} --instance {instance}"


# A game in the terminal: text in, text out, one line per move, so that a pipe plays as a keyboard does.

_MOST_LETTERS = 10_000
_BOOK, _LIST = "book", "list"


def play_seat(benchmark: Benchmark, seat: Seat, replay: str, console: Terminal, source: TextIO) -> JsonObject:
    """Let a person play the seat, and return the game as a JSON object: moves, result, and the reference's.

    `told` says how to play the same instance again. Raises UnreadableInput where the input ends first.
    """
    game = seat.start()
    sheet = benchmark.draw_sheet(game)
    console.print(f"{replay}\n")
    _show_opening(console, sheet)
    moves: list[JsonObject] = []
    for turn in count(1):
        name = _ask(console, sheet, source, turn)
        feedback = game.take(sheet.reply(name))
        moves.append({"choice": name, "shown": feedback})
        if game.result() is not None:
            break
        console.print(f"{name}: {feedback}\n")
    return _show_end(benchmark, seat, game, sheet, moves, console, replay)


def _show_opening(console: Terminal, sheet: Sheet) -> None:
    if sheet.goal:
        console.print(f"Goal: {sheet.goal}\n")
    console.print(f"{sheet.book}\n")
    if sheet.ask:
        console.print(f"{sheet.ask}\n")
    if sheet.truths:
        _show_lists(console, sheet)
        verb = "survives" if sheet.n_valid == 1 else "survive"
        console.print(
            f"Exactly {sheet.n_valid} of the {len(sheet.truths)} answers listed last ({sheet.truth_noun}) "
            f"{verb} all outcomes. Give a number or a name: each {sheet.action_noun} shows its outcome, "
            f"and naming {with_article(sheet.truth_noun)} ends the game. `{_BOOK}` and `{_LIST}` show "
            "these again.\n"
        )


def _show_lists(console: Terminal, sheet: Sheet) -> None:
    numbers = count(1)
    for noun, names in ((sheet.action_noun, sheet.actions), (sheet.truth_noun, sheet.truths)):
        console.print(f"{noun}:")
        for name in names:
            console.print(f"{next(numbers):4}  {name}")
        console.print()


def _ask(console: Terminal, sheet: Sheet, source: TextIO, turn: int) -> str:
    """Ask until a line names a choice, and take its name; or take a typed answer."""
    while True:
        console.print(f"{turn}> ", end="")
        line = source.readline(_MOST_LETTERS)
        if not line:
            console.print()
            raise UnreadableInput("the input ended before an answer: give one more line that names an answer")
        text = " ".join(line.split())
        if not sheet.truths and text:
            fault = sheet.fault(text)
            if not fault:
                return text
            console.print(fault)
            continue
        match text.casefold():
            case "":
                continue
            case "book":
                console.print(f"{sheet.book}\n")
            case "list":
                _show_lists(console, sheet)
            case _:
                choice = _find_choice((*sheet.actions, *sheet.truths), text)
                if choice is not None:
                    return choice
                console.print(f"{text[:60]!r} is none of the numbers and names: `{_LIST}` shows them")


def _find_choice(names: Sequence[str], text: str) -> str | None:
    if text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= len(names):
        return names[int(text) - 1]
    exact = [name for name in names if name == text]
    folded = [name for name in names if " ".join(name.split()).casefold() == text.casefold()]
    matches = exact or folded
    return matches[0] if len(matches) == 1 else None


def _show_end(
    benchmark: Benchmark,
    seat: Seat,
    game: Game,
    sheet: Sheet,
    moves: list[JsonObject],
    console: Terminal,
    replay: str,
) -> JsonObject:
    result = game.result()
    assert result is not None
    tests = sum(move["shown"] is not None for move in moves)
    took = f" after {count_of(tests, sheet.action_noun)}" if sheet.actions else ""
    console.print(f"\n{'right' if result.success else 'wrong'} ({result.status}){took}")
    document = {
        "game": replay,
        "instance_id": seat.instance_id,
        "status": result.status,
        "success": result.success,
        "tests": tests,
        "moves": moves,
        "reference": None,
    }
    reference = _play_reference(benchmark, seat, sheet)
    if reference is not None:
        *actions, answer = reference["moves"]
        listed = f": {' > '.join(actions)}" if actions else ""
        if sheet.actions:
            console.print(f"{reference['player']} needs {count_of(len(actions), sheet.action_noun)}{listed}")
            console.print(f"the {sheet.truth_noun} is {answer}")
        else:
            console.print(f"{reference['player']} answers {answer}")
        document["reference"] = reference
    return document


def _play_reference(benchmark: Benchmark, seat: Seat, sheet: Sheet) -> JsonObject | None:
    names = {sheet.reply(name): name for name in (*sheet.truths, *sheet.actions)}
    for player in benchmark.references:
        try:
            episode = play_program(benchmark.programs[player], seat.start(), 0, derive_rng(0, "play", 0))
        except InvalidOption:
            continue
        return {"player": player, "moves": [names.get(turn.reply, turn.reply) for turn in episode.turns]}
    return None
