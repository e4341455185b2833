"""`perennial verify`: what is whole is counted, what is damaged is named."""

import json
import re
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.manifest import manifest_file
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run


def test_a_withdrawn_edition_is_still_verified(run: Run) -> None:
    assert run("editions", "withdraw", "e1", "--why", "two books are wrong").code == 0
    assert run("verify", "e1").code == 0


def test_verify_says_what_it_read(run: Run) -> None:
    shown = run("verify", "--all")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    files = {"e1": 9, "e1@1": 6, "e2": 9, "e2@1": 6}
    for (unit, number), line in zip(files.items(), lines, strict=True):
        told = rf"{unit}: as it was published: {number} files, [\d,]+ bytes, \d+ rows, \d+\.\d s"
        assert re.fullmatch(told, line)


@pytest.mark.slow
def test_verify_names_every_damaged_file(run: Run, store: Store) -> None:
    root = Path(store.root)
    damaged = {
        table_file("episodes", "e1@1"): "truncated: ",
        table_file("turns", "e1@1"): "missing; it had",
        table_file("kumo_books", "e1"): "altered: its SHA-256",
    }
    episodes, turns, books = (root / name for name in damaged)
    episodes.write_bytes(episodes.read_bytes()[:-5])
    turns.unlink()
    content = bytearray(books.read_bytes())
    content[100] ^= 1
    books.write_bytes(content)
    shown = run("verify", "e1")
    assert shown.code == 8
    assert len(shown.out.splitlines()) == 3
    for name, told in damaged.items():
        assert f"{'e1' if name == table_file('kumo_books', 'e1') else 'e1@1'}: {name}: {told}" in shown.out
    assert shown.err.count("\n") == 1
    assert "3 files of e1, e1@1 not" in shown.err
    assert "restore" in shown.err
    assert "withdraw e1" in shown.err
    document = run("verify", "--all", "--json")
    assert document.code == 8
    checked = json.loads(document.out)["editions"]
    whole = {"e1": False, "e1@1": False, "e2": True, "e2@1": True}
    assert {one["edition"]: one["whole"] for one in checked} == whole
    found = [finding for one in checked[:2] for finding in one["findings"]]
    assert {finding["file"]: finding["problem"] for finding in found} == {
        table_file("episodes", "e1@1"): "truncated",
        table_file("turns", "e1@1"): "missing",
        table_file("kumo_books", "e1"): "altered",
    }
    assert checked[2]["findings"] == checked[3]["findings"] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("e9",), "has no published edition 'e9'"), (("e1", "--all"), "name one EDITION, or give --all")],
)
def test_verify_needs_an_edition(run: Run, arguments: tuple[str, ...], told: str) -> None:
    shown = run("verify", *arguments)
    assert shown.code == 2
    assert told in shown.err
    assert shown.err.count("\n") == 1


def test_a_lost_row_is_found(run: Run, store: Store) -> None:
    Path(store.root, table_file("editions", "e1")).unlink()
    shown = run("verify", "--all")
    assert shown.code == 8
    assert f"e1: {table_file('editions', 'e1')}: the edition's row is missing" in shown.out
    assert "prune e1" in shown.err
    assert Path(store.root, manifest_file("e1")).exists()


def test_an_empty_root_has_nothing_to_verify_and_nothing_to_prune(tmp_path: Path, give: Run) -> None:
    shown = give("verify", "--all", "--root", tmp_path)
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    shown = give("editions", "prune", "--yes", "--root", tmp_path)
    assert (shown.code, "nothing to remove" in shown.out) == (0, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_audit_writes_data_docs_into_an_empty_folder(run: Run, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    broken = Path(store.root) / table_file("episodes", "e1@1")
    rows = pq.ParquetFile(broken).read()
    scores = pc.add(rows["score"], 7)
    pq.write_table(rows.set_column(rows.schema.get_field_index("score"), "score", scores), broken)
    shown = run("audit", "e1@1", "--docs", str(folder))
    assert shown.code == 4
    assert "e1@1: episodes: score >= 0 <= 1, broken by 4 rows, rows such as score=8.0, episode" in shown.err
    assert f"Data Docs: {folder}/index.html" in shown.out
    assert "FAILED" in (folder / "index.html").read_text(encoding="utf-8")
    pages = {page.parts[-4] for page in folder.glob("validations/*/*/*/*.html")}
    assert pages >= {"episodes", "turns", "every_episodes_instance_id_is_in_instances"}
    again = run("audit", "e1@1", "--docs", str(folder))
    assert (again.code, again.out) == (2, "")
    assert "the folder is not empty" in again.err
