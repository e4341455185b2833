"""An imported edition of A2RBench is evaluated and audited as one that grew."""

from pathlib import Path

import pytest

from perennial.flows.editions.audit import audit_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench.published import made_lines
from tests.flows.prefect_harness import Harness


@pytest.mark.slow
def test_programs_are_evaluated_on_an_imported_edition(harness: Harness, tmp_path: Path) -> None:
    lines = (*made_lines.ITEMS[:4], made_lines.LEFT_OUT["SYM_W_D1_000"][1])
    (tmp_path / "seeds.jsonl").write_text(made_lines.text_of(lines), encoding="utf-8")
    place = ("--root", "data")
    done = harness.perennial("import", "a2rbench", ".", "--edition", "theirs", *place, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    players = ("--players", "search,identity,nearest")
    done = harness.perennial("evaluate", "theirs", *players, *place, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "left out:  1 outputs_differ (table rejections)" in done.stdout
    assert "gate:" not in done.stdout
    store = Store(str(tmp_path / "data"))
    _, board = open_catalog(store).query(
        "SELECT player, total_accuracy, remapped_accuracy, collapse_rate FROM a2rbench_leaderboard"
    )
    found = {player: tuple(rest) for player, *rest in board}
    # The two lines of a reversed text are the catalogue's; the others are rules of the grammar.
    assert found["search"] == (1.0, 1.0, 0.0)
    assert found["identity"] == found["nearest"] == (0.0, 0.0, 0.0)
    assert audit_unit(store, "theirs@1")[1] == ()
