"""`perennial ask`: every saved question runs on every root, and takes its parameters."""

import json

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.dictionary import saved_questions
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, two_editions


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return two_editions(tmp_path_factory.mktemp("asked"))


@pytest.mark.slow
def test_each_question_runs_and_says_what_it_answers(store: Store) -> None:
    catalog = open_catalog(store)
    assert len(saved_questions()) >= 20
    for question in saved_questions().values():
        assert question.text.endswith("?")
        names, _ = catalog.query(question.ask({}))
        assert names
        patterns = [name for name, default in question.defaults.items() if default == "%"]
        none = catalog.query(question.ask(dict.fromkeys(patterns, "no'body")))[1]
        assert (question.name, none) == (question.name, [])


def test_the_sql_is_shown_and_parameters_narrow_the_rows(run: Run) -> None:
    shown = run("ask", "slow_players", "edition=e2")
    assert shown.code == 0, shown.err
    assert "FROM episodes\n" in shown.out
    assert "LIKE 'e2'" in shown.out
    rows = json.loads(run("ask", "slow_players", "edition=e2", "--format", "json").out)
    assert {row["edition"] for row in rows} == {"e2"}
    assert run("ask", "best_players", "--sql").out.startswith("SELECT edition")
    listed = json.loads(run("ask", "--format", "json").out)
    assert [row["question"] for row in listed] == sorted(saved_questions())


def test_why_a_player_lost_has_counts_and_an_example_of_each_reason(store: Store, run: Run) -> None:
    asked = run("ask", "why_it_lost", "player=m", "edition=e1", "--format", "json")
    rows = {row["reason"]: row for row in json.loads(asked.out)}
    assert {reason: (row["episodes"], row["share"]) for reason, row in rows.items()} == {
        "api_error": (1, 0.5),
        "truncated": (1, 0.5),
    }
    ends = dict(open_catalog(store).query("SELECT episode_id, status FROM episodes WHERE edition = 'e1'")[1])
    assert all(ends[row["example"]] == reason for reason, row in rows.items())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("best_player",), "did you mean best_players? `perennial ask` lists all"),
        (("plyer=greedy",), "'plyer=greedy': name a question first: perennial ask QUESTION plyer=greedy"),
        (("worst_episodes", "plyer="), "expected edition=VALUE, player=VALUE; did you mean player?"),
        (
            ("best_players", "player=x"),
            "parameter 'player=x' of question best_players: expected edition=VALUE",
        ),
        (("best_players", "e2"), "parameter 'e2' of question best_players: expected edition=VALUE"),
        (
            ("non_inferior", "margin=wide"),
            "parameter 'margin=wide' of question non_inferior: expected a number, such as margin=0.03",
        ),
        (("best_players", "edition=e3"), "has no published edition 'e3'"),
        (("why_it_lost", "player=algorithm3"), "did you mean algorithm-3?"),
        (("separating_domains", "benchmark=kuno"), "did you mean kumo?"),
    ],
)
def test_what_is_misspelt_is_one_line(run: Run, arguments: tuple[str, ...], words: str) -> None:
    refused = run("ask", *arguments)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert words in refused.err


def test_the_newest_edition_can_be_named_and_a_pattern_may_match_nothing(run: Run) -> None:
    newest = json.loads(run("ask", "endings", "edition=latest", "--format", "json").out)
    assert {row["edition"] for row in newest} == {"e2"}
    nothing = run("ask", "endings", "edition=kumo-%", "--format", "json")
    assert (nothing.code, json.loads(nothing.out)) == (0, [])
    assert "no row: edition=kumo-% fits no edition of the data root, which has e1, e2\n" in nothing.err


@pytest.mark.slow
def test_a_question_without_an_answer_says_why(store: Store, run: Run) -> None:
    for question in saved_questions().values():
        reason = question.no_row
        assert reason not in (question.text, "nothing in the data root fits")
        rows = open_catalog(store).query(question.ask({}))[1]
        if not rows:
            assert run("ask", question.name).out.endswith(f"0 rows\nno row: {reason}\n")
    narrowed = run("ask", "separating_domains", "edition=e1", "--format", "json")
    assert narrowed.out == "[]\n"
    assert narrowed.err.endswith(f"no row: {saved_questions()['separating_domains'].no_row} (edition=e1)\n")
