"""How models are asked in batches of their server: who keeps them, their limits, and how often to look."""

from collections.abc import Callable
from dataclasses import dataclass, field

from perennial.tasks.llm.asking import BatchLedger

# OpenAI's limits of one batch; other servers took them over (OpenAI's of bytes has been doubled since).
MOST_REQUESTS = 50_000
MOST_BYTES = 100_000_000
# 50,000 replies of 80 KB: more than models write, and a day's download at 400 kbit/s.
MOST_OUTPUT_BYTES = 4_000_000_000

Tell = Callable[[str, bool], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Times in seconds.

    A batch is submitted when no request has come for `quiet_s`. It is looked at after `first_s`, then after
    pauses that grow by `growth` up to `most_s`, and given up after `bound_s`: servers promise to end
    a batch within 24 hours, and take some time to write its files. `failures` looks in a row may fail.
    """

    quiet_s: float = 0.5
    first_s: float = 0.5
    growth: float = 1.5
    most_s: float = 60.0
    bound_s: float = 26 * 3600.0
    failures: int = 20


@dataclass(frozen=True, slots=True)
class InBatches:
    """That models whose entry says so are asked in batches.

    `tell` is given a line about a batch, and whether it says something new.
    """

    ledger: BatchLedger
    tell: Tell = lambda _text, _is_new: None
    pace: Pace = field(default_factory=Pace)
    most_requests: int = MOST_REQUESTS
    most_bytes: int = MOST_BYTES
