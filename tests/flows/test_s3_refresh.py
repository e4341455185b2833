"""`perennial` on a data root on S3, and on a root that somebody else writes to."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness, edition_content
from tests.warehouse.lock_holding import holding
from tests.warehouse.s3_server import S3, s3

pytestmark = pytest.mark.slow

__all__ = ["s3"]

REFRESH = (
    *("refresh", "--domains", "mineral_identification", "--settings", "easy", "--instances", "3"),
    *("--runs", "2", "--players", "algorithm-3,random", "--seed", "0", "--edition", "e1"),
)


@dataclass(frozen=True)
class OnS3:
    """A root on S3 with the edition `e1`, and commands that reach it."""

    root: str
    harness: Harness
    printed: str


@pytest.fixture(scope="module")
def on_s3(harness: Harness, s3: S3, tmp_path_factory: pytest.TempPathFactory) -> OnS3:
    """A small refresh into a root on S3."""
    there = harness.but(**s3.environment)
    root = s3.new_root()
    folder = tmp_path_factory.mktemp("beside")
    done = there.perennial(*REFRESH, "--root", root, cwd=folder)
    assert done.returncode == 0, done.stderr
    return OnS3(root, there, done.stdout)


def test_an_edition_on_s3_equals_that_on_the_disk(on_s3: OnS3, harness: Harness, tmp_path: Path) -> None:
    done = harness.perennial(*REFRESH, "--root", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    there = edition_content(on_s3.root, "e1")
    assert there == edition_content(tmp_path, "e1")
    assert len(there["kumo_instances"]) == 3
    assert f"{on_s3.root}/tables/<table>/edition=e1/" in on_s3.printed
    store = Store(on_s3.root)
    assert store.names("staging") == []
    assert not store.exists("lock.json")
    assert not (tmp_path / "lock.json").exists()


def test_no_file_on_s3_holds_the_credentials(on_s3: OnS3, s3: S3) -> None:
    store = Store(on_s3.root)
    names = [f"{folder}/{name}" for folder in ("lineage", "manifests") for name in store.names(folder)]
    assert names
    for secret in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        value = s3.environment[secret]
        assert value not in on_s3.printed
        assert not [name for name in names if value.encode() in store.read_bytes(name)]


def test_reading_commands_and_analyse_work_there(on_s3: OnS3, tmp_path: Path) -> None:
    there = ("--root", on_s3.root)
    asked = "SELECT player, attempted FROM leaderboard ORDER BY 1"
    query = on_s3.harness.perennial("query", asked, *there, "--format", "json", cwd=tmp_path)
    assert json.loads(query.stdout) == [
        {"player": "algorithm-3", "attempted": 3},
        {"player": "random", "attempted": 6},
    ]
    (tmp_path / "scores.csv").write_text("benchmark,player,score,source\nother,algorithm-3,0.9,us\n")
    for command in (("import", "scores", "scores.csv"), ("analyse",)):
        done = on_s3.harness.perennial(*command, *there, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert Store(on_s3.root).names("external_scores")
    assert not Store(on_s3.root).exists("lock.json")
    assert report_data(Store(on_s3.root)).edition == "e1"


@pytest.mark.parametrize("kind", ["local", "s3"])
def test_a_locked_root_is_one_line_and_exit_9_for_every_writer(
    on_s3: OnS3, kind: str, tmp_path: Path
) -> None:
    root = on_s3.root if kind == "s3" else str(tmp_path / "data")
    (tmp_path / "scores.csv").write_text("benchmark,player,score,source\nother,algorithm-3,0.9,us\n")
    commands = [REFRESH, ("import", "scores", "scores.csv")]
    if kind == "s3":
        commands.append(("analyse", "e1"))
    with holding(root, "refresh e2") as holder:
        for command in commands:
            started = time.monotonic()
            done = on_s3.harness.perennial(*command, "--root", root, cwd=tmp_path, timeout=60)
            assert done.returncode == 9, done.stderr
            assert done.stderr.count("\n") == 1
            assert f"process {holder.process.pid}: refresh e2" in done.stderr
            assert "perennial unlock" in done.stderr
            assert time.monotonic() - started < 30
        # Who only reads does not look at locks.
        dry = on_s3.harness.perennial(*REFRESH[:-1], "e3", "--dry-run", "--root", root, cwd=tmp_path)
        assert dry.returncode == 0, dry.stderr
    assert not (tmp_path / "data" / ".prefect").exists()
