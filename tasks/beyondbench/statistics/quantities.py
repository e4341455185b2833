"""What is measured of a player on an instance: a mean over its scored runs, from columns of counts.

An episode that an API error ended is not scored. A reply from which no answer was read (INVALID) is a scored
one that is not right: INVALID stays in the denominator, and its share is a figure of its own.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column


class Quantity(NamedTuple):
    """A mean over runs: the columns of its sum and of the number of runs.

    `is_share`: each run counts 0 or 1. `deviates`: its population deviation across cells is a figure too.
    """

    statistic: str
    total: str
    number: str
    what: str
    is_share: bool = True
    deviates: bool = False


class PlayedCell(NamedTuple):
    """What a player did in one cell: columns of counts, one element per instance, in the order of their ids.

    `size` is the problem's size, `runs` the number of scored runs, `runs_with_tokens` those whose reply's
    tokens are known, `runs_with_status` those that have a token status; `tokens` is the sum of tokens of the
    replies, the others count runs. `common_runs` are runs on problems that all players with enough have.
    """

    player: str
    suite: str
    task: str
    variation: str
    columns: "Mapping[str, Column]"


ACCURACY = Quantity("accuracy", "solved", "runs", "share of scored runs that are right", deviates=True)
QUANTITIES = (
    ACCURACY,
    Quantity(
        "common_accuracy",
        "common_solved",
        "common_runs",
        "share of scored runs that are right, on the problems that all players with at least half of the "
        "suite have; none for a player that lacks one of them",
    ),
    Quantity(
        "best_accuracy",
        "best",
        "runs",
        "share of scored runs that are right and, where right answers may be better or worse, a best one",
    ),
    Quantity(
        "instruction_following",
        "followed",
        "runs",
        "share of scored runs whose answer has exactly the required format",
        deviates=True,
    ),
    Quantity("invalid_share", "invalid", "runs", "share of scored runs from which no answer was read"),
    Quantity(
        "response_tokens",
        "tokens",
        "runs_with_tokens",
        "mean tokens of a reply, its reasoning included (the paper's token efficiency; lower is better)",
        is_share=False,
        deviates=True,
    ),
    *(
        Quantity(
            f"tokens_{status}",
            status,
            "runs_with_status",
            f"share of runs with a token status that are {status.upper()}",
        )
        for status in ("valid", "warning", "overflow")
    ),
)
COLUMNS = ("size", *dict.fromkeys(name for of in QUANTITIES for name in (of.total, of.number)))
