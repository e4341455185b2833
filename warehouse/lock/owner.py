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
        return self.host == socket.gethostname() or (self.boot_id != "" and self.boot_id == read_boot_id())


def this_process() -> Owner:
    """Return this process as an owner."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return Owner(
        user,
        host=socket.gethostname(),
        pid=os.getpid(),
        started=_start_of(os.getpid()),
        boot_id=read_boot_id(),
        pid_space=_pid_space(),
    )


def life_of(owner: Owner, last_seen: float) -> Life:
    """Return whether the process lives; `last_seen` is when it did for sure, in seconds since 1970.

    `gone` is said only of a process of this machine: one whose id is free or belongs to a later process, or
    one that was last seen before the machine was started. Of another machine's nothing can be known.
    """
    boot_id = read_boot_id()
    if not owner.is_on_this_machine:
        return Life.unknown
    if owner.boot_id and boot_id and owner.boot_id != boot_id:
        # Seen after this machine's start, it is another machine of the same name.
        booted_at = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return Life.gone if last_seen < booted_at else Life.unknown
    if owner.pid_space != _pid_space():
        return Life.unknown
    started = _start_of(owner.pid)
    if not started:
        return Life.unknown if _exists(owner.pid) else Life.gone
    return Life.alive if started == owner.started else Life.gone


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _start_of(pid: int) -> str:
    """Return when the process started, "ended" for one that nobody has waited for, "" where it is unknown."""
    # The name of the command, in parentheses, may hold anything.
    fields = _read(f"/proc/{pid}/stat").rsplit(")", 1)[-1].split()
    if not fields:
        return ""
    return "ended" if fields[0] in ("Z", "X", "x") else fields[19]


def read_boot_id() -> str:
    """Return what names this boot of the machine, "" where nothing does."""
    return _read("/proc/sys/kernel/random/boot_id").strip()


def _pid_space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
