"""An evaluation that is cut off at any moment is finished by the same command, with no stored call again."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.prefect_harness import Harness, edition_content

pytestmark = pytest.mark.slow

MOMENTS = (
    "perennial.flows.stages.play_episodes.episode_row",
    "perennial.flows.refresh.publish.analyse_edition",
    "perennial.warehouse.editions.publish.write_manifest",
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
    root: Path, evaluated: dict[str, Any], monkeypatch: pytest.MonkeyPatch, harness: Harness
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Staging, "remove", _cut)
        with pytest.raises(Cut):
            make_evaluation(root, "old", players=["random"])
    done = harness.perennial(
        *("evaluate", "old", "--players", "random", "--runs", "2", "--root", str(root)), cwd=root
    )
    assert done.returncode == 0, done.stderr
    assert "evaluation old@2 is published already" in done.stdout
    assert edition_content(root, "old") == evaluated
    assert staged_units(Store(str(root))) == []
