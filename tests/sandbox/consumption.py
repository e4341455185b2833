"""What a program takes of the machine until the sandbox ends it, beside what it may take."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

from perennial.tasks.sandbox.refusal import SandboxRefusal, WorkerLimits, check_syntax
from perennial.tasks.sandbox.tier import Jail, Worker

# Wall time ends a program under the first, time of the processor under the second.
SMALL = WorkerLimits(
    call_seconds=1.0, start_seconds=1.0, cpu_seconds=3, memory_bytes=128 * 2**20, message_bytes=256 * 2**10
)
BUSY = WorkerLimits(
    call_seconds=20.0, start_seconds=20.0, cpu_seconds=1, memory_bytes=128 * 2**20, message_bytes=256 * 2**10
)
_SAMPLE_S = 0.002


@dataclass(slots=True)
class Taken:
    """What one program took: seconds of its slower request, of the processor, bytes; and how it ended."""

    ended: str = "returned"
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_bytes: int = 0
    read_bytes: int = 0

    def shares(self, limits: WorkerLimits) -> dict[str, float]:
        """Return what was taken over what is allowed, by resource."""
        return {
            "wall": self.wall_seconds / limits.call_seconds,
            "cpu": self.cpu_seconds / limits.cpu_seconds,
            "memory": self.memory_bytes / limits.memory_bytes,
            "output": self.read_bytes / limits.message_bytes,
        }

    def add_sample(self, worker: int) -> None:
        """Add what the processes of a worker have taken so far: the one that took most of each counts."""
        for pid in (worker, *_descendants(worker)):
            try:
                busy = int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
                status = Path(f"/proc/{pid}/status").read_text()
            except (OSError, IndexError):
                continue
            self.cpu_seconds = max(self.cpu_seconds, busy)
            peak = next((line.split()[1] for line in status.splitlines() if line.startswith("VmPeak")), "0")
            self.memory_bytes = max(self.memory_bytes, int(peak) * 1024)


def measure(code: str, limits: WorkerLimits, jail: Jail, *, checked: bool = True) -> Taken:
    """Return what the code takes for one input in one worker; `checked` False leaves the syntax check out."""
    taken = Taken()
    before = _cpu_of_children()
    begun = time.monotonic()
    try:
        if checked:
            check_syntax(code, limits)
        with _worker(limits, jail, taken) as worker:
            # Requests are timed each: the start of the interpreter is within the first.
            worker.define(code, "f")
            taken.wall_seconds, begun = time.monotonic() - begun, time.monotonic()
            worker.call("abc")
    except SandboxRefusal as refused:
        taken.ended = refused.reason
    taken.wall_seconds = max(taken.wall_seconds, time.monotonic() - begun)
    taken.cpu_seconds = max(taken.cpu_seconds, _cpu_of_children() - before)
    return taken


@contextmanager
def _worker(limits: WorkerLimits, jail: Jail, taken: Taken) -> Iterator[Worker]:
    """Yield a worker whose processes are sampled and whose output is counted."""
    done = Event()
    with Worker(limits, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:

        def sample() -> None:
            while not done.wait(_SAMPLE_S):
                taken.add_sample(worker.pid)

        read = os.read

        def count(descriptor: int, size: int) -> bytes:
            piece = read(descriptor, size)
            taken.read_bytes += len(piece)
            return piece

        sampler = Thread(target=sample)
        sampler.start()
        try:
            with patch("perennial.tasks.sandbox.tier.os.read", count):
                yield worker
        finally:
            done.set()
            sampler.join()


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *_descendants(child))]


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
