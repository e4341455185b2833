"""An evaluation that is cut off at any moment is finished by the same command, with no stored call again."""

import shutil
import signal
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.catalog.catalog import open_catalog, published_evaluations
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.prefect_harness import Harness, edition_content, wait_until
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

OPTIONS = ServerOptions(seed=3, keys=(KEY,), latency_s=0.01)
MOMENTS = (
    "perennial.flows.stages.play_episodes.episode_row",
    "perennial.flows.refresh.publish.audit",
    "perennial.flows.refresh.publish.analyse_edition",
    "perennial.warehouse.editions.publish.write_manifest",
    "perennial.warehouse.editions.publish.seal_row",
    "perennial.warehouse.editions.publish.keep_analysis",
    "perennial.warehouse.store.conditional_writes.create",
)


class Cut(BaseException):
    """What ends the work at once, as a kill would."""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("grown")
    make_edition(root, "old", players=["algorithm-3"])
    return root


@pytest.fixture
def root(grown: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(grown, tmp_path / "root"))


def _cut(*_arguments: Any, **_options: Any) -> Any:
    raise Cut


@pytest.fixture(scope="module")
def evaluated(grown: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    root = Path(shutil.copytree(grown, tmp_path_factory.mktemp("evaluated") / "root"))
    make_evaluation(root, "old", players=["random"])
    return edition_content(root, "old")


@pytest.mark.parametrize("moment", MOMENTS)
def test_cut_off_at_any_moment_it_is_seen_whole_or_not_at_all(
    root: Path, evaluated: dict[str, Any], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    before = edition_content(root, "old")
    with monkeypatch.context() as patch:
        patch.setattr(moment, _cut)
        with pytest.raises(Cut):
            make_evaluation(root, "old", players=["random"])
    assert edition_content(root, "old") == before
    assert staged_units(Store(str(root))) == ["old@2"]
    assert make_evaluation(root, "old", players=["random"]) == "old@2"
    assert edition_content(root, "old") == evaluated


def test_cut_off_after_its_row_it_is_published_once(
    root: Path, evaluated: dict[str, Any], monkeypatch: pytest.MonkeyPatch, by_prefect: Harness
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Staging, "remove", _cut)
        with pytest.raises(Cut):
            make_evaluation(root, "old", players=["random"])
    done = by_prefect.perennial(
        *("evaluate", "old", "--players", "random", "--runs", "2", "--root", str(root)), cwd=root
    )
    assert done.returncode == 0, done.stderr
    assert "evaluation old@2 is published already" in done.stdout
    assert edition_content(root, "old") == evaluated
    assert staged_units(Store(str(root))) == []


def _command(server: RunningServer, root: Path) -> tuple[str, ...]:
    players = ("--players", "scripted", "--runs", "2", "--concurrency", "4")
    return ("evaluate", "latest", *players, "--base-url", server.url, "--root", str(root))


def _answers(root: Path) -> int:
    connection = sqlite3.connect(f"file:{root / 'ledger.sqlite'}?mode=ro", uri=True)
    try:
        played = "status = 'ok' AND edition <> '(look-up)'"
        return int(connection.execute(f"SELECT count(*) FROM calls WHERE {played}").fetchone()[0])
    finally:
        connection.close()


def test_killed_while_a_model_plays_it_repeats_no_stored_call(
    keyed_by_prefect: Harness, root: Path, tmp_path: Path
) -> None:
    undisturbed = Path(shutil.copytree(root, tmp_path / "undisturbed"))
    with running_server(OPTIONS) as server:
        done = keyed_by_prefect.perennial(*_command(server, undisturbed), cwd=tmp_path)
        expected = answers_by_digest(server.log())
    assert done.returncode == 0, done.stderr
    with running_server(OPTIONS) as server:
        server.release(sum(expected.values()) // 2)
        process = keyed_by_prefect.start(*_command(server, root), cwd=tmp_path)
        server.wait_held(timeout_s=120)
        wait_until(lambda: _answers(root) == server.status().answered)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        assert published_evaluations(Store(str(root)), "old") == ("old@1",)
        server.release()
        done = keyed_by_prefect.perennial(*_command(server, root), cwd=tmp_path)
        answered: Counter[str] = answers_by_digest(server.log())
    assert done.returncode == 0, done.stderr
    assert answered == expected
    assert edition_content(root, "old") == edition_content(undisturbed, "old")
    calls = "SELECT count(*), count(DISTINCT call_id) FROM calls WHERE evaluation = '2'"
    found = open_catalog(Store(str(root))).query(calls)[1]
    assert found == [(sum(expected.values()),) * 2]
