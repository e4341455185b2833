"""Packages of others that no environment of ours holds, for tests that hand them what we write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def install_beside(folder: Path, *requirements: str) -> dict[str, str]:
    """Install packages, without what they require, into the folder; return the environment that has them.

    They go before the packages of this environment. Skips the test if they cannot be had.
    """
    # Which Python they are made for is tried, not asked.
    flags = ["--quiet", "--no-deps", "--ignore-requires-python", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *flags, "--target", str(folder), *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{', '.join(requirements)} cannot be installed: {done.stderr.strip()[-300:]}")
    return {**os.environ, "PYTHONPATH": str(folder)}
