"""No program takes more than a tenth above what it may: time, processor, memory, output."""

import sys

import pytest

from perennial.tasks.sandbox.refusal import SandboxRefusal, WorkerLimits
from perennial.tasks.sandbox.tier import Worker, run_code
from tests.sandbox.consumption import BUSY, SMALL, measure
from tests.sandbox.greedy import GREEDY, PAST_CHECKS
from tests.sandbox.hostile import PRELUDE
from tests.sandbox.tiers import JAILS, KERNEL_JAILS

needs_seccomp = pytest.mark.skipif(not KERNEL_JAILS, reason="this machine has no seccomp")
needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="what a process takes is read from /proc")
_TRIES = 3
_CHOSEN = [
    *((name, GREEDY[name], SMALL) for name in ("power", "list after a MemoryError", "output of 100 MB")),
    *((name, GREEDY[name], SMALL) for name in ("source of 100 MB", "nested lists without end")),
    *((name, GREEDY[name], BUSY) for name in ("products", "endless loop that catches")),
    *((name, PAST_CHECKS[name], SMALL) for name in ("sleep", "memory of the kernel", "flood of 100 MB")),
    ("loop with signals blocked", PAST_CHECKS["loop with signals blocked"], BUSY),
]
# Limits are set alike in each tier: the last jail has most processes, and one program of a kind runs in all.
# Without protection, the syntax check refuses what goes past it.
_EVERYWHERE = ("list after a MemoryError", "flood of 100 MB")
_RUNS = [
    (name, code, limits, tier)
    for name, code, limits in _CHOSEN
    for tier in (JAILS if name in GREEDY else KERNEL_JAILS)
    if tier == [*JAILS][-1] or name in _EVERYWHERE
]


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize(
    ("name", "code", "limits", "tier"), _RUNS, ids=[f"{run[0]}, {run[3]}" for run in _RUNS]
)
def test_no_limit_is_passed_by_more_than_a_tenth(
    name: str, code: str, limits: WorkerLimits, tier: str
) -> None:
    # Other work on the machine adds to wall time: of a few tries the least counts.
    greatest = []
    for _ in range(_TRIES):
        taken = measure(code, limits, JAILS[tier], checked=name in GREEDY)
        assert taken.ended != "returned"
        greatest.append(max(taken.shares(limits).values()))
        if greatest[-1] <= 1.1:
            return
    raise AssertionError(f"{name} took {min(greatest):.2f} of a limit")


@needs_seccomp
def test_no_more_of_an_output_is_read_than_a_message_may_have() -> None:
    limits = WorkerLimits(message_bytes=10_000)
    code = PRELUDE + " while True: os.write(4, b'a' * 10**6)\n"
    taken = measure(code, limits, JAILS["seccomp"], checked=False)
    assert taken.ended == "too_large"
    # Beside the flood, the reply to the code itself was read.
    assert 10_000 < taken.read_bytes < 10_200


@pytest.mark.slow
def test_a_reply_has_a_bounded_number_of_values() -> None:
    code = "def f(x): return [[] for i in range(x)]"
    limits = WorkerLimits(call_seconds=20.0)
    assert len(run_code(code, "f", [40_000], limits)[0]) == 40_000  # type: ignore[arg-type]
    with pytest.raises(SandboxRefusal, match="more than 100,000 values") as refused:
        run_code(code, "f", [60_000], limits)
    assert refused.value.reason == "too_large"


@pytest.mark.slow
def test_time_of_the_processor_is_named() -> None:
    with Worker(BUSY) as worker:
        worker.define(GREEDY["endless loop"], "f")
        with pytest.raises(SandboxRefusal, match="more than 1 seconds of the processor") as refused:
            worker.call("x")
    assert refused.value.reason == "time"


@needs_seccomp
def test_a_worker_that_closes_its_output_does_not_hold_up_the_parent() -> None:
    with Worker(SMALL) as worker:
        worker.define(PRELUDE + " os.close(4)\n while True: pass\n", "f")
        with pytest.raises(SandboxRefusal) as refused:
            worker.call("x")
    assert refused.value.reason == "died"
