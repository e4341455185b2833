"""`perennial reproduce-paper a2rbench`: the paper beside itself, and beside the published seeds."""

from pathlib import Path

import pytest

from perennial.flows.a2rbench import release
from perennial.flows.a2rbench.release import compare_paper
from perennial.tasks.papers import Comparison, judge_figures
from perennial.warehouse.a2rbench.published import published_scores
from perennial.warehouse.store.store import Store
from tests.warehouse.test_published_scores import SHARED


def compared(path: Path | None = None) -> list[Comparison]:
    return compare_paper(Store("unused"), path, lambda _: None)


def test_its_tables_agree_with_each_other() -> None:
    verdicts = {(one.item, one.metric): one for one in judge_figures(compared(), 1.0)}
    assert {one.agrees for one in verdicts.values()} == {True, None}
    assert verdicts["table 4, beside table 1", "accuracy"].compared == 70
    # The items of each cell of table 5 follow from its rates, and its total is that of table 1.
    assert verdicts["table 5, total of its cells", "accuracy"].compared == 14
    assert all("PATH" in row.reason for row in compared() if row.item == "table 6")


def test_a_total_that_its_cells_do_not_give_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = [
        row._replace(value=row.value + 1)
        if (row.place, row.player, row.figure, row.setting) == ("table 1", "GPT-5", "accuracy", "all")
        else row
        for row in published_scores()
    ]
    monkeypatch.setattr(release, "published_scores", lambda: iter(changed))
    wrong = {(row.item, row.player) for row in compared() if row.agrees is False}
    assert wrong == {
        ("table 1, of symbolic and semantic", "GPT-5"),
        ("table 1, of seeds and variations", "GPT-5"),
        ("table 4, beside table 1", "GPT-5"),
        ("table 5, total of its cells", "GPT-5"),
    }


def test_the_published_seeds_are_measured_and_not_judged() -> None:
    folder = SHARED / "a2rbench_release"
    if not folder.is_dir():
        pytest.skip("the seeds of A2RBench's authors are not beside this clone (set PERENNIAL_SHARED)")
    rows = compared(folder)
    code = [row for row in rows if row.item == "table 6"]
    assert len(code) == 72
    assert all(row.ours is not None and row.agrees is None for row in code)
    assert {row.reason for row in code} == {"4 rules of 48 seeds; the paper has 72"}
    (seed,) = (row for row in rows if (row.item, row.metric, row.setting) == ("table 7", "compression", "v0"))
    assert (seed.printed, seed.ours) == (1.156, pytest.approx(1.157, abs=5e-4))
