"""Headless Chromium, where the machine has it."""

import shutil
import subprocess
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def open_page(url: str, profile: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    """Open a page and return what Chromium printed: its DOM, and its log."""
    command = [
        str(CHROMIUM),
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--enable-logging=stderr", "--v=0", f"--user-data-dir={profile}"),
        *flags,
        *("--dump-dom", url),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
