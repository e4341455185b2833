"""How fast the explorer's pages are over 579,400 episodes: the multiplied root, and the time of each page.

    python -m tests.benchmarks.explorer SOURCE_ROOT EDITION BIG_ROOT

SOURCE_ROOT holds a published edition of KUMO. Its instances are copied under other ids, with their books and
episodes, until there are enough; then the real server serves them, and headless Chromium visits each page
twice. A page's time is from asking for it until its last element is there.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.warehouse.catalog.catalog import visible_evaluations
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.later_statistics import keep_analysis
from perennial.warehouse.store.store import Store
from tests.flows.chromium import CHROMIUM

EPISODES = 579_400
# The ids that a copy has of its own, by table.
IDS = {
    "instances": ("instance_id",),
    "kumo_instances": ("instance_id",),
    "kumo_books": ("instance_id", "book_id"),
    "episodes": ("episode_id", "instance_id"),
    "kumo_episodes": ("episode_id", "book_id"),
    "turns": ("episode_id",),
    "kumo_moves": ("episode_id",),
}
DONE = "!document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]')"


def multiply(source: Path, edition: str, target: Path) -> None:
    """Copy the root, with each of its rows as often as it takes."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("staging", "ledger*", ".prefect"))
    for table, ids in IDS.items():
        folder = target / "tables" / table / f"edition={edition}"
        for file in sorted(folder.glob("*.parquet")):
            made = ", ".join(f"{name} || '_' || c AS {name}" for name in ids)
            draft = file.with_suffix(".draft")
            duckdb.sql(
                f"COPY (SELECT * REPLACE ({made}) FROM read_parquet({quote(str(file))}, "
                f"hive_partitioning = false), range({_copies(source, edition)}) AS copies(c) "
                f"ORDER BY {ids[0]}, c) "
                f"TO {quote(str(draft))} (FORMAT parquet, COMPRESSION zstd)"
            )
            draft.replace(file)
    store = Store(str(target))
    evaluations = visible_evaluations(store, edition)
    keep_analysis(store, edition, evaluations, analyse_edition(store, edition, evaluations))


def _copies(source: Path, edition: str) -> int:
    files = quote(str(source / "tables" / "episodes" / f"edition={edition}" / "*.parquet"))
    (number,) = duckdb.sql(f"SELECT count(*) FROM read_parquet({files})").fetchall()[0]
    return -(-EPISODES // int(number))


def visit(root: Path, edition: str) -> None:
    """Print the seconds of the first and the second visit of each page."""
    from playwright.sync_api import sync_playwright

    files = quote(str(root / "tables" / "episodes" / f"edition={edition}" / "*.parquet"))
    number, episode, instance = duckdb.sql(
        f"SELECT count(*), min(episode_id), min(instance_id) FROM read_parquet({files})"
    ).fetchall()[0]
    print(f"{number:,} episodes")
    pages = [
        *("", "leaderboard", "domains", "instances", "episodes", "pairs", "drift", "sql?sql=FROM statuses"),
        *("figures", "kumo-instances", f"instances?instance={instance}", f"episodes?episode={episode}"),
        "leaderboard?basis=instances that all shown players have",
        "episodes?episodes_page=9000",
    ]
    command = [sys.executable, "-m", "perennial.flows.cli.app", "web", "--root", str(root), "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        assert server.stdout is not None
        found = re.search(r"http\S+", server.stdout.readline())
        assert found
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            # What the browser loads once, and the server imports.
            page.goto(f"{found[0]}/drift")
            page.wait_for_selector("h1")
            for path in pages:
                seconds = []
                for _ in range(2):
                    begun = time.perf_counter()
                    page.goto(f"{found[0]}/{path}")
                    page.wait_for_selector(
                        "[data-testid=stApp][data-test-script-state=notRunning] h1", timeout=120_000
                    )
                    page.wait_for_function(DONE, timeout=120_000)
                    seconds.append(time.perf_counter() - begun)
                print(f"{seconds[0]:6.2f} {seconds[1]:6.2f}  /{path}")
            browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    source, edition, target = sys.argv[1:]
    if not Path(target).exists():
        multiply(Path(source), edition, Path(target))
    visit(Path(target), edition)
