"""Data roots on S3 and on the disk: files, conditional writes, two publishers of one edition."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog, published_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.manifest import manifest_file
from perennial.warehouse.store.file_system import file_system
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.lock_holding import Holder
from tests.warehouse.s3_server import S3, s3
from tests.warehouse.tiny_edition import publish

pytestmark = pytest.mark.slow

__all__ = ["s3"]

_RACE = """
import sys
from perennial.warehouse.store.store import Store

store = Store(sys.argv[1])
store.exists("warm")
print("ready", flush=True)
sys.stdin.readline()
print(store.create_bytes("folder/prize", sys.argv[2].encode() * 100_000), flush=True)
"""

_PUBLISH = """
import sys
from datetime import UTC, datetime
from perennial.schemas.errors import EditionConflict
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish
from perennial.warehouse.store.store import Store

store = Store(sys.argv[1])
store.exists("warm")
tables = tiny_edition.tables()
audit = {"suite": "s", "expectation": "e", "success": True, "observed": sys.argv[2], "unexpected_count": 0,
         "severity": "critical"}
print("ready", flush=True)
sys.stdin.readline()
try:
    publish(store, tiny_edition.plan("e1"), tables, [audit], datetime.now(UTC))
    print("published", flush=True)
except EditionConflict as error:
    print("EditionConflict", error, flush=True)
"""


@pytest.fixture(params=["local", "s3"])
def root(request: pytest.FixtureRequest, tmp_path: Path, s3: S3) -> str:
    """An empty data root, on the disk and on S3."""
    return str(tmp_path / "data") if request.param == "local" else s3.new_root()


def _race(program: str, root: str, names: list[str]) -> dict[str, str]:
    """Run a process a name, let all begin at once, and return the line that each ends with."""
    racers = {name: Holder(root, name, program) for name in names}
    for racer in racers.values():
        racer.go()
    lines = {name: racer.line() for name, racer in racers.items()}
    assert {racer.process.wait(60) for racer in racers.values()} == {0}
    for racer in racers.values():
        racer.kill()
    return lines


def test_files_are_written_read_listed_and_removed(root: str, tmp_path: Path) -> None:
    store = Store(root)
    assert store.names("folder") == []
    assert not store.exists("folder/a")
    with pytest.raises(FileNotFoundError):
        store.read_bytes("folder/a")
    store.write_bytes("folder/b", b"1")
    (tmp_path / "large").write_bytes(b"2" * 1_000_000)
    store.write_file("folder/inner/large", tmp_path / "large")
    assert store.create_bytes("folder/a", b"3")
    assert store.names("folder") == ["a", "b", "inner"]
    assert store.read_bytes("folder/inner/large") == b"2" * 1_000_000
    assert store.exists("folder")
    with store.open("folder/b") as file:
        assert file.read() == b"1"
    store.remove_folder("folder")
    assert store.names("folder") == []
    store.remove_folder("folder")


@pytest.mark.parametrize("kind", ["local", "s3", "memory"])
def test_what_is_there_is_never_created_again(kind: str, s3: S3, tmp_path: Path) -> None:
    roots = {"local": str(tmp_path), "s3": s3.new_root(), "memory": f"memory://{tmp_path.name}"}
    store = Store(roots[kind])
    assert store.create_bytes("folder/file", b"first")
    assert not store.create_bytes("folder/file", b"second")
    assert store.read_bytes("folder/file") == b"first"
    assert store.names("folder") == ["file"]
    assert not store.replace_bytes("folder/file", b"other", b"third")
    assert not store.replace_bytes("folder/absent", b"first", b"third")
    assert not store.remove_bytes("folder/file", b"other")
    assert store.read_bytes("folder/file") == b"first"
    assert store.replace_bytes("folder/file", b"first", b"third")
    assert store.read_bytes("folder/file") == b"third"
    assert store.remove_bytes("folder/file", b"third")
    assert not store.exists("folder/file")
    assert store.create_bytes("folder/file", b"fourth")


def test_of_several_processes_exactly_one_creates_the_file(root: str) -> None:
    lines = _race(_RACE, root, list("abc"))
    (winner,) = [name for name, line in lines.items() if line == "True"]
    assert sorted(lines.values()) == ["False"] * 2 + ["True"]
    assert Store(root).read_bytes("folder/prize") == winner.encode() * 100_000
    assert Store(root).names("folder") == ["prize"]


def test_what_another_process_wrote_is_seen_at_once(s3: S3) -> None:
    store = Store(s3.new_root())
    store.write_bytes("folder/a", b"1")
    assert store.names("folder") == ["a"]
    assert not store.exists("folder/b")
    program = (
        "import sys\n"
        "from perennial.warehouse.store.store import Store\n"
        "store = Store(sys.argv[1])\n"
        "store.write_bytes('folder/b', b'2')\n"
        "store.write_bytes('folder/a', b'longer')\n"
        "store.write_bytes('other/c', b'3')\n"
    )
    subprocess.run([sys.executable, "-c", program, store.root], check=True)
    assert store.names("folder") == ["a", "b"]
    assert store.names("") == ["folder", "other"]
    assert store.exists("folder/b")
    assert store.exists("other")
    assert store.read_bytes("folder/a") == b"longer"
    with store.open("folder/a") as file:
        assert file.read() == b"longer"


def test_of_two_publishers_of_one_edition_one_wins_whole(s3: S3) -> None:
    root = s3.new_root()
    lines = _race(_PUBLISH, root, ["one", "other"])
    (winner,) = [name for name, line in lines.items() if line == "published"]
    (refused,) = [line for line in lines.values() if line != "published"]
    assert refused.startswith(f"EditionConflict edition 'e1' is already published in {root}")
    store = Store(root)
    (audit,) = store.read_table(table_file("audits", "e1")).to_pylist()
    assert audit["observed"] == winner
    manifest = json.loads(store.read_bytes(manifest_file("e1")))
    assert {file["table"] for file in manifest["files"]} >= {"instances", "audits"}
    assert not store.exists("lock.json")
    written = _read_write_times(root)
    assert len(written) > 10
    assert max(written.values()) == written[table_file("evaluations", "e1@1")]
    of_edition = {name: at for name, at in written.items() if name in _files_of(store, "e1")}
    assert max(of_edition.values()) == written[table_file("editions", "e1")]


def _files_of(store: Store, unit: str) -> set[str]:
    """Return the names of the files that the unit's manifest lists, its row among them."""
    files = json.loads(store.read_bytes(manifest_file(unit)))["files"]
    return {table_file(file["table"], unit) for file in files} | {table_file("editions", unit)}


def _read_write_times(root: str) -> dict[str, object]:
    """Return when each published file was written, by name."""
    filesystem, path = file_system(root)
    found = filesystem.find(path, detail=True)
    times = {
        name.removeprefix(f"{path}/"): info.get("LastModified", info.get("mtime"))
        for name, info in found.items()
    }
    return {name: time for name, time in times.items() if not name.startswith(".")}


def test_a_catalog_reads_s3_and_stays_the_snapshot_that_it_was(s3: S3) -> None:
    store = Store(s3.new_root())
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime.now(UTC))
    before = open_catalog(store)
    publish(store, tiny_edition.plan("e2", ("e1",)), tiny_edition.tables(), [], datetime.now(UTC))
    sql = "SELECT edition, count(*) FROM episodes GROUP BY ALL ORDER BY ALL"
    assert before.query(sql)[1] == [("e1", 4)]
    assert open_catalog(store).query(sql)[1] == [("e1", 4), ("e2", 4)]
    assert published_editions(store) == ("e1", "e2")
    assert open_catalog(Store(f"{store.root}/nothing")).query("SELECT count(*) FROM episodes")[1] == [(0,)]


def test_a_file_is_moved_whole_and_back(root: str) -> None:
    store = Store(root)
    store.write_bytes("tables/file", b"1")
    for source, target in (("tables/file", "withdrawn/file"), ("withdrawn/file", "tables/file")):
        store.move(source, target)
        assert (store.exists(source), store.read_bytes(target)) == (False, b"1")
