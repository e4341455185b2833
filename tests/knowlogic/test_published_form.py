"""Questions of the published form: read as they stand, or refused in one line with line and field."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.flows.knowlogic.paper import compare_paper
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.knowlogic.things import LANGUAGES
from perennial.tasks.knowlogic.published import (
    Imported,
    PrintedItem,
    judge_item,
    read_printed_items,
    read_questions,
)
from perennial.tasks.papers import Comparison
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.store.store import Store
from tests.knowlogic.drawn_problems import draw
from tests.warehouse.test_published_scores import paper

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


# The engine's verdicts on imported items: figure 18's key is wrong, that of appendix C's first is right.


_RING_EN = (
    "{names}, —these six people sit in a circle at the corners of a regular hexagon. Each is facing outward, "
    "with their backs toward the center of the circle. It is known that:\n{said}"
)
FIGURE_18 = ZH | {
    "id": "figure-18",
    "text": _RING_EN.format(
        names="David, Elizabeth, Mary, Jennifer, William, Robert",
        said="Robert is the fifth in sequence starting to the left of David; Elizabeth is directly to the "
        "left of Jennifer; Mary occupies the third position to the left of Robert; Robert occupies the "
        "second position to the right of William; Mary is directly to the right of Jennifer.",
    ),
    "question": "David is next to \\_\\_\\_\\_\\_.",
    "options": ["Mary", "Jennifer", "Robert", "Elizabeth"],
    "answer": "BC",
    "language": "en",
}
FIGURE_18_ZH = FIGURE_18 | {
    "text": "张三、李四、王五、赵六子、钱七、孙八六人围成一个圆圈，每人都背对圆心。已知:\n"
    "张三的左边起第五个是孙八；\n李四在赵六子左侧紧邻位置；\n从孙八的左边数起第三个位置是王五；\n"
    "孙八在钱七右边数起第二个位置；\n王五在赵六子右侧紧邻位置。",
    "question": "张三紧邻____。",
    "options": ["王五", "赵六子", "孙八", "李四"],
    "language": "CN",
}
APPENDIX_C = FIGURE_18 | {
    "text": _RING_EN.format(
        names="David, Jennifer, Elizabeth, Michael, John, James",
        said="Michael is directly to the right of John;\nJennifer is directly to the right of Michael;\n"
        "James occupies the second position to the left of Michael;\nJames occupies the fifth position to "
        "the left of Elizabeth;\nDavid occupies the second position to the left of James.",
    ),
    "question": "Michael and ___ are separated by two positions.",
    "options": ["John", "David", "Elizabeth", "Jennifer"],
    "answer": "C",
}
FIVE_SLOTS = FIGURE_18 | {
    "text": _RING_EN.format(
        names="Elizabeth, Robert, Jennifer, Susan, John, Michael",
        said="Susan occupies the fifth position to the right of Michael;\nJohn is directly to the left of "
        "Elizabeth;\nSusan occupies the second position to the left of Jennifer.",
    ),
    "question": "___ occupies the third position to the left of Susan.",
    "options": ["Jennifer", "John", "Elizabeth", "None of the above"],
    "answer": "D",
}
IMPOSSIBLE = APPENDIX_C | {"text": APPENDIX_C["text"] + "\nDavid is next to James."}
UNKNOWN = APPENDIX_C | {"text": APPENDIX_C["text"] + "\nDavid likes James."}
UNFACED = APPENDIX_C | {
    "text": APPENDIX_C["text"].replace("facing outward", "calm").replace("backs toward", "hats near")
}


@pytest.mark.parametrize(
    ("item", "verdict", "letters", "words"),
    [
        (FIGURE_18, "differs", "C", "C follows"),
        (FIGURE_18_ZH, "differs", "C", "the key is BC"),
        (APPENDIX_C, "agrees", "C", "C follows"),
        (FIVE_SLOTS, "open", None, "2 arrangements"),
        (IMPOSSIBLE, "impossible", None, "no arrangement"),
        (UNKNOWN, "undecided", None, "'David likes James' is read in 0 ways"),
        (UNFACED, "undecided", None, "which way the six face"),
        (OTHER, "undecided", None, "no items of mix are read"),
    ],
)
def test_items_of_the_paper_get_their_verdict(
    item: dict[str, Any], verdict: str, letters: str | None, words: str
) -> None:
    finding = judge_item(read_questions(lines(item), "file")[0], load_knowledge())
    assert (finding.verdict, finding.letters) == (verdict, letters)
    assert words in finding.reason


@pytest.mark.slow
def test_our_own_questions_are_decided_and_a_wrong_key_is_found() -> None:
    for domain in ("social", "nature"):
        for each in draw(domain, 6, 9):
            item = Imported("", "", each.language, domain, each.as_text, each.letters, each.difficulty)
            assert judge_item(item, load_knowledge()).verdict == "agrees"
            wrong = item._replace(letters="AB" if each.letters != "AB" else "A")
            assert judge_item(wrong, load_knowledge())[:2] == ("differs", each.letters)
    assert {each.language for each in draw("social", 6, 9)} == set(LANGUAGES)


def test_verdicts_are_published_and_summed_up(tmp_path: Path) -> None:
    file, data = tmp_path / "questions.jsonl", tmp_path / "data"
    file.write_text(lines(FIGURE_18, FIGURE_18_ZH, OTHER), encoding="utf-8")
    done = CliRunner().invoke(app, ["import", "knowlogic", str(file), "--root", str(data), "--edition", "e"])
    assert done.exit_code == 0, done.output
    assert "0 agrees, 2 differs, 0 open, 0 impossible, 1 undecided" in done.output
    query = (
        "SELECT q.language, q.letters, v.verdict, v.letters FROM knowlogic_questions q "
        "JOIN knowlogic_verdicts v USING (instance_id) ORDER BY ALL"
    )
    _, found = open_catalog(Store(str(data))).query(query)
    assert [tuple(row) for row in found] == [
        ("en", "BC", "differs", "C"),
        ("en", "BD", "undecided", None),
        ("zh", "BC", "differs", "C"),
    ]


# Printed items: read from a text of the paper's form, and judged by our engine.


def print_item(item: dict[str, object]) -> str:
    options = item["options"]
    assert isinstance(options, list)
    listed = " ".join(f"{letter}.{option}" for letter, option in zip("ABCD", options, strict=True))
    told = str(item["text"]).replace("\n", "<br/>")
    asked = f"question:<br/>{item['question']}<br/>Options: {listed}<br/>Answer:{item['answer']}"
    return f"<p>{told}<br/>{asked}</p>"


# Six who face outward with their backs to the centre; the answer is printed before the options.
RING_ZH = (
    "<p>张三、李四、王五、赵六子、钱七、孙八六人围成一个圆圈。六人都面朝外背对圆心而坐。已知：<br/>张三的左边起第五个是孙八，<br/>李四在赵六子左侧紧邻位置，"
    "<br/>从孙八的左边数起第三个位置是王五，<br/>孙八在钱七右边数起第二个位置，<br/>王五在赵六子右侧紧邻位置。</p>"
    "<p>问题：<br/>张三紧邻___。<br/>答案：C<br/>选项：A.王五 B.赵六子 C.孙八 D.李四</p>"
)
UNREAD_ZH = "<p>张三在左边。</p><p>问题：张三在___。选项：A.一 B.二 C.三 D.四<br/>答案：A</p>"
TABLE = f"""
| Domain | Scenario | Question-type     | Example of question   |
|--------|----------|-------------------|---|
| Space  | hexagon  | 6 slots - vague   | {RING_ZH} {print_item(APPENDIX_C)} |
|        |          | 5 slots - precise | <p>六人已知：</p> |

| Domain | Scenario | Question-type     | Example of question   |
|--------|----------|-------------------|---|
| Space  |          |                   | {UNREAD_ZH} {print_item(FIVE_SLOTS)} |

Table 7: Question examples of different domains and question-types
"""
FIGURE = f"""
**Question**

{FIGURE_18["text"]}
{FIGURE_18["question"]}

**Options**

A. Mary
B. Jennifer
C. Robert
D. Elizabeth

**Correct Answer**

B,C

**Model Name**

a model

Figure 18: Example of an error.
"""


def read_items(text: str) -> list[PrintedItem]:
    return read_printed_items(text, "paper.txt")


def compare(tmp_path: Path, text: str) -> dict[tuple[str, str, str], Comparison]:
    (tmp_path / "paper.txt").write_text(text, encoding="utf-8")
    rows = compare_paper(Store("unused"), tmp_path / "paper.txt", lambda _: None)
    return {(row.item, row.setting, row.player): row for row in rows if row.metric == "key"}


def test_items_are_read_across_pages_in_both_languages() -> None:
    items = read_items(TABLE)
    assert [(item.kind, item.language) for item in items] == [
        ("6 slots - vague", "zh"),
        ("6 slots - vague", "en"),
        ("5 slots - precise", "zh"),
        ("5 slots - precise", "en"),
    ]
    assert all(item.question is not None and item.domain == "space" for item in items)
    english = items[1].question
    assert english is not None
    assert english.texts.options == tuple(APPENDIX_C["options"])
    assert english.letters == "C"


def test_each_is_decided_from_its_own_text(tmp_path: Path) -> None:
    rows = compare(tmp_path, TABLE + FIGURE)
    assert rows["table 7", "zh", "item 1 6 slots - vague"].agrees is True
    assert rows["table 7", "en", "item 1 6 slots - vague"].agrees is True
    # No arrangement is singled out, so that the key does not follow.
    assert rows["table 7", "en", "item 2 5 slots - precise"].agrees is False
    assert rows["table 7", "zh", "item 2 5 slots - precise"].agrees is None
    differs = rows["figure 18", "en", ""]
    assert (differs.agrees, differs.reason) == (
        False,
        "differs: C follows from the statements, and the key is BC",
    )


def test_what_the_text_lacks_is_said(tmp_path: Path) -> None:
    cut = TABLE.replace("Answer:C", "").replace("Options: A.Jennifer", "Options: Jennifer")
    lacking = [item for item in read_items(cut) if item.question is None]
    assert [item.missing for item in lacking] == ["the text at hand has no whole question of it"] * 2
    without = compare(tmp_path, FIGURE.replace("A. Mary", "Mary"))
    assert "options" in without["figure 18", "en", ""].reason


HOSTILE = (
    "",
    "| a | b |",
    "Table 7: x",
    "Figure 18: x",
    "|||||\n" * 50,
    "(" * 5_000,
    "Figure 18: x\n" * 5_000,
)


def test_a_hostile_text_takes_no_time() -> None:
    long = "| Space | x | y | 已知：" + "问题：A. 选项：A." * 20_000 + " |\nTable 7: x\n"
    asked = "**Question**\n已知 circle _\n**Options**\n" + "A. B. C. " * 100_000 + "\nFigure 18: x\n"
    started = time.process_time()
    assert {item.question for item in read_items(long + asked)} == {None}
    assert time.process_time() - started < 2


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_without_items_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"paper\.txt: no printed question in it"):
        read_items(text)


def test_without_the_text_the_items_are_asked_for() -> None:
    rows = compare_paper(Store("unused"), None, lambda _: None)
    (row,) = (row for row in rows if row.metric == "key")
    assert "reproduce-paper knowlogic PATH" in row.reason
    (average,) = (row for row in rows if (row.item, row.agrees) == ("table 5", False))
    assert (average.player, average.printed) == ("qwen-max", 43.32)


def test_the_papers_own_items(tmp_path: Path) -> None:
    text = paper("knowlogic")
    items = read_items(text)
    table = [item for item in items if item.source == "table 7"]
    assert len(table) == 28
    assert len({item.source for item in items}) == 12
    assert sum(item.question is None for item in items) == 1
    rows = compare(tmp_path, text)
    judged = {key: row.agrees for key, row in rows.items() if row.agrees is not None}
    assert sorted(judged.values()) == [False] * 4 + [True] * 2
    assert {item for item, _, _ in judged} == {"table 7", "figure 18"}
