"""`perennial design`: what it prints, with and without published answers, and what it refuses."""

import json

import pytest

from tests.flows.hand_made_root import Run, commands_on
from tests.flows.report_root import MODEL, publish_two
from warehouse.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    root = tmp_path_factory.mktemp("designed")
    publish_two(root)
    return Store(str(root))


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return commands_on(store, monkeypatch, capsys)


def test_a_half_width_becomes_a_design_with_calls(run: Run) -> None:
    shown = run("design", "--players", f"{MODEL},algorithm-3", "--half-width", "0.06", "--json")
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)
    assert found["design"]["half_width_rate"] <= 0.06
    model, program = found["players"]
    assert program["calls"] == 0
    assert model["calls"] == found["calls"] > 0
    assert model["episodes"] == program["episodes"]
    assert found["sources"][0].startswith("variance: KUMO's released runs")
    table = run("design", "--difference", "0.1", "--power", "0.9").out
    assert "detectable difference" in table
    assert "with power 0.9" in table


def test_a_budget_is_kept(run: Run) -> None:
    found = json.loads(run("design", "--players", "a,b", "--calls", "2000", "--json").out)
    assert 1000 < found["calls"] <= 2000


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "expected one of --half-width, --calls, --difference"),
        (("--half-width", "0.03", "--benchmark", "knowlogic"), "this benchmark draws none; expected kumo"),
        (("--half-width", "0.03", "--calls", "9"), "expected one of"),
        (("--half-width", "0.001", "--max-domains", "40"), "40 domains reach 0.03"),
        (("--difference", "1.5"), "--difference 1.5: expected a number between 0 and 1"),
        (("--calls", "3"), "needs 2 domains: give"),
        (("--calls", "10", "--players", "greedy"), "which make none"),
        (("--calls", "10", "--players", "a,a"), "expected each name once"),
        (("--half-width", "0.1", "--setting", "odd"), "--setting 'odd': no published answers"),
    ],
)
def test_errors_are_one_line(run: Run, options: tuple[str, ...], told: str) -> None:
    shown = run("design", *options)
    assert shown.code == 2
    assert told in shown.err
    assert len(shown.err.strip().splitlines()) == 1


def test_a_dry_run_prints_what_its_plan_can_detect(run: Run) -> None:
    options = ("--players", "random", "--settings", "easy", "--instances", "5", "--runs", "1", "--dry-run")
    found = json.loads(run("refresh", *options, "--json").out)["precision"]["easy"]
    assert found["instances_per_domain"] == 5
    assert found["half_width_difference"] < found["detectable_difference"] < 0.5
    assert "is detected, over new domains, with power 0.8" in run("refresh", *options).out
