"""Packages of others that no environment of ours holds, for tests that hand them what we write."""

import json
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


def check_by_every_eval_ever(root: Path, packages: Path) -> None:
    """Assert that its own validator takes all records of an export, without a warning."""
    environment = install_beside(packages, "every-eval-ever==0.3.0")
    files = [str(path.relative_to(root)) for path in sorted(root.glob("data/*/*/*/*"))]
    command = [sys.executable, "-m", "every_eval_ever.validate", "--format", "json", *files]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    reports = [(report["valid"], report["errors"], report["warnings"]) for report in json.loads(done.stdout)]
    assert reports == [(True, [], [])] * len(files)
