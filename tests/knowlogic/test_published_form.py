"""Questions of the published form: read as they stand, or refused in one line with line and field."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.knowlogic.published import read_questions
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store

ZH: dict[str, Any] = {
    "id": "space-1",
    "text": "甲、乙、丙、丁四人坐成一排。\n已知：甲坐在乙的左边。",
    "question": "以下选项正确的是____。",
    "options": ["甲在最左边。", "乙在最左边。", "丙在最左边。", "以上选项都不是"],
    "answer": "A",
    "domain": "space",
    "language": "zh",
    "difficulty": "easy",
}
EN = ZH | {
    "text": "Ann, Ben, Cid and Dan sit in a row.\nIt is known that Ann sits left of Ben.",
    "question": "Which of the following statements are correct?",
    "options": {"A": "Ann is first.", "B": "Ben is first.", "C": "Cid is first.", "D": "None of the above."},
    "answer": ["A"],
    "language": "English",
}
VERDICTS = {"agrees": 0, "differs": 0, "open": 0, "impossible": 0, "undecided": 3}
OTHER = EN | {"id": 2, "answer": "B, D", "domain": "Mix", "difficulty": "hard"}


def lines(*questions: dict[str, Any]) -> str:
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in questions) + "\n"


@pytest.mark.parametrize("text", [lines(ZH, EN, OTHER), json.dumps([ZH, EN, OTHER])])
def test_questions_are_read_as_they_stand(text: str) -> None:
    zh, en, other = read_questions(text, "file")
    assert zh.pair == en.pair != other.pair
    assert (zh.language, en.language, other.language) == ("zh", "en", "en")
    assert (zh.letters, en.letters, other.letters) == ("A", "A", "BD")
    assert (other.domain, other.difficulty) == ("mix", "hard")
    row = en.row()
    assert row["options"] == ("Ann is first.", "Ben is first.", "Cid is first.", "None of the above.")
    assert row["has_none"]
    assert zh.row()["has_none"]
    assert row["prompt"].startswith("Ann, Ben, Cid and Dan sit in a row.")
    assert "A. Ann is first." in row["prompt"]


def test_cn_is_chinese() -> None:
    assert [each.language for each in read_questions(lines(ZH | {"language": "CN"}), "file")] == ["zh"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["file", "no question"]),
        ("[]", ["file", "no question"]),
        ("{", ["file, line 1", "not JSON"]),
        ("[" * 100_000, ["file", "nested too deeply"]),
        ("7", ["file, line 1", "is not an object with the fields id, text"]),
        (lines(ZH) + "\n" + lines(EN | {"options": ["a", "b"]}), ["file, line 3", "field options", "four"]),
        (lines(ZH | {"options": ["a", "b", "c", "c"]}), ["field options", "two are the same"]),
        (lines(ZH | {"options": ["a", "b", "c", 4]}), ["field options", "expected a text"]),
        (lines(ZH, EN | {"answer": "B"}), ["line 2, field answer", "B in en and A in zh", "one answer"]),
        (lines(ZH | {"answer": "E"}), ["line 1, field answer", "'E'", "letters A to D"]),
        (lines(ZH | {"answer": ""}), ["field answer"]),
        (lines(ZH | {"answer": 3}), ["field answer"]),
        (lines(ZH | {"answer": None}), ["field answer"]),
        (lines(ZH | {"text": " "}), ["field text", "expected a text"]),
        (lines(ZH | {"text": "x" * 20_001}), ["field text", "20,001 characters"]),
        (lines(ZH | {"domain": "cooking"}), ["field domain", "'cooking'", "space, time"]),
        (lines(ZH | {"language": "fr"}), ["field language", "zh"]),
        (lines(ZH | {"difficulty": 1}), ["field difficulty", "easy"]),
        (lines(ZH | {"id": ""}), ["field id"]),
        (lines(ZH | {"id": True}), ["field id"]),
        (
            lines({key: value for key, value in ZH.items() if key != "answer"}),
            ["the field answer is missing"],
        ),
        (lines(ZH, ZH), ["line 2, field id", "stands twice in language zh"]),
        (json.dumps([ZH, ZH | {"id": "b", "answer": "X"}]), ["file, question 2, field answer"]),
    ],
)
def test_what_is_not_as_expected_is_named(text: str, words: list[str]) -> None:
    with pytest.raises(UnreadableInput) as error:
        read_questions(text, "file")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    for word in words:
        assert word in str(error.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*ZH, "x"]), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(list(ZH)), _JSON), st.booleans())
def test_nothing_else_than_that_error_is_raised(changes: dict[str, Any], as_array: bool) -> None:
    question = ZH | changes
    try:
        found = read_questions(json.dumps([question]) if as_array else lines(question), "file")
    except UnreadableInput:
        return
    assert found[0].letters in ("A", "B", "C", "D") or len(found[0].letters) > 1


def test_it_is_published_once_and_other_questions_need_another_name(tmp_path: Path) -> None:
    file, data = tmp_path / "questions.jsonl", tmp_path / "data"
    file.write_text(lines(ZH, EN, OTHER), encoding="utf-8")
    command = ["import", "knowlogic", str(file), "--root", str(data), "--edition", "theirs"]
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "edition": "theirs",
        "questions": 3,
        "pairs": 1,
        "new": True,
        "verdicts": VERDICTS,
    }
    catalog = open_catalog(Store(str(data)))
    _, found = catalog.query(
        "SELECT language, letters, difficulty, has_none, type, options[1] FROM knowlogic_questions "
        "ORDER BY ALL"
    )
    assert [tuple(row) for row in found] == [
        ("en", "A", "easy", True, None, "Ann is first."),
        ("en", "BD", "hard", True, None, "Ann is first."),
        ("zh", "A", "easy", True, None, "甲在最左边。"),
    ]
    assert catalog.query("SELECT freshness FROM editions")[1] == [("imported",)]
    again = CliRunner().invoke(app, command)
    assert "nothing to do" in again.output
    file.write_text(lines(ZH, EN), encoding="utf-8")
    other = CliRunner().invoke(app, command)
    assert other.exit_code != 0
    assert "already published" in str(other.exception or other.output)
