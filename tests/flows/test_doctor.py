"""`perennial doctor` on a healthy root, and on roots with one thing wrong each."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.flows.stages.grow import progress_of
from perennial.flows.stages.workspace import open_workspace
from perennial.tasks.sandbox.tier import Jail, Protection, Tier
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.lock import LockRecord, Owner, lock_root
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store, root_id
from tests.flows.conftest import KEY
from tests.flows.doctored_roots import DAMAGE, cut_a_part, make_healthy, publish_tiny
from tests.flows.grown_root import digests
from tests.flows.mounted import require_mounts, run_mounted
from tests.flows.prefect_harness import Harness, clean_environment
from tests.flows.progress_lines import without_progress
from tests.server.options import ServerOptions
from tests.server.running import running_server


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root where nothing is wrong."""
    root = tmp_path_factory.mktemp("healthy")
    make_healthy(root)
    return root


@pytest.fixture
def root(healthy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the healthy root, and an environment in which nothing else is set."""
    _only(monkeypatch, clean_environment())
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(healthy, tmp_path / "root"))


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with one tiny edition, for what concerns its surroundings and not its editions."""
    _only(monkeypatch, clean_environment())
    monkeypatch.chdir(tmp_path)
    publish_tiny(Store(str(tmp_path / "root")), "one", datetime(2026, 1, 3, tzinfo=UTC))
    return tmp_path / "root"


def _only(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name in set(os.environ) - set(environment):
        monkeypatch.delenv(name)


def _doctor(root: Path | str, *more: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit code and the checks by name."""
    done = CliRunner().invoke(app, ["doctor", "--root", str(root), "--json", *more])
    document = json.loads(done.stdout)
    assert document["exit_code"] == done.exit_code
    for check in document["checks"]:
        assert (check["remedy"] == "") == (check["status"] == "ok")
        assert (check["exit_code"] != 0) == (check["status"] == "failed")
        assert "\n" not in check["seen"]
    return done.exit_code, {check["name"]: check for check in document["checks"]}


def _not_ok(checks: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, check in checks.items() if check["status"] != "ok"}


def test_a_healthy_root_is_told_line_by_line_and_is_not_changed(root: Path) -> None:
    before = digests(root)
    done = CliRunner().invoke(app, ["doctor", "--root", "root"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line[:9] for line in lines] == ["ok       "] * len(lines)
    told = {line[9:].partition(": ")[0]: line for line in lines}
    assert {"edition new", "edition old", "staging begun", "ledger", "root", "versions"} <= set(told)
    assert f"Prefect {version('prefect')}" in told["versions"]
    assert "1 calls, 1 of them answered, 1 messages, each one as it was kept" in told["ledger"]
    assert "keys and references hold" in told["edition new"]
    batches = len(progress_of(open_workspace(str(root), "begun")).asked)
    assert f"2 of {batches} batches" in told["staging begun"]
    assert "not configured" in told["endpoint"]
    assert without_progress(done.stderr) == ""
    assert digests(root) == before
    assert not (root / ".prefect").exists()


@pytest.mark.slow
def test_a_root_that_is_not_there_is_named_first_and_is_not_made(tiny: Path) -> None:
    # Nobody named the default one.
    done = CliRunner().invoke(app, ["doctor"])
    assert (done.exit_code, "is not there yet and can be made" in done.stdout.splitlines()[0]) == (0, True)
    code, checks = _doctor(tiny / "new" / "root")
    assert (code, next(iter(checks)), _not_ok(checks)) == (2, "root", {"root"})
    assert "does not exist" in checks["root"]["seen"]
    assert not (tiny / "new").exists()
    assert "is not UTF-8: rename the folder" in str(
        CliRunner().invoke(app, ["editions", "list", "--root", "a\udcff"]).exception
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_with_exit_code_8_and_nothing_is_touched(root: Path, name: str) -> None:
    spoil, check, told = DAMAGE[name]
    spoil(root)
    before = digests(root)
    code, checks = _doctor(root)
    assert code == 8
    assert checks[check]["status"] == "failed"
    assert told in checks[check]["seen"]
    assert any(word in checks[check]["remedy"] for word in ("copy", "editions prune", "perennial analyse"))
    assert {other for other in _not_ok(checks) if checks[other]["exit_code"] == 8} - {check} <= {
        "edition new",  # its analysis is part of what readers see of it
        check.replace("edition", "evaluation") + "@1",  # its answers refer to the questions of its edition
        "clock",  # reads the rows of all editions
    }
    assert digests(root) == before


@pytest.mark.slow
def test_a_read_only_root_cannot_be_written(tiny: Path) -> None:
    require_mounts()
    mount = f"mount --bind {tiny} {tiny} && mount -o remount,ro,bind {tiny}"
    done = run_mounted(mount, ("doctor", "--root", str(tiny)), clean_environment(), tiny)
    assert done.returncode == 2, done.stdout + done.stderr
    lines = {line.split(":")[0]: line for line in done.stdout.splitlines()}
    assert "read-only" in lines["failed   root"]
    assert "cannot be made or written" in lines["failed   prefect"]
    assert {line[:6] for name, line in lines.items() if "edition" in name or "ledger" in name} == {"ok    "}


@pytest.mark.slow
def test_a_clock_behind_what_is_published_is_told(tiny: Path) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    publish_tiny(Store(str(tiny)), "ahead", ahead)
    code, checks = _doctor(tiny)
    assert code == 5
    assert "evaluation 'ahead@1' was published" in checks["clock"]["seen"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "units", "seen"),
    [
        (
            lambda root: publish_tiny(Store(str(root)), "begun", datetime.now(UTC)),
            ["begun", "begun@1"],
            "it is published",
        ),
        (
            lambda root: shutil.rmtree(root / "staging" / "begun"),
            ["begun@1"],
            "begun is neither published nor staged",
        ),
    ],
    ids=["published", "without its edition"],
)
def test_what_is_left_over_in_staging_is_a_warning(
    root: Path, spoil: Callable[[Path], None], units: list[str], seen: str
) -> None:
    spoil(root)
    code, checks = _doctor(root)
    assert (code, _not_ok(checks)) == (0, {f"staging {unit}" for unit in units})
    for unit in units:
        assert seen in checks[f"staging {unit}"]["seen"]
        assert f"prune {unit}`" in checks[f"staging {unit}"]["remedy"]


@pytest.mark.slow
def test_what_another_version_began_is_not_said_to_be_resumed(root: Path) -> None:
    staging = Staging(Store(str(root)), "begun")
    assert "the same command with the same settings resumes it" in _doctor(root)[1]["staging begun"]["seen"]
    plan = replace(staging.require_plan(), code_version="0.0.7")
    staging.remove()
    staging.write_plan(plan)
    code, checks = _doctor(root)
    assert (code, _not_ok(checks)) == (0, {"staging begun"})
    assert re.search(
        r"perennial 0\.0\.7 began it, and \S+ does not resume it", checks["staging begun"]["seen"]
    )
    assert "prune begun`" in checks["staging begun"]["remedy"]


@pytest.mark.slow
def test_a_lock_is_told_with_its_holder(tiny: Path) -> None:
    with lock_root(Store(str(tiny)), "refresh next"):
        code, checks = _doctor(tiny)
        assert (code, _not_ok(checks)) == (0, {"lock"})
        assert ": refresh next, since " in checks["lock"]["seen"]
    now = datetime.now(UTC)
    elsewhere = LockRecord(Owner("ada", "another-host", 7, "1", "boot", "4"), "refresh next", now, now, "t")
    (tiny / "lock.json").write_bytes(elsewhere.as_bytes())
    code, checks = _doctor(tiny)
    assert (code, _not_ok(checks)) == (9, {"lock"})
    assert "ada@another-host, process 7" in checks["lock"]["seen"]
    assert "perennial unlock" in checks["lock"]["remedy"]


@pytest.mark.slow
def test_it_needs_no_prefect(tiny: Path) -> None:
    program = (
        "import sys\nfrom perennial.flows.doctor.checks import looks\n"
        "from perennial.schemas.settings import load_settings\n"
        f"settings = load_settings({{'root': {str(tiny)!r}}})\n"
        "done = [look.run() for look in looks(settings, deep=False, is_named=False)]\n"
        "print(len(done) > 9, 'prefect' in sys.modules, 'great_expectations' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


@pytest.mark.slow
def test_the_endpoint_takes_a_right_key_refuses_a_wrong_one_and_misses_one(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_server(ServerOptions(keys=(KEY,))) as server:
        url = server.url
        monkeypatch.setenv("PERENNIAL_BASE_URL", url)
        monkeypatch.setenv("PERENNIAL_KUMO_AUTHOR", "scripted")
        code, checks = _doctor(tiny)
        assert (code, checks["endpoint"]["status"]) == (6, "failed")
        assert "asks for a key, and none is set" in checks["endpoint"]["seen"]
        assert "PERENNIAL_API_KEY" in checks["endpoint"]["remedy"]
        monkeypatch.setenv("PERENNIAL_API_KEY", wrong := "sk-wrong-0123456789")
        code, checks = _doctor(tiny)
        assert code == 6
        assert "refuses the key (HTTP 401)" in checks["endpoint"]["seen"]
        assert wrong not in json.dumps(checks)
        monkeypatch.setenv("PERENNIAL_API_KEY", KEY)
        code, checks = _doctor(tiny)
        assert (code, _not_ok(checks)) == (0, set())
        assert f"{url} answers and lists 2 models" in checks["endpoint"]["seen"]
        assert KEY not in json.dumps(checks)
        monkeypatch.setenv("PERENNIAL_PLAYERS", "algorithm-3,other-model")
        code, checks = _doctor(tiny)
        assert (code, checks["endpoint"]["status"]) == (0, "warning")
        assert "does not list other-model" in checks["endpoint"]["seen"]
    code, checks = _doctor(tiny)
    assert code == 6
    assert "is not reached" in checks["endpoint"]["seen"]


@pytest.mark.slow
def test_a_prefect_server_is_asked_for_its_version(
    tiny: Path, by_prefect: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = by_prefect.environment["PREFECT_API_URL"]
    monkeypatch.setenv("PREFECT_API_URL", url)
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", by_prefect.environment["PREFECT_API_AUTH_STRING"])
    _, checks = _doctor(tiny)
    assert checks["prefect"]["seen"] == f"{url} answers, Prefect {version('prefect')}"
    monkeypatch.setenv("PREFECT_API_URL", "http://user:secret@127.0.0.1:9/api")
    code, checks = _doctor(tiny)
    assert code == 1
    assert "http://127.0.0.1:9/api does not answer" in checks["prefect"]["seen"]
    assert "secret" not in json.dumps(checks)


@pytest.mark.slow
def test_versions_that_do_not_fit_are_named(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "perennial.flows.doctor.checks.version", lambda name: "3.8.8" if name == "prefect" else version(name)
    )
    code, checks = _doctor(tiny)
    assert code == 1
    assert "prefect>=3.9 is required, 3.8.8 is installed" in checks["versions"]["seen"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("top_level.txt", "other\nperennial\n"),
        ("RECORD", "x/y.py,,\nperennial/a/b.py,,\n"),
        ("RECORD", "perennial.py,,\n"),
    ],
)
@pytest.mark.slow
def test_another_package_that_installs_a_module_perennial_is_named(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, text: str
) -> None:
    info = tmp_path / "perennial-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: perennial\nVersion: 0.1.0\n")
    (info / file).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    code, checks = _doctor(tiny)
    assert code == 1
    assert "package 'perennial' installs a module `perennial` too" in checks["versions"]["seen"]


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["bubblewrap", "seccomp", "none"])
def test_the_sandbox_is_a_fact_and_no_protection_a_warning(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tier: Tier
) -> None:
    found = Protection(tier, Jail(), ("bubblewrap: not installed", "seccomp: as found"))
    monkeypatch.setattr("perennial.flows.doctor.checks.find_protection", lambda: found)
    code, checks = _doctor(tiny)
    assert code == 0
    assert checks["sandbox"]["status"] == ("warning" if tier == "none" else "ok")
    assert f"tier {tier} (bubblewrap: not installed; seccomp: as found)" in checks["sandbox"]["seen"]
    assert ("bwrap" in checks["sandbox"]["remedy"]) == (tier == "none")
    assert ("is refused unless accept_weak_sandbox" in checks["sandbox"]["seen"]) == (tier == "none")
    assert checks["sandbox"]["seen"].endswith("wrote is run") == (tier != "none")


@pytest.mark.slow
def test_the_most_severe_failure_decides_the_exit_code(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    monkeypatch.setenv("PERENNIAL_BASE_URL", "http://127.0.0.1:9/v1")
    assert _doctor(root)[0] == 6
    cut_a_part(root)
    code, checks = _doctor(root)
    assert code == 8
    assert {checks[name]["exit_code"] for name in _not_ok(checks)} == {1, 6, 8}


@pytest.mark.slow
def test_published_calls_that_the_ledger_lacks_are_named_with_their_count(root: Path) -> None:
    store = Store(str(root))
    publish_tiny(store, "tiny", datetime.now(UTC))
    assert _doctor(root)[0] == 0
    with closing(sqlite3.connect(root / "ledger.sqlite")) as connection, connection:
        connection.execute("DELETE FROM calls WHERE call_id IN ('call_cut', 'call_lost')")
    before = digests(root)
    code, checks = _doctor(root)
    assert (code, _not_ok(checks)) == (8, {"ledger"})
    told = "2 of the 2 published calls of evaluation 'tiny@1' are missing, such as call_"
    assert told in checks["ledger"]["seen"]
    assert "restore the ledger from a copy" in checks["ledger"]["remedy"]
    assert digests(root) == before


@pytest.mark.slow
def test_a_ledger_that_is_gone_is_named_with_the_published_calls(root: Path) -> None:
    (root / "ledger.sqlite").unlink()
    assert _doctor(root)[0] == 0
    publish_tiny(Store(str(root)), "tiny", datetime.now(UTC))
    (root / "ledger.sqlite").unlink()
    code, checks = _doctor(root)
    assert (code, _not_ok(checks)) == (8, {"ledger"})
    assert "is missing, and 3 published model calls were kept in it" in checks["ledger"]["seen"]


@pytest.mark.slow
def test_another_roots_ledger_is_noticed(tiny: Path) -> None:
    other = tiny.parent / "other"
    publish_tiny(Store(str(other)), "one", datetime(2026, 1, 3, tzinfo=UTC))
    for one in (tiny, other):
        CallLedger(one / "ledger.sqlite", "e", "http://127.0.0.1/v1", root_id(Store(str(one)))).close()
        assert _doctor(one)[0] == 0
    before = root_id(Store(str(tiny)))
    (other / "ledger.sqlite").replace(tiny / "ledger.sqlite")
    code, checks = _doctor(tiny)
    assert (code, _not_ok(checks)) == (0, {"ledger"})
    assert "is the ledger of another data root" in checks["ledger"]["seen"]
    assert before in checks["ledger"]["seen"]
    assert "DROP TABLE root" in checks["ledger"]["remedy"]
    with closing(sqlite3.connect(tiny / "ledger.sqlite")) as connection:
        connection.execute("DROP TABLE root")
    CallLedger(tiny / "ledger.sqlite", "e", "http://127.0.0.1/v1", before).close()
    assert _not_ok(_doctor(tiny)[1]) == set()
