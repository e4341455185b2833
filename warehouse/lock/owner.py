"""Who holds a lock, and whether that process still lives, as far as this machine can know.

A process id alone says little: ids are used again, and containers have ids of their own. So an owner is known
by the id with the time at which the process started, the boot of the machine, and the space of process ids.
"""

import getpass
import os
import socket
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_DEAD_STATES = ("Z", "X", "x")


class Life(StrEnum):
    """What is known of a process."""

    alive = "alive"
    gone = "gone"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: `started` in clock ticks since boot, `boot_id`, `pid_space` "" where not known."""

    user: str
    host: str
    pid: int
    started: str
    boot_id: str
    pid_space: str

    def __str__(self) -> str:
        return f"{self.user}@{self.host}, process {self.pid}"

    @property
    def is_on_this_machine(self) -> bool:
        """Whether it ran on this machine, in this boot or an earlier one."""
        return self.host == socket.gethostname() or (self.boot_id != "" and self.boot_id == _boot_id())


def this_process() -> Owner:
    """Return this process as an owner."""
    pid = os.getpid()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return Owner(user, socket.gethostname(), pid, _state_and_start(pid)[1], _boot_id(), _pid_space())


def life_of(owner: Owner, last_seen: float) -> Life:
    """Return whether the process lives; `last_seen` is when it did for sure, in seconds since 1970.

    `gone` is said only of a process of this machine: one whose id is free or belongs to a later process, or
    one that was last seen before the machine was started. Of another machine's nothing can be known.
    """
    boot_id = _boot_id()
    if not owner.is_on_this_machine:
        return Life.unknown
    if owner.boot_id and boot_id and owner.boot_id != boot_id:
        # Seen after this machine's start, it is another machine of the same name.
        booted_at = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return Life.gone if last_seen < booted_at else Life.unknown
    if owner.boot_id and owner.pid_space != _pid_space():
        return Life.unknown
    state, started = _state_and_start(owner.pid)
    if not state:
        return Life.unknown if _exists(owner.pid) else Life.gone
    if state in _DEAD_STATES or (owner.started and started != owner.started):
        return Life.gone
    return Life.alive if owner.started else Life.unknown


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _state_and_start(pid: int) -> tuple[str, str]:
    """Return the process's state and when it started, in clock ticks since boot; "" where it is unknown."""
    text = _text(f"/proc/{pid}/stat")
    # The name of the command, in parentheses, may hold anything.
    fields = text.rsplit(")", 1)[-1].split()
    return (fields[0], fields[19]) if fields else ("", "")


def _boot_id() -> str:
    return _text("/proc/sys/kernel/random/boot_id").strip()


def _pid_space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
