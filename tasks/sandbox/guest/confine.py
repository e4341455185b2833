"""Give up what the worker does not need, before any authored code is compiled."""

import ctypes
import os
import resource
import signal
from collections.abc import Mapping

from perennial.tasks.sandbox.guest import seccomp

READ_FD, WRITE_FD = 3, 4
_PR_SET_PDEATHSIG = 1
_NOBODY = 65534


def move_pipes() -> None:
    """Move the pipes from standard input and output to descriptors of their own; the rest becomes void."""
    # By way of higher numbers, so that no copy closes a descriptor that is still to be moved.
    for old, new in ((0, READ_FD + 10), (1, WRITE_FD + 10)):
        os.dup2(old, new)
    void = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(void, descriptor)
    for descriptor in (READ_FD, WRITE_FD):
        os.dup2(descriptor + 10, descriptor)
    os.closerange(WRITE_FD + 1, 256)


def die_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends (Linux; elsewhere an end of input ends it)."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except AttributeError:
        return
    if parent and os.getppid() != parent:
        os._exit(1)


def set_limits(memory_bytes: int, cpu_seconds: int) -> None:
    """Set the limits of the kernel: memory, time of the processor, no files, no processes, no core."""
    wanted = {
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        # No descriptor can be added; those that are open go on.
        resource.RLIMIT_NOFILE: 0,
        resource.RLIMIT_AS: memory_bytes,
    }
    if hasattr(resource, "RLIMIT_NPROC"):
        wanted[resource.RLIMIT_NPROC] = 0
    for limit, value in wanted.items():
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bound, bound))


def drop_user() -> None:
    """Become nobody where this is root: some limits do not bind root."""
    if os.geteuid() == 0:
        # Groups first: nobody may not give them up any more.
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def confine(settings: Mapping[str, int]) -> None:
    """Give up everything, in the only order that works: user, limits, system calls last."""
    move_pipes()
    drop_user()
    die_with(settings["parent"])  # after the change of user, which clears it
    set_limits(settings["memory_bytes"], settings["cpu_seconds"])
    if settings["seccomp"]:
        seccomp.install(READ_FD, WRITE_FD)
