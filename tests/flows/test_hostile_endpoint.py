"""Whole refreshes against a server that lies, echoes the key, and sends bodies that are too much."""

import json
import re
from pathlib import Path

import pytest

from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from tests.flows.conftest import KEY
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server

COMMAND = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "5", "--runs", "1"),
    *("--players", "scripted", "--edition", "hostile", "--seed", "1"),
)


@pytest.mark.slow
def test_lies_and_echoes_are_published_as_what_they_are_by_the_gateway_of_openai_base_url(
    harness: Harness, tmp_path: Path
) -> None:
    faults = {"lying_usage": 0.4, "echo_key": 0.4, "long_number": 0.2}
    with running_server(ServerOptions(keys=(KEY,), seed=2, faults=faults)) as server:
        gateway = harness.but(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)
        planned = gateway.perennial(*COMMAND, "--root", str(tmp_path), "--dry-run", cwd=tmp_path)
        assert f"endpoint: {server.url} (OPENAI_BASE_URL, with OPENAI_API_KEY)" in planned.stdout
        limits = ("--tokens-per-minute", "1000000", "--max-tokens", "300")
        done = gateway.perennial(*COMMAND, "--root", str(tmp_path), *limits, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        log = server.log()
    assert {*faults} <= {line.outcome for line in log}
    assert len({line.digest for line in log}) == len(log)
    found = query_rows(
        tmp_path,
        "SELECT count(*), min(usage_reported), max(prompt_tokens + completion_tokens) FROM calls "
        "WHERE usage = 'bounded'",
    )
    count, reported, most = found[0]
    assert count == sum(line.outcome == "lying_usage" for line in log)
    assert json.loads(reported)["completion_tokens"] == 10**12
    assert most < 100_000
    assert f"{count} calls with bounded usage" in done.stdout + done.stderr
    with LedgerReader(ledger_file(str(tmp_path))) as ledger:
        ids = [row[0] for row in ledger.newest(CallFilter(), 1_000)]
        raw = [ledger.call(call_id)["raw"] for call_id in ids]
    # Python converts no number of 100,000 digits.
    kept = [json.loads(body, parse_int=str) for body in raw]
    assert sum(body.get("debug") == "[key]" for body in kept) == sum(
        line.outcome == "echo_key" for line in log
    )
    assert KEY not in json.dumps(kept)


@pytest.mark.slow
def test_bodies_that_are_too_much_end_the_refresh_in_one_line_each_asked_for_once(
    keyed: Harness, tmp_path: Path
) -> None:
    # The lowest of the draws decides: each strikes about a third of the requests.
    faults = dict.fromkeys(("endless", "gzip_bomb", "deep_json"), 1.0)
    options = ServerOptions(keys=(KEY,), faults=faults, max_transport_faults=99)
    with running_server(options) as server:
        done = keyed.perennial(
            *(*COMMAND, "--base-url", server.url, "--root", str(tmp_path), "--max-reply-mb", "2"),
            cwd=tmp_path,
        )
        log = server.log()
    assert done.returncode == 6
    assert done.stderr.count("\n") == 1
    assert re.search(r"nested too deeply|longer than 2 MB, .*max_reply_mb", done.stderr)
    assert {line.attempt for line in log} == {1}
    with LedgerReader(ledger_file(str(tmp_path))) as ledger:
        assert ledger.totals(CallFilter(status="invalid_body")).calls >= 5
