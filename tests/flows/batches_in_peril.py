"""Batch functions that fail, die or tell where they run; light, since every worker imports them."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perennial.flows.stages.workspace import available_threads
from perennial.schemas.errors import InstancesExhausted


@dataclass(frozen=True)
class Peril:
    """Work on one batch by one of the functions below."""

    function: Callable[[str, int], dict[str, int]]
    folder: str
    number: int

    def run(self) -> dict[str, int]:
        return self.function(self.folder, self.number)


def telling(folder: str, number: int) -> dict[str, int]:
    """Leave a file that says which process and thread ran the batch."""
    here = f"{os.getpid()} {threading.current_thread() is threading.main_thread()} {available_threads()}"
    (Path(folder) / f"telling-{number}").write_text(here)
    return {"batches": 1, f"batch {number}": number}


def refusing(folder: str, number: int) -> dict[str, int]:
    """Raise for the second batch what an operator is to see; leave a file for the others."""
    if number == 1:
        raise InstancesExhausted(f"batch {number} has no more")
    (Path(folder) / f"refusing-{number}").touch()
    return {"batches": 1}


def failing_once(folder: str, number: int) -> dict[str, int]:
    """Fail for the second batch as a full disk would, the first time."""
    if number == 1 and _is_first_time(folder, "failing"):
        raise OSError(28, "No space left on device")
    return {"batches": 1}


def dying_once(folder: str, number: int) -> dict[str, int]:
    """Kill the process for the second batch, the first time."""
    if number == 1 and _is_first_time(folder, "dying"):
        os.kill(os.getpid(), signal.SIGKILL)
    return {"batches": 1}


def _is_first_time(folder: str, name: str) -> bool:
    try:
        (Path(folder) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
