"""A benchmark of one file goes all the way, without a word about it in shared code."""

import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jinja2 import DictLoader

from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.export.export_edition import ExportForm, check_sums, export_edition
from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.refresh.print_plan import estimate_refresh
from perennial.prompts import render
from perennial.schemas.errors import InvalidOption, UnusableBenchmark
from perennial.schemas.settings import load_settings
from perennial.tasks.report.page import sections
from perennial.warehouse.catalog.catalog import open_catalog, published_editions
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.conftest import KEY
from tests.flows.installed_benchmarks import installed, write_package
from tests.flows.made_units import make_edition
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.toy import benchmark as toy

pytestmark = pytest.mark.slow

MODEL = ("scripted",)
RIGHT = {
    ("adder", "small"): 1.0,
    ("adder", "large"): 1.0,
    ("scripted", "small"): 1.0,
    ("scripted", "large"): 0.0,
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the toy is installed, as the package of somebody else."""
    return write_package(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def _installed(package: Path) -> Iterator[None]:
    """Let this process find it too."""
    with installed(package):
        yield


@pytest.fixture(scope="module")
def root(_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with two editions of the toy, both played by a program and a model."""
    folder = tmp_path_factory.mktemp("toy")
    options = ServerOptions(keys=(KEY,), roles="tests.toy.scripted_model")
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        (folder / "perennial.toml").write_text(
            'benchmark = "toy"\nruns = 2\n[toy]\nsums = 60\n[kumo]\nx = 1\n'
        )
        for edition in ("first", "second"):
            players = ["adder", "scripted"]
            make_edition(folder, edition, benchmark="toy", base_url=server.url, players=players)
        yield folder


def _rows(root: Path, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in open_catalog(Store(str(root))).query(sql)[1]]


def test_its_editions_are_played_analysed_and_queried(root: Path) -> None:
    board = _rows(
        root, "SELECT edition, player, setting, success_rate FROM leaderboard WHERE setting <> 'all'"
    )
    assert sorted(board) == sorted(
        (e, *who, rate) for e in ("first", "second") for who, rate in RIGHT.items()
    )
    assert _rows(root, "SELECT count(*), count(DISTINCT instance_id) FROM toy_sums") == [(240, 240)]
    asked = _rows(root, "SELECT DISTINCT template FROM calls")
    assert asked == [("toy/sum.md.j2",)]
    assert _rows(root, "SELECT count(*) FROM transcripts WHERE player = 'scripted'") != [(0,)]
    assert _rows(root, "SELECT count(*) FROM lineage WHERE benchmark = 'toy'") == [(2 * 120 * 3,)]


def test_its_editions_are_audited_reported_and_reproduced(
    root: Path, tmp_path: Path, package: Path, harness: Harness
) -> None:
    store = Store(str(root))
    assert [audit_unit(store, unit)[1] for unit in ("first", "first@1", "second@1")] == [(), (), ()]
    data = report_data(store, "second")
    assert (dict(data.facts)["benchmark"], data.settings) == ("toy", ("large", "small"))
    drawn = {section.key for section in sections(data) if section.drawings or section.grid}
    assert drawn >= {"headline", "success_rate", "player_pairs", "success_and_cost", "statuses"}
    page = write_page(data, tmp_path / "report").read_text(encoding="utf-8").rpartition("<script>")[0]
    assert "adder" in page
    for word in ("kumo", "action", "truth"):
        assert word not in page.lower()
    for place, unit in enumerate(("second", "second@1")):
        folder = tmp_path / str(place)
        folder.mkdir()
        assert reproduce_unit(store, unit, folder).same
    command = ("query", "FROM toy_sums", "--root", str(root), "--format", "csv")
    told = commands_with_toy(package, harness)(*command)
    assert len(told.splitlines()) == 1 + 240


def test_its_editions_are_tasks_of_lm_eval(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(root))
    with pytest.raises(InvalidOption, match="--with-answers"):
        export_edition(store, "first", tmp_path / "none", form=ExportForm.lm_eval)
    export_edition(store, "first", tmp_path / "task", form=ExportForm.lm_eval, with_answers=True)
    check_sums(tmp_path / "task")
    text = (tmp_path / "task/first.yaml").read_text("utf-8")
    functions = set(re.findall(r"!function grade\.(\w+)", text))
    assert functions == {"load", "ask", "grade"}
    monkeypatch.syspath_prepend(str(tmp_path / "task"))
    grader = importlib.import_module("grade")
    monkeypatch.delitem(sys.modules, "grade")
    assert functions <= set(vars(grader))
    lines = (tmp_path / "task/instances.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 120
    for doc in map(json.loads, lines[:5]):
        row = doc["answer"]["toy_sums"]
        assert str(row["a"]) in grader.ask(doc)
        assert grader.grade(doc, [f"It is {row['a'] + row['b']}"]) == {"success": 1.0, "score": 1.0}
        assert grader.grade(doc, ["17 and -1"]) == {"success": 0.0, "score": 0.0}


def test_its_settings_are_its_own(root: Path) -> None:
    assert load_settings({}).model_dump()["sums"] == 60
    assert "instances" not in load_settings({}).model_dump()
    with pytest.raises(InvalidOption, match="sums: there is no such setting"):
        load_settings({"benchmark": "kumo", "sums": 3})


def commands_with_toy(package: Path, harness: Harness) -> Callable[..., str]:
    """Return what runs a command in a process in which the toy is installed, and returns what it printed."""
    path = os.pathsep.join((str(package), str(REPOSITORY)))
    toy = harness.but(PYTHONPATH=path, PERENNIAL_API_KEY=KEY)

    def run(*command: str) -> str:
        done = toy.perennial(*command, cwd=package)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("toy/none.md.j2", "InvalidOption: template 'toy/none.md.j2' is not known"),
        ("toy/total.md.j2", "UndefinedError: 'total' is undefined"),
        ("toy/open.md.j2", "TemplateSyntaxError: "),
    ],
)
@pytest.mark.usefixtures("_installed")
def test_a_template_that_cannot_be_rendered_ends_a_refresh_of_programs_before_anything_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, reason: str
) -> None:
    own = {"toy/total.md.j2": "{{ total }}", "toy/open.md.j2": "{{ a"}
    monkeypatch.setattr(toy, "TEMPLATE", template)
    monkeypatch.setattr(render, "_elsewhere", lambda: {"toy": DictLoader({k[4:]: v for k, v in own.items()})})
    render._environment.cache_clear()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnusableBenchmark) as caught:
        make_edition(tmp_path, "first", benchmark="toy", sums=1, players=["adder"])
    render._environment.cache_clear()
    assert "\n" not in str(caught.value)
    assert re.match(rf"benchmark 'toy' cannot show question toy_\w+ to a model: {reason}", str(caught.value))
    assert published_editions(Store(str(tmp_path))) == ()


@pytest.mark.usefixtures("_installed")
def test_a_plan_counts_the_calls_of_a_model(tmp_path: Path) -> None:
    asked = {"benchmark": "toy", "sums": 10, "runs": 5, "players": ["adder", "some-model"]}
    settings = load_settings({**asked, "root": str(tmp_path)})
    store = Store(str(tmp_path))
    prepared = prepare_refresh(settings, store, needs_key=False)
    (row,) = estimate_refresh(store, prepared, settings)
    assert (row.model, row.calls_low, row.calls_high) == ("some-model", 100, 100)
