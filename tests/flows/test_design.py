"""`perennial design`: what it prints, with and without published answers, and what it refuses."""

import json
from pathlib import Path

import pytest

from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.report_root import MODEL, publish_two


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    root = tmp_path_factory.mktemp("designed")
    publish_two(root)
    return Store(str(root))


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_model_with_a_price_has_a_cost_and_another_one_says_what_is_missing(run: Run, store: Store) -> None:
    options = ("design", "--players", "priced,greedy", "--calls", "1000", "--json")
    missing = json.loads(run(*options).out)
    assert missing["cost_usd"] is None
    assert "priced: no price of 'priced': give it in models.toml or in prices.csv" in missing["sources"]
    header = "model,prompt_usd_per_million,completion_usd_per_million,cached_usd_per_million,as_of,source"
    place = Path(store.location("prices.csv"))
    place.write_text(f"{header}\npriced,2,10,,2026-01-01,test\n", "utf-8")
    try:
        found = json.loads(run(*options).out)
        table = run(*options[:-1]).out
    finally:
        place.unlink()
    model, program = found["players"]
    assert (program["cost_usd"], program["cost_usd_high"]) == (0, 0)
    # 2,200 tokens of prompt a call, and 150 to 2,000 of the reply.
    assert model["cost_usd"] == pytest.approx(model["calls"] * (2_200 * 2 + 150 * 10) / 1e6, rel=0.01)
    assert model["cost_usd_high"] == pytest.approx(model["calls"] * (2_200 * 2 + 2_000 * 10) / 1e6, rel=0.01)
    assert found["cost_usd"] == model["cost_usd"]
    assert not any("no price" in line for line in found["sources"])
    assert f"${model['cost_usd']:,.2f} to ${model['cost_usd_high']:,.2f}" in table


def test_a_budget_is_kept(run: Run) -> None:
    found = json.loads(run("design", "--players", "a,b", "--calls", "2000", "--json").out)
    assert 1000 < found["calls"] <= 2000


def test_a_design_is_for_the_success_rate_that_is_expected(run: Run) -> None:
    options = ("design", "--difference", "0.1", "--json", "--rate")
    needed = {rate: json.loads(run(*options, rate).out) for rate in ("0.5", "0.74", "0.9")}
    episodes = {
        rate: found["design"]["domains"] * found["design"]["instances_per_domain"]
        for rate, found in needed.items()
    }
    assert episodes["0.5"] > episodes["0.74"] > 2 * episodes["0.9"]
    # Variances of successes: .25 at one half, .09 at .9.
    shown = needed["0.5"]["detectable_by_rate"]
    assert shown["0.90"] / shown["0.50"] == pytest.approx((0.09 / 0.25) ** 0.5)
    assert "at a success rate of 0.90" in run("design", "--calls", "900", "--rate", "0.9").out


def test_a_gap_becomes_a_number_of_instances_by_private_share(run: Run) -> None:
    # 2.4865 sqrt(.25 / (share (1 - share)) / n) = .08
    shown = json.loads(run("design", "--gap", "0.08", "--benchmark", "knowlogic", "--json").out)
    needed = {row["private_share"]: row["origins"] for row in shown["shares"]}
    assert (needed[0.5], needed[0.2]) == (967, 1510)
    table = run("design", "--gap", "0.08", "--power", "0.9", "--rate", "0.9").out
    assert "0.9 of what it has not seen" in table
    assert "│           0.5 │     482 │" in table


def test_an_edition_shows_its_variance_and_the_smallest_change_of_its_models(run: Run) -> None:
    shown = json.loads(run("design", "latest", "--json").out)
    assert {row["edition"] for row in shown["variance_parts"]} <= {shown["edition"]}
    for row in shown["smallest_changes"]:
        assert 0 < row["beyond_chance"] < row["detectable_change"]
    printed = run("design", shown["edition"]).out
    assert f"smallest changes of {shown['edition']}" in printed
    assert MODEL in printed
    assert "95% intervals and changes: new domains" in printed


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "expected one of --half-width, --calls, --difference"),
        (("--half-width", "0.03", "--benchmark", "knowlogic"), "this benchmark draws none; expected kumo"),
        (("--half-width", "0.03", "--calls", "9"), "expected one of"),
        (("--half-width", "0.001", "--max-domains", "40"), "40 domains reach 0.03"),
        (("--difference", "1.5"), "--difference 1.5: expected a number between 0 and 1"),
        (("--gap", "1.5"), "--gap 1.5: expected a number between 0 and 1"),
        (("--gap", "0.1", "--rate", "1"), "--rate 1: expected a number between 0 and 1"),
        (("--calls", "9", "--rate", "0"), "--rate 0: expected a number between 0 and 1"),
        (("--gap", "0.1", "--benchmark", "kuno"), "did you mean kumo?"),
        (("--calls", "3"), "needs 2 domains: give"),
        (("--calls", "10", "--players", "greedy"), "which make none"),
        (("--calls", "10", "--players", "a,a"), "expected each name once"),
        (("none", "--calls", "9"), "--calls and none given, expected one of"),
        (("none",), "has no published edition 'none'"),
        (("--half-width", "0.1", "--setting", "odd"), "--setting 'odd': no published answers"),
    ],
)
def test_errors_are_one_line(run: Run, options: tuple[str, ...], told: str) -> None:
    shown = run("design", *options)
    assert shown.code == 2
    assert told in shown.err
    assert len(shown.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_dry_run_prints_what_its_plan_can_detect(run: Run) -> None:
    options = ("--players", "random", "--settings", "easy", "--instances", "5", "--runs", "1", "--dry-run")
    found = json.loads(run("refresh", *options, "--json").out)["precision"]["easy"]
    assert found["instances_per_domain"] == 5
    assert found["half_width_difference"] < found["detectable_difference"] < 0.5
    assert "is detected, over new domains, with power 0.8" in run("refresh", *options).out
