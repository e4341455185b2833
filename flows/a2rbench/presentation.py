"""What A2RBench's public page says of it, and how an item is drawn: its values as grids of tokens."""

import json
from collections.abc import Mapping, Sequence

from perennial.flows.editions.report import query_table
from perennial.flows.website.examples import choose_question
from perennial.schemas.presentation import (
    Card,
    CardGrid,
    ChosenGame,
    DrawnGame,
    Example,
    Panel,
    Presentation,
    ReadRows,
)
from perennial.schemas.rows import Row
from perennial.tasks.a2rbench.values import layers_of
from perennial.warehouse.catalog.confinement import quote_all


def draw_example(read: ReadRows, choices: Sequence[tuple[ChosenGame, ...]]) -> Example | None:
    """Draw the games of an item of few tokens, a grid or a list where there is one."""
    select = 'SELECT instance_id, dimension, examples, "query", answer, description FROM a2rbench_items'
    order = "dimension = 3, dimension = 1, length(examples)"
    if (chosen := choose_question(read, choices, select, order)) is None:
        return None
    row, games = chosen
    texts = query_table(
        read,
        "rules",
        "SELECT evaluation, episode_id, rule FROM a2rbench_answers "
        f"WHERE episode_id IN ({quote_all(game.episode_id for game in games)})",
    ).records()
    rules = {(text["evaluation"], text["episode_id"]): text["rule"] for text in texts}
    values = [json.loads(row[name]) for name in ("examples", "query", "answer")]
    examples, asked, right = values
    inside = [value for pair in (*examples, (asked, right)) for value in pair]
    tokens = sorted({token for value in inside for line in _lines_of(value, row) or () for token in line})
    tints = {token: index for index, token in enumerate(tokens)}
    pairs = [(f"Example {number}", *pair) for number, pair in enumerate(examples, start=1)]
    panels = [
        *(_draw_pair(heading, start, wanted, row, tints) for heading, start, wanted in pairs),
        _draw_pair("The query and its right output", asked, right, row, tints),
    ]
    drawn = [_draw_game(game, row, rules.get((game.evaluation, game.episode_id)), tints) for game in games]
    return Example(tuple(panels), tuple(drawn))


def _draw_pair(heading: str, start: object, wanted: object, row: Row, tints: Mapping[str, int]) -> Panel:
    return Panel(heading, grids=tuple(_draw_value(value, row, tints) for value in (start, wanted)))


def _draw_value(value: object, row: Row, tints: Mapping[str, int], right: object = None) -> CardGrid:
    """Draw a value, layers below each other; tokens that differ from the right value are marked."""
    lines, wanted = _lines_of(value, row), _lines_of(right, row)
    if lines is None:
        return ((Card(json.dumps(value, ensure_ascii=False)),),)
    target = {(y, x): token for y, line in enumerate(wanted or ()) for x, token in enumerate(line)}
    return tuple(
        tuple(
            Card(token, "wrong" if target and target.get((y, x)) != token else "", tints.get(token))
            for x, token in enumerate(line)
        )
        for y, line in enumerate(lines)
    )


def _lines_of(value: object, row: Row) -> list[list[str]] | None:
    layers = layers_of(value, row["dimension"])
    return None if layers is None else [line for layer in layers for line in layer]


def _draw_game(game: ChosenGame, row: Row, rule: str | None, tints: Mapping[str, int]) -> DrawnGame:
    rule_panel = Panel("The rule in its words", text=rule or "none was read")
    explained = f"The rule: {row['description']}"
    if game.answer is None:
        reply = Panel("Its reply", text=game.reply or "")
        return DrawnGame(game, (reply,), f"No output could be read: {game.ended}. {explained}")
    try:
        value = json.loads(game.answer)
    except (ValueError, RecursionError):
        value = game.answer
    output = Panel("Its output", grids=(_draw_value(value, row, tints, json.loads(row["answer"])),))
    why = f"Marked tokens differ from the right output. {explained}"
    return DrawnGame(game, (output, rule_panel), "" if game.is_won else why)


PRESENTATION = Presentation(
    "A2RBench",
    (
        "An item shows five inputs with their outputs, and a sixth input, the query. One hidden rule made "
        "all outputs. Inputs are tokens in a list, a grid or a cube; in semantic items the tokens mean "
        "something, such as letters, digits or days of the week.",
        "The player replies once, with the rule in words and the output of the query. An output is right or "
        "wrong as a whole.",
    ),
    "The query's output is the only one that the examples allow among all rules that were tried, so the best"
    " possible success rate is 1.",
    "search",
    "A²RBench: An Automatic Paradigm for Formally Verifiable Abstract Reasoning Benchmark Generation",
    draw_example,
)
