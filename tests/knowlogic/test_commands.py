"""Commands that need no data root: a question to look at, and one for a person to answer."""

import json

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.flows.knowlogic.grow_questions import draw_question
from perennial.schemas.errors import InvalidOption
from perennial.schemas.knowlogic.things import LANGUAGES
from perennial.schemas.settings import load_settings

SAMPLE = ("knowledge", "sample", "nature", "--scenario", "farm", "--difficulty", "medium", "--seed", "4")


def test_a_sample_is_printed_with_its_labels_and_answer() -> None:
    done = CliRunner().invoke(app, [*SAMPLE, "--language", "en"])
    assert done.exit_code == 0, done.output
    question = draw_question("nature", 4, scenario="farm", difficulty="medium", language="en")
    assert question.prompt.splitlines()[0] in done.output
    for line in (f"right letters: {question.letters}", "scenario farm", "difficulty: medium, level"):
        assert line in done.output
    assert CliRunner().invoke(app, [*SAMPLE, "--language", "en"]).output == done.output


def test_languages_show_the_same_question() -> None:
    documents = [
        json.loads(CliRunner().invoke(app, [*SAMPLE, "--language", language, "--json"]).stdout)
        for language in LANGUAGES
    ]
    zh, en = documents
    assert (zh["payload"], zh["letters"], zh["pair"]) == (en["payload"], en["letters"], en["pair"])
    assert zh["prompt"] != en["prompt"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"domain": "natur"}, "did you mean nature"),
        ({"domain": "nature", "scenario": "shop"}, "expected farm, photos or zoo"),
        ({"domain": "nature", "difficulty": "harder"}, "expected easy, medium or hard"),
        ({"domain": "nature", "language": "fr"}, "expected zh or en"),
    ],
)
def test_what_does_not_exist_is_named(options: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        draw_question(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("domains", ["cooking"], "one domain or more of space, time, social, nature, mix"),
        ("languages", ["fr"], "one language or more of zh, en"),
        ("questions", 0, "at least 1"),
        ("size", "theirs", "tiny, small, standard"),
    ],
)
def test_settings_that_do_not_exist_are_named(setting: str, value: object, words: str) -> None:
    with pytest.raises(InvalidOption, match=rf"^--{setting} .*: expected {words}"):
        load_settings({"benchmark": "knowlogic", setting: value})


@pytest.mark.parametrize("is_right", [True, False])
def test_a_person_types_letters(is_right: bool) -> None:
    question = draw_question("nature", 7, difficulty="easy")
    letters = question.letters if is_right else "A" if question.letters != "A" else "B"
    command = ("play", "--benchmark", "knowlogic", "--domain", "nature", "--setting", "easy", "--seed", "7")
    done = CliRunner().invoke(app, [*command, "--json"], input=f"{letters}\n")
    assert done.exit_code == 0, done.output
    assert question.options[0] in done.output
    document = json.loads(done.stdout)
    assert document["game"] == " ".join(("perennial", *command))
    assert document["success"] is is_right
