"""The words of freshly drawn questions hold no fault that a machine finds; what they speak of is there."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.prompts.knowlogic import sentences
from perennial.prompts.knowlogic.sentences import prompt_hash
from perennial.schemas.knowlogic.things import (
    DOMAINS,
    LANGUAGES,
    DomainName,
    Language,
    Question,
    QuestionText,
)
from perennial.tasks.knowlogic.layout import frame, split_prompt, write_prompt
from perennial.tasks.knowlogic.problem import problem_of
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import draw
from tests.knowlogic.golden.golden_texts import TEXTS, golden_file, load_descriptions
from tests.knowlogic.wording_checks import find_faults, find_missing_referents


@pytest.mark.parametrize(
    ("text", "language", "fault"),
    [
        ("The thing is a hourglass.", "en", "a hourglass"),
        ("It is an unicycle.", "en", "an unicycle"),
        ("They are sitting on on the same tier.", "en", "on on"),
        ("The color is grey.", "en", "grey"),
        ("An aubergine and a torch.", "en", "aubergine"),
        ("the drink  is sweet", "en", "  "),
        ("主要用来看清东西的东西在茶壶左边。", "zh", "东西的东西"),
        ("主要用来存放物品的东西。", "zh", "物品的东西"),
        ("甲在在乙左边。", "zh", "在在"),
    ],
)
def test_a_fault_is_found(text: str, language: Language, fault: str) -> None:
    assert fault in find_faults(text, language)


@pytest.mark.parametrize("text", ["an hourglass, a unicycle, an X-ray", "A user has an 8-legged animal."])
def test_right_articles_are_no_fault(text: str) -> None:
    assert find_faults(text, "en") == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_drawn_questions_have_no_fault(domain: DomainName) -> None:
    drawn = draw(domain, 12, 5)
    assert len(drawn) >= 20
    for question in drawn:
        assert find_faults(question.prompt, question.language) == []
        assert find_missing_referents(question) == []


@pytest.mark.slow
def test_options_speak_of_what_is_there() -> None:
    drawn = draw("space", 120, 6, only="_entity")
    spoken = [each for each in drawn if _speaks_of_neighbors(each)]
    assert spoken
    assert [each.question for each in drawn if find_missing_referents(each)] == []


def test_what_is_not_there_is_found() -> None:
    """Of six things on three tiers, the three on the left have no left-hand neighbor."""
    shelf = next(
        each for each in draw("space", 24, 5) if each.scenario == "shelf_3x2" and each.language == "en"
    )
    names = {row["id"]: row["en"] for row in load_knowledge().rows("space/items")}
    listed = [names[str(entity)] for entity in problem_of(shelf.payload).entities]
    asked = replace(
        shelf,
        question="The left-hand neighbor of ____ is directly above the ground.",
        options=listed,
        has_none=False,
    )
    assert len(find_missing_referents(asked)) == 3


def _speaks_of_neighbors(question: Question) -> bool:
    return question.question.startswith(("The left-hand neighbor of ____", "The right-hand neighbor of ____"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", TEXTS)
def test_every_template_is_without_fault(domain: str, language: Language) -> None:
    for line in golden_file(domain, language).read_text(encoding="utf-8").splitlines():
        # The golden texts say the same thing of itself ("the guitar on the same day as the guitar").
        assert find_faults(line.rpartition("\t")[2], language) == [], line


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_description_is_without_fault(language: Language) -> None:
    descriptions = load_descriptions()
    for parts in descriptions.all.values():
        said = descriptions.say(parts, language)
        assert find_faults(said, language) == [], said


def test_names_of_the_tables_are_american() -> None:
    knowledge = load_knowledge()
    for table in ("nature/entities", "nature/values", "space/items", "time/events", "social/relations"):
        for row in knowledge.rows(table):
            words = " ".join(
                value for column, value in row.items() if column.startswith("en") or column == "plural"
            )
            assert find_faults(words.replace("  ", " "), "en") == [] or _repeats_itself(words), row


def _repeats_itself(words: str) -> bool:
    """Whether singular and plural beside each other are the same word."""
    return len(set(words.split())) < len(words.split())


@pytest.mark.parametrize(
    ("language", "asked", "usual"),
    [
        ("en", "give the letters of the incorrect statements", "One or more of the options are correct."),
        ("zh", "请选出说法错误的选项", "正确选项有一个或多个"),
    ],
)
def test_a_prompt_says_which_letters_are_asked_for(language: Language, asked: str, usual: str) -> None:
    for name in ("correct_statements", "incorrect_statements"):
        text = QuestionText("A text.", frame(name, language), ("a", "b", "c", "d"))
        prompt = write_prompt(text, language)
        assert (asked in prompt, usual in prompt) == ((False, True) if name[0] == "c" else (True, False))
        assert split_prompt(prompt) == (text, language)


def test_the_hash_of_a_prompt_covers_its_sentences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = prompt_hash("knowlogic/question_en.md.j2")
    assert whole != prompt_hash("knowlogic/question_zh.md.j2")
    folder = Path(shutil.copytree(str(sentences.files("perennial.prompts.knowlogic")), tmp_path / "copy"))
    monkeypatch.setattr(sentences, "files", lambda _: folder)
    again = prompt_hash.__wrapped__
    assert again("knowlogic/question_en.md.j2") == whole
    (folder / "space_ring.toml").write_text("[left]\nen = 'other words'\n", encoding="utf-8")
    assert again("knowlogic/question_en.md.j2") != whole
