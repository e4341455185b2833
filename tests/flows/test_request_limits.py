"""`--max-calls` bounds the requests that a server receives, over failures, resumption and several units."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from perennial.flows.stages.workspace import Policies
from perennial.schemas.errors import LimitReached
from perennial.schemas.model_calls import ModelRequest
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.reading import LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from tests.flows.test_server_batches import CALLS, OPTIONS, Rows, describe_model, grown, play, root, single
from tests.server.running import running_server

pytestmark = pytest.mark.slow

__all__ = ["grown", "root", "single"]


@pytest.mark.parametrize(
    ("fault", "rate"), [("500", 0.5), ("invalid_json", 1.0), ("drop_midway", 0.5), ("429", 0.5)]
)
def test_failed_requests_count_and_a_higher_limit_resumes(
    root: Path, single: Rows, fault: str, rate: float
) -> None:
    """The case that made 27 and 11 requests: failed calls counted for nothing."""
    limits = {"max_attempts": 3, "concurrency": 32}
    with running_server(replace(OPTIONS, faults={fault: rate}, max_transport_faults=99)) as server:
        describe_model(server)
        for limit in (7, 7, 9):
            with pytest.raises(
                LimitReached, match=f"the limit of {limit} calls is reached: {limit} requests sent"
            ):
                play(root, max_calls=limit, **limits)
            assert len(server.log()) == limit
        with LedgerReader(ledger_file(str(root))) as ledger:
            assert ledger.spending().requests == len(server.log()) == 9
    with running_server(OPTIONS) as server:
        describe_model(server)
        assert play(root, max_calls=CALLS + 9) == single
        with LedgerReader(ledger_file(str(root))) as ledger:
            assert ledger.spending().requests == len(server.log()) + 9 <= CALLS + 9


def test_a_limit_of_cost_holds_for_all_units_of_a_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an edition of another benchmark has spent in the same run leaves less for this evaluation."""
    units = ("other", "other@1", "toy-1@2")
    monkeypatch.setattr("tests.flows.test_server_batches.Policies.read", partial(Policies.read, units=units))
    asked = ModelRequest("player", "m", (), {}, "", "")
    with CallLedger(ledger_file(str(root)), "other@1", "http://127.0.0.1/v1") as ledger:
        asyncio.run(ledger.begin_attempt(asked, 5.0))
    with running_server(OPTIONS) as server:
        describe_model(
            *(server, "prompt_usd_per_million = 1000", "completion_usd_per_million = 1000", "max_output = 50")
        )
        with pytest.raises(LimitReached, match=r"would pass the limit of \$5\.300000"):
            play(root, max_cost=5.3)
        made = len(server.log())
        assert 0 < made < CALLS
        with LedgerReader(ledger_file(str(root))) as reader:
            spent = reader.spending()
            assert spent.requests == made + 1
            assert 5.0 < spent.cost_usd <= 5.3
        play(root, max_cost=50.0)
        assert len(server.log()) == CALLS
