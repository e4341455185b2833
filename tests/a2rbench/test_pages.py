"""A2RBench's pages of the explorer: items drawn, answers beside the right one, hostile tokens as text."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from perennial.flows.a2rbench.web import color_tokens, place_cells, tokens_of
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.web.visiting import errors_of, visit

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="document.title=1"> [link](javascript:alert(1)) **bold**'


DEEP = "[" * 800 + "]" * 800


@pytest.fixture(scope="module")
def made() -> made_edition.Rows:
    """The rows of an edition in which a model answers with markup."""
    rows = made_edition.rows()
    first, second, *_ = (each for each in rows["a2rbench_answers"] if each["answer"] == '["no"]')
    first |= {"answer": json.dumps([HOSTILE]), "rule": HOSTILE}
    second |= {"answer": DEEP}
    return rows


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, made: made_edition.Rows) -> Path:
    folder = tmp_path_factory.mktemp("pages") / "data"
    made_edition.publish(folder, made, made_edition.usual_statistics())
    return folder


def test_items_are_listed_by_cell_variation_and_setting(root: Path, made: made_edition.Rows) -> None:
    shown = visit(root, "a2rbench-items", edition="a1")
    assert errors_of(shown) == []
    assert set(shown.dataframe[0].value["instance_id"]) == {row["instance_id"] for row in made["instances"]}
    few = visit(
        root, "a2rbench-items", edition="a1", domain="line_symbolic", variation="V4", setting="remapped"
    )
    rows = few.dataframe[0].value
    assert list(rows["rule"]) == ["line_reverse"]
    assert list(rows["variation"]) == [4]
    (error,) = errors_of(visit(root, "a2rbench-items", edition="a1", variation="V10"))
    assert "V10" in error


def test_an_item_is_drawn_beside_its_copy(root: Path) -> None:
    (copy, *_) = [item for item in made_edition.items() if item.is_remapped]
    shown = visit(root, "instances", edition="a1", instance=copy.instance_id)
    assert errors_of(shown) == []
    assert [header.value for header in shown.header][:2] == ["Original (P0)", "Copy in other tokens (P1)"]
    blocks = [block.value for block in shown.code]
    assert copy.description in blocks
    assert copy.code.strip() in [block.strip() for block in blocks]
    assert copy.phi is not None
    old, new = next(iter(json.loads(copy.phi).items()))
    assert any(f"{old} → {new}" in block for block in blocks)
    # Both items, their two runs of two models and four programs.
    assert len(shown.dataframe[0].value) == 2 * (2 * 2 + 4)
    assert set(shown.dataframe[0].value["item"]) == {"P0", "P1"}


def visit_answer(root: Path, made: made_edition.Rows, answer: str) -> AppTest:
    """Return the page of the item with this answer, which is chosen."""
    (row,) = [each for each in made["a2rbench_answers"] if each["answer"] == answer]
    (episode,) = [each for each in made["episodes"] if each["episode_id"] == row["episode_id"]]
    name = f"{episode['player']}, run {episode['run']} ({row['episode_id']})"
    return visit(root, "instances", edition="a1", instance=episode["instance_id"], answer=name)


def test_markup_in_an_answer_is_text(root: Path, made: made_edition.Rows) -> None:
    shown = visit_answer(root, made, json.dumps([HOSTILE]))
    assert errors_of(shown) == []
    assert HOSTILE in [block.value for block in shown.code]
    assert json.dumps([HOSTILE]) in [block.value for block in shown.code]
    drawn_as_markup = [
        element.value for kind in ("markdown", "html", "caption") for element in shown.get(kind)
    ]
    assert not [text for text in drawn_as_markup if "onerror" in text or "javascript" in text]


def test_an_answer_that_is_nested_too_deep_is_text(root: Path, made: made_edition.Rows) -> None:
    shown = visit_answer(root, made, DEEP)
    assert errors_of(shown) == []
    assert DEEP in [block.value for block in shown.code]


def test_the_curve_and_the_copies_are_shown(root: Path) -> None:
    found = {}
    for name in ("a2rbench_curve", "a2rbench_remapping"):
        shown = visit(root, "figures", edition="a1", kinds="models", figure=name)
        assert errors_of(shown) == []
        found[name] = shown.dataframe[0].value
    assert set(found["a2rbench_curve"]["player"]) == {"all", "m-large", "m-small"}
    assert len(found["a2rbench_curve"]) == 3 * len(made_edition.VARIATIONS)
    assert set(found["a2rbench_remapping"]["player"]) == {"m-large", "m-small"}


def test_an_edition_without_figures_says_so(unfigured: Store) -> None:
    shown = visit(Path(unfigured.root), "figures", edition="a1", figure="a2rbench_curve")
    assert errors_of(shown) == []
    assert "perennial analyse computes them" in shown.info[0].value


@pytest.mark.parametrize(
    ("value", "dimension", "places"),
    [
        (["a", "b"], 1, [(0, 0), (1, 0)]),
        ("ab", 1, [(0, 0), (1, 0)]),
        ([["a", "b"], ["c", "d"]], 2, [(0, 0), (1, 0), (0, 1), (1, 1)]),
        ([[["a"], ["b"]], [["c"], ["d"]]], 3, [(0, 0), (0, 1), (1.5, 0), (1.5, 1)]),
        (["a"] * 14, 1, [(number % 13, number // 13) for number in range(14)]),
        ([["a"]], 1, None),
        ("a", 2, None),
        ([1, 2], 1, None),
        ({"a": 1}, 2, None),
        ([], 1, None),
        ([HOSTILE], 1, None),
        (["a", "\u202e"], 1, None),
        (["a", "\x1b["], 1, None),
        (["a"] * 10_000, 1, None),
    ],
)
def test_a_value_has_cells_or_none(
    value: object, dimension: int, places: list[tuple[float, float]] | None
) -> None:
    cells = place_cells(value, dimension)
    assert (None if cells is None else [(cell.x, cell.y) for cell in cells]) == places


def test_a_copy_has_the_colors_of_its_original() -> None:
    phi = {"a": "α", "b": "β"}
    assert color_tokens(tokens_of([["α"], ["β"]]), phi)["β"] == color_tokens({"a", "b"})["b"]
