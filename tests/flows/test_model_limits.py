"""What stops a refresh with models: a limit of calls or cost, failed calls."""

import json
import re
import signal
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server

ONE_BATCH = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "5", "--runs", "1"),
    *("--players", "scripted", "--edition", "limited", "--seed", "1"),
)
PRICES = "model,prompt_usd_per_million,completion_usd_per_million,cached_usd_per_million,as_of,source\n"


@pytest.mark.slow
def test_a_limit_of_calls_stops_before_it_is_passed_and_a_higher_one_goes_on(
    keyed: Harness, tmp_path: Path
) -> None:
    command = (*ONE_BATCH, "--root", str(tmp_path))
    with running_server(ServerOptions(keys=(KEY,))) as server:
        limited = keyed.perennial(*command, "--base-url", server.url, "--max-calls", "7", cwd=tmp_path)
        assert limited.returncode == 7
        assert limited.stderr.count("\n") == 1
        assert re.search(r"7 requests sent, cost unknown; .*--max-calls", limited.stderr)
        assert server.status().answered == 7
        done = keyed.perennial(*command, "--base-url", server.url, "--max-calls", "500", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        total = server.status().answered
    calls = query_rows(tmp_path, "SELECT count(*) FROM calls")
    assert calls == [(total,)]


@pytest.mark.slow
def test_requests_in_flight_at_a_kill_count_when_the_run_resumes(keyed: Harness, tmp_path: Path) -> None:
    with running_server(ServerOptions(keys=(KEY,), hold_after=0)) as server:
        command = (*ONE_BATCH, "--root", str(tmp_path), "--base-url", server.url)
        process = keyed.start(*command, "--max-calls", "5", cwd=tmp_path)
        server.wait_held(waiting=5, timeout_s=240)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        server.release()
        resumed = keyed.perennial(*command, "--max-calls", "5", cwd=tmp_path)
        assert resumed.returncode == 7, resumed.stderr
        assert "the limit of 5 calls is reached: 5 requests sent" in resumed.stderr
        assert server.status().answered == 0


@pytest.mark.slow
def test_a_limit_of_cost_stops_before_it_is_passed_and_needs_a_price(keyed: Harness, tmp_path: Path) -> None:
    command = (*ONE_BATCH, "--root", str(tmp_path), "--max-tokens", "200")
    with running_server(ServerOptions(keys=(KEY,))) as server:
        options = ("--base-url", server.url, "--max-cost", "0.02")
        unpriced = keyed.perennial(*command, *options, cwd=tmp_path)
        assert unpriced.returncode == 2
        assert "prices.csv" in unpriced.stderr
        assert server.log() == []
        (tmp_path / "prices.csv").write_text(PRICES + "scripted,1,2,,2026-11-20,test\n")
        limited = keyed.perennial(*command, *options, cwd=tmp_path)
        assert limited.returncode == 7, limited.stderr
        assert "--max-cost" in limited.stderr
        assert server.status().answered > 0


@pytest.mark.slow
def test_calls_that_fail_for_good_are_made_again_or_accepted(keyed: Harness, tmp_path: Path) -> None:
    failing = ServerOptions(keys=(KEY,), seed=1, faults={"500": 0.3}, max_transport_faults=99)
    command = (*ONE_BATCH, "--root", str(tmp_path), "--max-attempts", "2", "--instances", "20")
    with running_server(failing) as server:
        failed = keyed.perennial(*command, "--base-url", server.url, cwd=tmp_path)
        assert failed.returncode == 6
        told = re.search(r"error: (\d+) episodes ended because model calls failed for good", failed.stderr)
        assert told is not None
        assert int(told[1]) > 0
        causes = (
            r"for good: (\d+) x HTTP 500: The server had an error .* \(given up after 2 of 2 attempts\) \("
        )
        cause = re.search(causes, failed.stderr.splitlines()[-1])
        assert cause is not None
        assert int(cause[1]) == int(told[1])
        listed = keyed.perennial(
            *("calls", "--status", "unavailable", "--format", "json", "--root", str(tmp_path)), cwd=tmp_path
        )
        assert {row["error"].startswith("HTTP 500: ") for row in json.loads(listed.stdout)} == {True}
        assert not (tmp_path / "tables" / "evaluations").exists()
        answered = server.status().answered
        done = keyed.perennial(*command, "--base-url", server.url, "--accept-api-errors", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        calls = len([line for line in server.log() if line.outcome == "answered"])
    catalog = open_catalog(Store(str(tmp_path)))
    statuses = dict(catalog.query("SELECT status, count(*) FROM calls GROUP BY 1")[1])
    assert statuses["ok"] == calls >= answered
    errors = catalog.query("SELECT count(*) FROM episodes WHERE status = 'api_error'")[1][0][0]
    assert statuses.get("unavailable", 0) == errors
    assert bool(errors) == (f"failed:    {errors} x HTTP 500: " in done.stdout)
    assert catalog.query("SELECT attempted - scored, success_rate FROM leaderboard")[1] == [(errors, 1.0)]


def test_a_dry_run_estimates_calls_tokens_and_cost_without_a_key(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text(PRICES + "big,2,8,,2026-11-20,test\n")
    done = harness.perennial(
        *("refresh", "--author", "big", "--propose", "2"),
        *("--players", "big,symbolic:small,algorithm-3,closed:big"),
        *("--settings", "easy", "--instances", "10", "--runs", "2", "--root", str(tmp_path), "--dry-run"),
        "--json",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    estimates = json.loads(done.stdout)["estimates"]
    assert [row["stage"] for row in estimates] == [
        *("proposals", "configs", "books", "check, revision", "episodes", "episodes", "episodes")
    ]
    books = estimates[2]
    assert books["calls_low"] == books["calls_high"] == 20
    assert books["prompt_tokens_high"] == books["prompt_tokens"]
    for row in estimates:
        assert row["prompt_tokens_high"] >= row["prompt_tokens"] * row["calls_high"] / row["calls_low"] * 0.99
        if row["cost_high_usd"] is not None:
            paid = 2 * row["prompt_tokens_high"] + 8 * row["completion_tokens_high"]
            assert row["cost_high_usd"] == pytest.approx(paid / 1e6, rel=0.01)
    assert books["cost_low_usd"] == pytest.approx(
        (2 * books["prompt_tokens"] + 8 * books["completion_tokens"]) / 1e6, rel=0.01
    )
    # Four truths take about three tests and the naming, in 2 domains x 10 instances x 2 runs.
    assert estimates[4]["calls_low"] == 2 * 10 * 2 * 4
    assert estimates[5]["model"] == "symbolic:small"
    assert estimates[5]["cost_low_usd"] is None
    # The control makes as many calls as the model, each without the book.
    assert (estimates[6]["model"], estimates[6]["calls_low"]) == ("closed:big", estimates[4]["calls_low"])
    assert 0 < estimates[6]["prompt_tokens"] < 0.8 * estimates[4]["prompt_tokens"]
    assert estimates[6]["cost_low_usd"] < estimates[4]["cost_low_usd"]
    assert json.loads(done.stdout)["counts"]["model_calls"] == sum(row["calls_low"] for row in estimates)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prices.csv"]
