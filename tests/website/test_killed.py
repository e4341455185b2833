"""A build that is killed is finished by the next one, with the bytes of an undisturbed one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perennial.flows.website.build import build_site
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import clean_environment
from tests.flows.report_root import publish_two
from tests.website.folders import read_folder

pytestmark = pytest.mark.slow
DEADLINE_S = 120


def test_after_a_kill_the_next_build_makes_the_same_bytes(tmp_path: Path) -> None:
    root, site, files = tmp_path / "data", tmp_path / "site", 25
    publish_two(root)
    command = [sys.executable, "-P", "-m", "perennial.flows.cli.app", "site", str(site), "--root", str(root)]
    with subprocess.Popen(command, env=clean_environment(), stderr=subprocess.DEVNULL) as build:
        deadline = time.monotonic() + DEADLINE_S
        while build.poll() is None and sum(len(names) for *_, names in os.walk(site)) < files:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        assert build.poll() is None, "it has ended before it was killed"
        build.send_signal(signal.SIGKILL)
    assert len(read_folder(site)) >= files
    build_site(Store(str(root)), site)
    build_site(Store(str(root)), tmp_path / "fresh")
    assert read_folder(site) == read_folder(tmp_path / "fresh")
    assert sorted(os.listdir(site)) == sorted(os.listdir(tmp_path / "fresh"))
