"""Runs of many calls: where a person is at the terminal, they begin once the person has agreed to them."""

import sys
from collections.abc import Callable, Sequence

from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import StageEstimate
from perennial.schemas.settings import RefreshSettings

MOST_CALLS = 5_000
MOST_USD = 20.0


def refuse_large_run(
    settings: RefreshSettings, estimate: Callable[[], Sequence[StageEstimate]], *, yes: bool
) -> None:
    """Raise InvalidOption for a run of very many calls that nobody has agreed to, by --yes or by a limit.

    Without a terminal nobody is there to be surprised: schedules and scripts run as they are written.
    """
    if yes or settings.max_calls is not None or settings.max_cost is not None or not is_at_terminal():
        return
    estimates = estimate()
    calls = sum(estimate.calls_low for estimate in estimates)
    cost = sum(estimate.cost_low_usd or 0.0 for estimate in estimates)
    if calls > MOST_CALLS or cost > MOST_USD:
        price = f", for ${cost:,.2f} or more" if cost else ""
        raise InvalidOption(
            f"this is a run of at least {calls:,} model calls{price}: give --yes, a limit (--max-calls, "
            "--max-cost), or a smaller --size; --dry-run shows the plan"
        )


def is_at_terminal() -> bool:
    """Whether a person reads what is printed, and can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()
