"""`perennial export`: a folder for others, whole or not at all, without its private instances."""

import hashlib
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from perennial.flows.export import export_edition as exporting
from perennial.flows.export.export_edition import check_sums, export_edition
from perennial.schemas.disclosure import METADATA_KEY, canary_line
from perennial.schemas.errors import Damaged, InvalidOption
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import seed_file
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.warehouse import tiny_edition

pytestmark = pytest.mark.slow

SHARE = 0.25
CELLS = {"domains": ["chemical_analysis", "mineral_identification"], "settings": ["4x5"], "instances": 8}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with an edition whose books a model wrote, played by programs and models, twice."""
    root = tmp_path_factory.mktemp("private")
    with running_server(ServerOptions(seed=3)) as server:
        given = {"base_url": server.url, "runs": 1}
        make_edition(
            root,
            "e",
            **{**CELLS, **given, "players": ["algorithm-3", "scripted"], "writer": "scripted", "seed": None},
            private_share=SHARE,
        )
        make_evaluation(root, "e", players=["symbolic:scripted", "greedy"], **given)
    return root


def private_of(root: Path) -> set[str]:
    """Return the ids of the private instances."""
    return {id_ for (id_,) in query_rows(root, "SELECT instance_id FROM private_instances")}


def rows_of(folder: Path, table: str) -> list[dict[str, object]]:
    """Return all rows of a table of an export."""
    files = sorted((folder / "tables" / table).rglob("*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def test_an_export_holds_nothing_of_a_private_instance(grown: Path, tmp_path: Path) -> None:
    found = export_edition(Store(str(grown)), "e", tmp_path / "out")
    private = private_of(grown)
    catalog = open_catalog(Store(str(grown)))
    assert found.left_out["instances"] == found.left_out["kumo_instances"] == len(private) == 4
    for table in ("kumo_books", "episodes", "kumo_episodes", "turns", "kumo_moves", "calls", "messages"):
        (before,) = catalog.query(f"SELECT count(*) FROM {table}")[1][0]
        after = rows_of(tmp_path / "out", table)
        assert before - len(after) == found.left_out[table] > 0, table
        assert after
    for table in ("statistics", "rejections", "audits", "instances"):
        assert not [row for row in rows_of(tmp_path / "out", table) if private & set(map(str, row.values()))]
    results = [row["result"] for row in rows_of(tmp_path / "out", "validations")]
    assert results
    assert not [result for result in results if any(id_ in result for id_ in private)]
    # No text of a private instance is anywhere: its observed floats, its books, what was asked of it.
    texts = catalog.query("SELECT text FROM kumo_books JOIN private_instances USING (instance_id)")[1]
    kept = {
        str(value)
        for table in ("kumo_books", "messages", "calls", "turns")
        for row in rows_of(tmp_path / "out", table)
        for value in row.values()
    }
    for (text,) in texts:
        body = str(text).split("\n\n", 2)[-1]
        assert not [value for value in kept if body in value]
    # What is kept is whole: every call of a kept turn, every message of a kept call.
    calls = {row["call_id"]: row for row in rows_of(tmp_path / "out", "calls")}
    messages = {row["message_id"] for row in rows_of(tmp_path / "out", "messages")}
    assert {row["call_id"] for row in rows_of(tmp_path / "out", "turns") if row["call_id"]} <= set(calls)
    for call in calls.values():
        assert {part["message_id"] for part in json.loads(str(call["request"]))["messages"]} <= messages


def test_an_export_describes_and_proves_itself(grown: Path, tmp_path: Path, give: Run) -> None:
    done = give("export", "latest", tmp_path / "out", "--root", grown)
    assert done.code == 0, done.err
    assert "4 instances" in done.out
    assert "over all instances" in done.out
    plan = read_published_plan(Store(str(grown)), "e")
    readme = (tmp_path / "out/README.md").read_text()
    for said in (canary_line(plan.canary), "License: Apache-2.0", plan.seed_commitment, "4 instances"):
        assert said in readme
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert (manifest["canary"], manifest["seed"], manifest["is_retired"]) == (plan.canary, None, False)
    assert manifest["evaluations"] == ["e@1", "e@2"]
    secret = seed_file(str(grown), plan.seed_commitment).read_bytes()
    for path in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert secret not in path.read_bytes()
        if path.suffix == ".parquet":
            assert pq.read_schema(path).metadata[METADATA_KEY.encode()].decode() == canary_line(plan.canary)
    for line in (tmp_path / "out/SHA256SUMS").read_text().splitlines():
        sha256, name = line.split("  ")
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == sha256
    for entry in manifest["files"]:
        assert pq.read_metadata(tmp_path / "out" / entry["name"]).num_rows == entry["rows"]


def test_an_export_refuses_what_is_there_and_leaves_nothing_half_done(
    grown: Path, tmp_path: Path, give: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").mkdir()
    refused = give("export", "e", tmp_path / "taken", "--root", grown)
    assert refused.code == 2
    assert "new folder" in refused.err
    assert give("export", "nothing", tmp_path / "out", "--root", grown).code == 2

    def flip(folder: Path) -> None:
        (folder / "README.md").write_text("other")
        check_sums(folder)

    monkeypatch.setattr(exporting, "check_sums", flip)
    with pytest.raises(Damaged, match=r"README\.md is not what SHA256SUMS says"):
        export_edition(Store(str(grown)), "e", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_after_retirement_nothing_is_left_out_and_the_seed_may_be_revealed(
    grown: Path, tmp_path: Path, give: Run
) -> None:
    root = tmp_path / "root"
    shutil.copytree(grown, root)
    early = give("editions", "reveal", "e", "--root", root)
    assert (early.code, "retire e" in early.err) == (5, True)
    assert give("editions", "retire", "e", "--root", root).code == 0
    assert give("editions", "retire", "e", "--root", root).code == 5
    found = export_edition(Store(str(root)), "e", tmp_path / "out")
    assert found.left_out == {}
    assert "Nothing is left out" in (tmp_path / "out/README.md").read_text()
    assert {row["instance_id"] for row in rows_of(tmp_path / "out", "instances")} >= private_of(root)
    assert give("editions", "reveal", "e", "--root", root).code == 0
    assert give("report", "e", "--root", root, "--out", tmp_path).code == 0
    assert "in no export" not in (tmp_path / "e.html").read_text()
    with_seed = export_edition(Store(str(root)), "e", tmp_path / "revealed")
    assert with_seed.files == found.files
    seed = json.loads((tmp_path / "revealed/manifest.json").read_text())["seed"]
    assert (
        hashlib.sha256(seed.encode()).hexdigest()
        == read_published_plan(Store(str(root)), "e").seed_commitment
    )


def test_a_changed_file_is_not_exported(grown: Path, tmp_path: Path) -> None:
    shutil.copytree(grown, tmp_path / "root")
    file = next((tmp_path / "root/tables/kumo_domains").rglob("*.parquet"))
    rows = pq.ParquetFile(file).read()
    pq.write_table(rows, file)
    with pytest.raises(Damaged, match="`perennial verify e` says more"):
        export_edition(Store(str(tmp_path / "root")), "e", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_report_shows_no_text_of_a_private_instance(grown: Path, tmp_path: Path, give: Run) -> None:
    assert give("report", "e", "--root", grown, "--out", tmp_path).code == 0
    page = (tmp_path / "e.html").read_text()
    assert "4, in no export; figures are over all instances" in page
    assert not [id_ for id_ in private_of(grown) if id_ in page]
    # Short numbers may be on the page for another reason; a rule of a book is long.
    books = query_rows(grown, "SELECT text FROM kumo_books JOIN private_instances USING (instance_id)")
    rules = [max(text.splitlines(), key=len) for (text,) in books]
    assert min(map(len, rules)) > 40
    assert not [rule for rule in rules if rule in page]


def test_imported_data_is_exported_under_a_licence_that_is_named(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "root"))
    plan = tiny_edition.plan("e")
    imported = replace(plan, growth=replace(plan.growth, imported_from="digest"))
    tiny_edition.publish(store, imported, tiny_edition.tables(), [], datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(InvalidOption, match="--license"):
        export_edition(store, "e", tmp_path / "out")
    export_edition(store, "e", tmp_path / "out", "CC-BY-4.0")
    assert "License: CC-BY-4.0" in (tmp_path / "out/README.md").read_text()
