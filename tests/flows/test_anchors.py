"""Anchors: players of every edition, which a report ties two editions by."""

import csv
from pathlib import Path

import pytest

from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.warehouse.editions.publish import evaluation_plan
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_evaluation

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Editions `old` and `new` with the anchor `random`, and an evaluation of `old` by another player."""
    folder = tmp_path_factory.mktemp("anchored")
    for seed, edition in enumerate(("old", "new"), start=1):
        make_edition(folder, edition, players=["greedy"], anchors=["random"], seed=seed, instances=12, runs=3)
    make_evaluation(folder, "old", players=["reader"], anchors=["random"])
    return folder


def _links(folder: Path) -> list[dict[str, str]]:
    with (folder / "new" / "edition_link.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_refresh_adds_anchors_to_the_players_and_an_evaluation_does_not(root: Path) -> None:
    store = Store(str(root))
    first, second = evaluation_plan(store, "old@1"), evaluation_plan(store, "old@2")
    assert (first.players, first.anchors) == (("greedy", "random"), ("random",))
    assert (second.players, second.anchors) == (("reader",), ())


def test_anchors_of_perennial_toml_are_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "perennial.toml").write_text('players = ["oracle"]\nanchors = ["random", "oracle"]\n')
    plan = prepare_refresh(load_settings({"root": "data"}), Store("data")).plan
    assert plan.evaluation.players == ("algorithm-3", "random")
    assert plan.evaluation.anchors == ("random", "algorithm-3")


def test_an_anchor_that_cannot_be_called_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    settings = load_settings({"root": str(tmp_path), "players": ["algorithm-3"], "anchors": ["some-model"]})
    with pytest.raises(InvalidOption, match=r"some-model.*no model can be called"):
        prepare_refresh(settings, Store(str(tmp_path)))


def test_a_report_ties_editions_by_the_anchors_of_both(root: Path, run: Run, tmp_path: Path) -> None:
    shown = run("report", "new", "--compare", "old", "--format", "csv", "--out", tmp_path)
    assert shown.code == 0, shown.err
    (drift, *changes) = _links(tmp_path)
    assert (drift["of"], drift["anchors"], drift["shared_domains"]) == ("drift of the edition", "1", "1")
    assert float(drift["low"]) < float(drift["value"]) < float(drift["high"])
    # greedy solves everything, which says nothing of its change.
    assert changes == []


def test_other_anchors_are_named_by_a_flag(root: Path, run: Run, tmp_path: Path) -> None:
    flags = ("report", "new", "--compare", "old", "--out", tmp_path)
    shown = run(*flags, "--anchors", "reader")
    assert shown.code == 2
    assert "--anchors 'reader' has no scored episodes in new" in shown.err
    assert run(*flags, "--anchors", "greedy").code == 0
    assert "in both it must have solved some instances and failed some" in (tmp_path / "new.html").read_text()
    alone = run("report", "new", "--anchors", "random")
    assert (alone.code, alone.err.count("\n")) == (2, 1)
    assert "name the other one with --compare" in alone.err
