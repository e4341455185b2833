"""Printed items: read from a text of the paper's form, and judged by our engine."""

import time
from pathlib import Path

import pytest

from perennial.flows.knowlogic.paper import compare_paper
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.knowlogic.published import PrintedItem, read_printed_items
from perennial.tasks.papers import Comparison
from perennial.warehouse.store.store import Store
from tests.knowlogic.test_verdicts import APPENDIX_C, FIGURE_18, FIVE_SLOTS
from tests.warehouse.test_published_scores import paper


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
