"""The lineage events of a refresh: in the file, at an endpoint, and when either does not work."""

import io
import json
import re
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from rich.console import Console

from perennial.flows.console import progress
from perennial.flows.stages.grow import list_jobs
from perennial.flows.watchers.openlineage import LineageWatcher
from perennial.flows.watchers.watcher import Watchers, report_failure
from perennial.schemas.errors import AuditFailed
from perennial.schemas.tables import TABLES
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store
from tests.flows.conftest import Published
from tests.flows.lineage_server import Behaviour, lineage_server
from tests.flows.prefect_harness import SMALL_REFRESH, Harness
from tests.warehouse.test_lineage import PLAN, find_misplaced

_EVENTS = 8  # of the refresh that `_report_refresh` tells of


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "DISABLED", "API_KEY", "ENDPOINT", "CONFIG"):
        monkeypatch.delenv(f"OPENLINEAGE_{name}", raising=False)


def _report_refresh(root: str, watcher: LineageWatcher) -> str:
    """Tell the watcher of a small refresh and return what was noted."""
    printed = io.StringIO()
    with progress.show_on(Console(file=printed, width=500)):
        watchers = Watchers([watcher])
        watchers.unit_started(root, PLAN)
        for stage, table in (("sample", "kumo_instances"), ("books", "kumo_books")):
            watchers.stage_started(stage, 1)
            watchers.batch_done(stage, 1, {table: 5})
            watchers.stage_done(stage, {table: 5})
        watchers.published({"kumo_instances": 5, "kumo_books": 5})
    return printed.getvalue()


def _fail(root: str, error: Exception) -> None:
    watchers = Watchers([LineageWatcher()])
    with report_failure([watchers]):
        watchers.unit_started(root, PLAN)
        watchers.stage_started("books", 1)
        raise error


def _events(root: Path, unit: str = "*") -> list[dict[str, Any]]:
    """Return the events of the edition or evaluation; of the only one there is, where none is named."""
    (file,) = (root / "lineage").glob(f"{unit}-*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _states(events: list[dict[str, Any]]) -> list[str]:
    """Return each event's type and the stage, "" for the whole refresh or evaluation."""
    names = (re.sub("^(refresh|evaluate)", "", event["job"]["name"]) for event in events)
    return [f"{event['eventType']} {name}" for event, name in zip(events, names, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "job", "expected"),
    [("small", "refresh", {"sample", "books", "publish"}), ("small@1", "evaluate", {"episodes", "publish"})],
)
def test_a_refresh_leaves_valid_events_of_every_stage(
    published: Published, unit: str, job: str, expected: set[str]
) -> None:
    events = _events(published.root, unit)
    assert [facet for event in events for facet in find_misplaced(event)] == []
    assert {event["job"]["name"].split(".")[0] for event in events} == {job}
    assert _states(events)[0] == "START "
    assert _states(events)[-1] == "COMPLETE "
    stages = [state.removeprefix("COMPLETE .") for state in _states(events) if "COMPLETE ." in state]
    assert expected <= set(stages)
    # A stage that reads or writes tables must be listed, or its lineage would be silently empty.
    assert set(stages) <= {stage.name for stage in list_jobs(unit, "kumo")}
    text = json.dumps(events)
    assert "Traceback" not in text
    assert all(event["run"]["runId"] != event["job"]["name"] for event in events)


QUESTIONS = {"editions", "kumo_domains", "instances", "kumo_instances", "kumo_books"}


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("small", QUESTIONS), ("small@1", {"evaluations", "episodes", "turns", "statistics"})],
)
def test_the_events_hold_rows_and_bytes_as_they_were_published(
    published: Published, unit: str, expected: set[str]
) -> None:
    *_, last = _events(published.root, unit)
    catalog = open_catalog(Store(str(published.root)), tuple(dict.fromkeys(("small", unit))))
    tables = {output["name"].removeprefix("tables/"): output for output in last["outputs"]}
    assert expected <= set(tables)
    for table, output in tables.items():
        statistics = output["outputFacets"]["outputStatistics"]
        of_unit = f" WHERE evaluation = '{split_unit(unit)[1]}'" if TABLES[table].of_evaluations else ""
        assert [(statistics["rowCount"],)] == catalog.query(f"SELECT count(*) FROM {table}{of_unit}")[1]
        assert statistics["size"] == _file(published.root, table, unit).stat().st_size
        version = unit if TABLES[table].of_evaluations else "small"
        assert output["facets"]["version"]["datasetVersion"] == version


def _file(root: Path, table: str, unit: str) -> Path:
    if table != "statistics":
        return root / table_file(table, unit)
    (file,) = (root / "analyses/statistics").rglob("*.parquet")
    return file


@pytest.mark.slow
def test_ctrl_c_aborts_stage_and_refresh_and_says_how_to_resume(harness: Harness, tmp_path: Path) -> None:
    process = harness.start("refresh", *SMALL_REFRESH, "--root", str(tmp_path), cwd=tmp_path)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("sample"):
            break
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait() == 130
    assert "the same command resumes" in rest
    assert "Traceback" not in rest
    events = _events(tmp_path)
    assert [facet for event in events for facet in find_misplaced(event)] == []
    assert _states(events)[-1] == "ABORT "
    assert "errorMessage" not in events[-1]["run"]["facets"]


def test_an_error_is_told_by_its_message_without_secrets(tmp_path: Path) -> None:
    told = []
    for error in (
        AuditFailed("3 rows of books in s3://key:secret@bucket broke it"),
        OSError(28, "No space left on device", "/secret/file"),
        ValueError("https://user:secret@host"),
    ):
        root = tmp_path / type(error).__name__
        with pytest.raises(type(error)):
            _fail(str(root), error)
        events = _events(root)
        assert [facet for event in events for facet in find_misplaced(event)] == []
        assert _states(events)[-2:] == ["FAIL .books", "FAIL "]
        told.append(events[-1]["run"]["facets"]["errorMessage"]["message"])
    assert told == [
        "3 rows of books in s3://***@bucket broke it",
        "OSError: No space left on device",
        "ValueError",
    ]


def test_a_refresh_that_never_began_has_no_events(tmp_path: Path) -> None:
    watchers = Watchers([LineageWatcher()])
    with pytest.raises(AuditFailed), report_failure([watchers]):
        raise AuditFailed("before the plan stood")
    assert list(tmp_path.iterdir()) == []


def test_running_is_told_at_most_so_often(tmp_path: Path) -> None:
    for every, expected in ((0.0, 2), (3600.0, 0)):
        root = tmp_path / str(every)
        _report_refresh(str(root), LineageWatcher(running_every_s=every))
        stages = [state for state in _states(_events(root)) if state.startswith("RUNNING .")]
        assert len(stages) == expected


def test_a_remote_root_gets_the_same_file() -> None:
    root = f"memory://{uuid4().hex}"
    assert _report_refresh(root, LineageWatcher()) == ""
    store = Store(root)
    (name,) = store.names("lineage")
    lines = store.read_bytes(f"lineage/{name}").decode().splitlines()
    assert _states([json.loads(line) for line in lines])[-1] == "COMPLETE "
    assert len(lines) == _EVENTS


def test_a_root_that_takes_no_events_is_noted_once_and_the_refresh_goes_on(tmp_path: Path) -> None:
    (tmp_path / "lineage").write_text("a file where a folder should be")
    with lineage_server("well") as received:
        noted = _report_refresh(str(tmp_path), LineageWatcher(received.url))
    assert noted.count("\n") == 1
    assert f"warning: lineage events cannot be written to {tmp_path}/lineage/e1-" in noted
    assert len(received.events) == _EVENTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("500", "it answered 500"),
        ("hangs", "it did not answer in time"),
        ("drips", "it did not answer in time"),
    ],
)
def test_an_endpoint_that_does_not_work_is_left_alone(
    tmp_path: Path, behaviour: Behaviour, told: str
) -> None:
    with lineage_server(behaviour) as received:
        with_secrets = received.url.replace("http://", "http://user:secret@")
        noted = _report_refresh(str(tmp_path), LineageWatcher(with_secrets, timeout_s=0.2))
        asked = len(received.events)
    assert asked <= 3
    assert noted == f"warning: lineage events are no longer sent to {received.url}: {told}\n"
    assert len(_events(tmp_path)) == _EVENTS


@pytest.mark.slow
def test_an_endpoint_that_recovers_has_lost_nothing(tmp_path: Path) -> None:
    with lineage_server("500 twice") as received:
        assert _report_refresh(str(tmp_path), LineageWatcher(received.url)) == ""
    assert received.events[2:] == _events(tmp_path)
    assert received.events[:3] == [received.events[0]] * 3


def test_an_endpoint_gets_the_events_of_the_file_as_the_variables_of_openlineage_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lineage_server("well") as theirs, lineage_server("well") as ours:
        monkeypatch.setenv("OPENLINEAGE_URL", theirs.url)
        monkeypatch.setenv("OPENLINEAGE_API_KEY", "key-0123456789")
        assert _report_refresh(str(tmp_path / "ours"), LineageWatcher(ours.url)) == ""
        assert ours.events == _events(tmp_path / "ours")
        assert (set(ours.paths), set(ours.keys)) == ({"/api/v1/lineage"}, {"Bearer key-0123456789"})
        assert "key-0123456789" not in json.dumps(ours.events)
        assert theirs.events == []
        monkeypatch.setenv("OPENLINEAGE_ENDPOINT", "lineage/in")
        _report_refresh(str(tmp_path / "theirs"), LineageWatcher())
        assert (len(theirs.events), set(theirs.paths)) == (_EVENTS, {"/lineage/in"})
        monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
        assert _report_refresh(str(tmp_path / "none"), LineageWatcher(ours.url)) == ""
        assert len(ours.events) == _EVENTS
    assert not (tmp_path / "none").exists()


def test_a_url_that_is_none_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", "nowhere")
    noted = _report_refresh(str(tmp_path), LineageWatcher())
    assert noted == "warning: lineage events are not sent to nowhere: ValueError\n"
    assert len(_events(tmp_path)) == _EVENTS
