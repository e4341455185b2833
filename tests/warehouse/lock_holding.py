"""Other processes that hold the lock of a data root, or reach for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store

_HOLD = """
import sys
from perennial.schemas.errors import PerennialError
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store

print("ready", flush=True)
sys.stdin.readline()
try:
    with lock_root(Store(sys.argv[1]), sys.argv[2], lambda line: print("note:", line, flush=True)):
        print("held", flush=True)
        sys.stdin.readline()
    print("released", flush=True)
except PerennialError as error:
    print(type(error).__name__, error, flush=True)
"""


class Holder:
    """A process that reaches for the lock on a first command, and releases it on a second."""

    def __init__(self, root: str, what: str, program: str = _HOLD) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, root, what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        assert self.line() == "ready"

    def line(self) -> str:
        """Return the next line that it prints, "" where it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        """Let it take the next step."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def holding(root: str, what: str = "refresh e1") -> Iterator[Holder]:
    """Run a process that holds the lock."""
    holder = Holder(root, what)
    try:
        holder.go()
        assert holder.line() == "held"
        yield holder
    finally:
        holder.kill()


def replace_values(record: Mapping[str, object], **values: object) -> dict[str, object]:
    """Return the content of a lock's file with other values; `owner_pid` and the like change the owner's."""
    owner = dict(record["owner"])  # type: ignore[call-overload]
    changed = dict(record)
    for name, value in values.items():
        part = owner if name.startswith("owner_") else changed
        part[name.removeprefix("owner_")] = value
    return {**changed, "owner": owner}


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    """What a lock of this process says."""
    store = Store(str(tmp_path / "example"))
    with lock_root(store, "refresh e1"):
        content: dict[str, Any] = json.loads(store.read_bytes("lock.json"))
    return content


def leave_lock(root: str, record: dict[str, Any], **values: object) -> Store:
    """Leave a lock in the root, as another process would, and return the root's store."""
    store = Store(root)
    store.write_bytes("lock.json", json.dumps(replace_values(record, **values)).encode())
    return store
