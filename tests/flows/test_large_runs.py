"""A run of very many calls begins once the person at the terminal has agreed to it."""

from dataclasses import replace

import pytest

from perennial.flows.refresh import print_plan as large_runs
from perennial.flows.refresh.print_plan import refuse_large_run
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import StageEstimate
from perennial.schemas.settings import RefreshSettings

MANY = StageEstimate("episodes", "m", 5_001, 9_000, 0, 0, 0, 0, None, None)
DEAR = replace(MANY, calls_low=10, cost_low_usd=20.5)
FEW = replace(MANY, calls_low=5_000, cost_low_usd=20.0)


@pytest.mark.parametrize(
    ("rows", "settings", "yes", "at_terminal", "said"),
    [
        ([MANY], {}, False, True, "at least 5,001 model calls: give --yes"),
        ([DEAR], {}, False, True, r"at least 10 model calls, for \$20.50 or more: give --yes"),
        ([FEW, DEAR], {}, False, True, "at least 5,010 model calls"),
        ([FEW], {}, False, True, ""),
        ([MANY], {}, True, True, ""),
        ([MANY], {}, False, False, ""),
        ([MANY], {"max_calls": 6_000}, False, True, ""),
        ([MANY], {"max_cost": 100.0}, False, True, ""),
    ],
)
def test_a_large_run_needs_consent_at_a_terminal(
    rows: list[StageEstimate],
    settings: dict[str, float],
    yes: bool,
    at_terminal: bool,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_runs, "is_at_terminal", lambda: at_terminal)
    if not said:
        refuse_large_run(RefreshSettings(**settings), lambda: rows, yes=yes)
        return
    with pytest.raises(InvalidOption, match=said):
        refuse_large_run(RefreshSettings(**settings), lambda: rows, yes=yes)
