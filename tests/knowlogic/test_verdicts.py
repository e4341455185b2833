"""The engine's verdicts on imported items: figure 18's key is wrong, that of appendix C's first is right."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.schemas.knowlogic.things import LANGUAGES
from perennial.tasks.knowlogic.published import Imported, judge_item, read_questions
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.store.store import Store
from tests.knowlogic.drawn_questions import draw
from tests.knowlogic.test_published_form import OTHER, ZH, lines

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
