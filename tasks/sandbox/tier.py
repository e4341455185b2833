"""Which protections work on this machine: found by trying them, once a process."""

import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from shutil import which
from typing import Literal, get_args

from perennial.tasks.sandbox.guest.values import load
from perennial.tasks.sandbox.limits import LIMITS
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.run import Jail
from perennial.tasks.sandbox.worker import ENVIRONMENT, guest_command

# From the strongest: seccomp in namespaces of its own, seccomp, or none: there a syntax check and restricted
# builtins keep honest code within its rules, and whoever finds a way past them has this user's rights.
Tier = Literal["bubblewrap", "seccomp", "none"]
TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True, slots=True)
class Protection:
    """What protects this machine from authored code: the tier, its jail, and what was found, a line each."""

    tier: Tier
    jail: Jail
    findings: tuple[str, ...]


@lru_cache(maxsize=1)
def find_protection() -> Protection:
    """Return the strongest tier whose trials all fail inside, as they must."""
    findings: list[str] = []
    command = _bubblewrap()
    if command:
        jail = Jail(command)
        if _try(jail, "bubblewrap", findings):
            return Protection("bubblewrap", jail, tuple(findings))
    else:
        findings.append("bubblewrap: not installed")
    if _try(Jail(), "seccomp", findings):
        return Protection("seccomp", Jail(), tuple(findings))
    return Protection("none", Jail(use_seccomp=False), tuple(findings))


def require_protection(*, accept_unprotected: bool) -> Protection:
    """Return the protection for code that a model or a file wrote.

    Raises Refused ("weak_sandbox") where there is none and the operator did not accept that.
    """
    found = find_protection()
    if found.tier == "none" and not accept_unprotected:
        raise Refused(
            "weak_sandbox",
            "nothing protects this machine from code that a model or a file wrote (tier none, see "
            "`perennial doctor`; a syntax check is not a protection): run on Linux with seccomp, or set "
            "accept_weak_sandbox (--accept-weak-sandbox) for code that you trust",
        )
    return found


def _bubblewrap() -> tuple[str, ...]:
    """Return the command that runs another one in namespaces of its own; empty where there is none."""
    program = which("bwrap")
    if program is None:
        return ()
    places = ["/usr", "/bin", "/lib", "/lib64", sys.prefix, sys.base_prefix]
    bound = [
        each
        for place in dict.fromkeys(places)
        if Path(place).exists()
        for each in ("--ro-bind", place, place)
    ]
    # Another user than root, which would try to become nobody by itself.
    options = ["--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    options += ["--die-with-parent", "--new-session", "--dev", "/dev"]
    return (program, *options, *bound, "--chdir", "/")


def _try(jail: Jail, name: str, findings: list[str]) -> bool:
    """Return whether nothing of the trials works inside the jail; add a line of what was found."""
    command = guest_command("probe", LIMITS, jail.command, use_seccomp=jail.use_seccomp)
    try:
        done = subprocess.run(command, env=ENVIRONMENT, cwd="/", capture_output=True, timeout=10, check=False)
        worked = load(done.stdout) if done.stdout else ["start"]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        findings.append(f"{name}: does not work here ({type(error).__name__})")
        return False
    if worked == ["start"]:
        findings.append(f"{name}: does not work here")
    elif worked:
        assert isinstance(worked, list)
        findings.append(f"{name}: a worker can still {', '.join(map(str, worked))}")
    else:
        findings.append(f"{name}: works")
    return not worked
