"""Who holds a lock, and whether that process still lives, as far as this machine can know.

A process id alone says little: ids are used again, and containers have ids of their own. So an owner is known
by the id with the time at which the process started, the boot of the machine, and the space of process ids.
"""

import getpass
import os
import socket
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_OWN_SPACE = "/proc/self/ns/pid"
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


def this_process() -> Owner:
    """Return this process as an owner."""
    pid = os.getpid()
    stat = _stat(pid)
    return Owner(_user(), socket.gethostname(), pid, stat[1] if stat else "", _boot_id(), _pid_space())


def is_on_this_machine(owner: Owner) -> bool:
    """Whether the owner ran on this machine, in this boot or an earlier one."""
    return owner.host == socket.gethostname() or _same_boot(owner)


def life_of(owner: Owner, last_seen: float) -> Life:
    """Return whether the process lives; `last_seen` is when it did for sure, in seconds since 1970.

    `gone` is said only of a process of this machine: one whose id is free or belongs to a later process, or
    one that was last seen before the machine was started. Of another machine's nothing can be known.
    """
    if _same_boot(owner):
        return _life_here(owner) if owner.pid_space == _pid_space() else Life.unknown
    if owner.host != socket.gethostname():
        return Life.unknown
    if owner.boot_id and _boot_id():
        # Seen after this machine's start, it is another machine of the same name.
        return Life.gone if last_seen < _booted_at() else Life.unknown
    return _life_here(owner)


def _same_boot(owner: Owner) -> bool:
    return bool(owner.boot_id) and owner.boot_id == _boot_id()


def _life_here(owner: Owner) -> Life:
    stat = _stat(owner.pid)
    if stat is None:
        return Life.unknown if _exists(owner.pid) else Life.gone
    state, started = stat
    if state in _DEAD_STATES:
        return Life.gone
    if not owner.started:
        return Life.unknown
    return Life.alive if started == owner.started else Life.gone


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _stat(pid: int) -> tuple[str, str] | None:
    """Return the process's state and when it started, in clock ticks since boot; None where nothing tells."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name of the command, in parentheses, may hold anything.
    fields = text.rsplit(")", 1)[-1].split()
    return fields[0], fields[19]


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _booted_at() -> float:
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0


def _pid_space() -> str:
    try:
        return os.readlink(_OWN_SPACE)
    except OSError:
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
