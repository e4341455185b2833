"""The view of what unread replies held: its SQL against the parser, on made and on the authors' replies."""

import json
from importlib.resources import files
from itertools import product
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from perennial.tasks.kumo.answers import parse_answer

TRUTHS, ACTIONS = ("Brain Tumor", "Flu (type A)", "Gout"), ("Brain MRI", "X-Ray", "Vitamin C.")
Reply = tuple[str, list[str], list[str]]


def read_view(replies: list[Reply]) -> dict[int, tuple[str, bool]]:
    """Return by reply the view's reading, and whether it says that perennial reads it; a player per reply."""
    names = [str(number) for number in range(len(replies))]
    texts, truths, actions = (list(column) for column in zip(*replies, strict=True))
    whole = {"edition": ["e"] * len(names)}
    of_reply = {**whole, "evaluation": ["v"] * len(names), "episode_id": names}
    of_instance = {**whole, "instance_id": names}
    tables = {
        "episodes": {**of_reply, "player": names, "instance_id": names, "status": ["unparsed"] * len(names)},
        "turns": {
            **{name: 2 * column for name, column in of_reply.items()},
            "turn": [1] * len(names) + [2] * len(names),
            "reply": ["<ANSWER>Gout</ANSWER>"] * len(names) + texts,
        },
        "instances": {**of_instance, "setting": ["easy"] * len(names)},
        "kumo_instances": {**of_instance, "truths": truths, "actions": actions},
    }
    connection = duckdb.connect()
    for name, columns in tables.items():
        connection.register(name, pa.table(columns))
    view = (files("perennial.warehouse.kumo.views") / "parse_error_readings.sql").read_text("utf-8")
    rows = connection.execute(
        f"SELECT player, reading, read_by_perennial, episodes, share FROM ({view})"
    ).fetchall()
    assert all((episodes, share) == (1, 1.0) for *_, episodes, share in rows)
    return {int(player): (reading, is_read) for player, reading, is_read, *_ in rows}


@pytest.mark.parametrize(
    ("reply", "reading"),
    [
        ("", "no_reply"),
        (" \n", "no_reply"),
        ("I choose Gout.", "no_tags"),
        ("<ANSWER>Gout", "no_tags"),
        ("<answer> Gout </answer>", "as_listed"),
        ("<ANSWER>GOUT</ANSWER>", "other_case"),
        ("<ANSWER>- **gout**.</ANSWER>", "in_markdown"),
        ("<ANSWER>${'X-Ray'}</ANSWER>", "in_markdown"),
        ("<ANSWER>vitamin c</ANSWER>", "in_markdown"),
        ("<ANSWER>Gout</ANSWER><ANSWER>X-Ray</ANSWER>", "two_names"),
        ("<ANSWER>Gout or X-Ray</ANSWER>", "not_listed"),
        ("<ANSWER>not Gout</ANSWER>", "not_listed"),
        ("<ANSWER>...</ANSWER>", "not_listed"),
    ],
)
def test_each_reply_has_its_reading(reply: str, reading: str) -> None:
    assert read_view([(reply, list(TRUTHS), list(ACTIONS))])[0][0] == reading


@pytest.mark.slow
def test_the_view_and_the_parser_agree_on_what_is_read() -> None:
    inner = [
        "Gout",
        "gout",
        "**Gout**",
        "- brain  mri",
        "'X-Ray'",
        "Vitamin C",
        "no",
        "Gout, X-Ray",
        "...",
        "Gout!",
    ]
    pairs = [f"<ANSWER> {one} </ANSWER> so <answer>{other}</answer>" for one, other in product(inner, inner)]
    replies = [*(f"Hm <ANSWER>\n{one}\n</ANSWER>." for one in inner), *pairs, "<ANSWER><ANSWER>Gout</ANSWER>"]
    check([(reply, list(TRUTHS), list(ACTIONS)) for reply in replies])


@pytest.mark.slow
def test_they_agree_on_the_authors_parse_errors(release: Path) -> None:
    found: list[Reply] = []
    for file in sorted(release.glob("results/*/VanillaAgent/*/*/*.jsonl")):
        if file.parts[-2].endswith("_revised"):
            continue
        instances = release / "instances" / file.parts[-3] / f"{file.parts[-2]}.jsonl"
        names = {line["seed"]: line for line in map(json.loads, instances.read_text().splitlines())}
        for row in map(json.loads, file.read_text().splitlines()):
            lists = names[row["seed"]]["truths"], names[row["seed"]]["actions"]
            found += [
                (run["generated_text"][-1], *lists)
                for run in row["trajectories"]
                if run["parse_error"] and run["generated_text"]
            ]
    readings = check(found)
    counts = {reading: readings.count(reading) for reading in set(readings)}
    assert counts == {"no_tags": 254, "not_listed": 84, "in_markdown": 23}


def check(replies: list[Reply]) -> list[str]:
    """Hold the view against the parser, and return its readings."""
    readings = read_view(replies)
    for number, (reply, truths, actions) in enumerate(replies):
        is_read = parse_answer(reply, truths, actions).name is not None
        assert readings[number][1] == is_read, (reply[-300:], readings[number])
    return [readings[number][0] for number in range(len(replies))]
