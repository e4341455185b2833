"""Commands of `perennial` on a disk that is too small or read-only: mounts that only they see.

Permission bits do not bind root, and no test may fill the machine's own disk. A process in a mount
namespace of its own mounts what it needs, and the mounts end with it.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pytest

PROGRAM = (sys.executable, "-P", "-m", "perennial.flows.cli.app")


@lru_cache
def why_not_mounted() -> str:
    """Return why this user cannot mount in a namespace of its own, "" where it can."""
    if shutil.which("unshare") is None:
        return "there is no `unshare` on this machine"
    script = "mount -t tmpfs tmpfs /mnt && umount /mnt"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"mounting is not allowed here: {done.stderr.strip()}"


def require_mounts() -> None:
    """Skip the test where this user cannot mount."""
    reason = why_not_mounted()
    if reason:
        pytest.skip(reason)


def run_mounted(
    mount: str,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    cwd: Path,
    after: str = "true",
    program: Sequence[str] = PROGRAM,
) -> "subprocess.CompletedProcess[str]":
    """Run the shell line `mount`, then `perennial` with the arguments, then the line `after`.

    Returns what all three printed, with the exit code of `perennial`.
    """
    script = f'set -e; {mount}; set +e; "$0" "$@"; code=$?; {after}; exit $code'
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script, *program, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
