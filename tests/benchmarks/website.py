"""A website of many editions and players: CPU seconds of a build, of one more edition, and of no change.

By hand: `python -m tests.benchmarks.website --editions 50 --players 100`. The editions are KUMO's, made of
one set of hand-made rows: 200 instances, a fifth of them private, each played once by every player, and the
statistics that `perennial` computes of them. `--root` keeps the data root for another run. CPU seconds are
those of this process and its children.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from perennial.flows.stages.compute_statistics import edition_statistics
from perennial.flows.website.build import build_site
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Step
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.store.store import Store
from tests.flows import report_root
from tests.warehouse import tiny_edition

_DOMAINS = tuple(f"Domain {number}" for number in range(10))
_INSTANCES = 10  # per domain and setting
_PRIVATE_SHARE = 0.2
_THOUGHT = "I compare each outcome with the book and rule out what it excludes. " * 20
_FIRST = datetime(2022, 1, 1, tzinfo=UTC)
_PROGRAMS = ("optimum", "algorithm-3", "guesser")


def main() -> None:
    """Grow the root, and print a line per build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--editions", type=int, default=50)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--root", type=Path, help="data root to grow, or to use again")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        root = chosen.root or Path(folder) / "data"
        tables = _make_tables(chosen.players)
        grow(root, chosen.editions, tables)
        site = Path(folder) / "site"
        build = _measured(lambda: build_site(Store(str(root)), site))
        print(f"{'build':<20}{'seconds':>9}{'CPU s':>8}{'written':>9}{'kept':>7}")
        build(f"{chosen.editions} editions")
        build("no change")
        grow(root, chosen.editions + 1, tables)
        build("one edition more")
        pages = sorted((path.stat().st_size, path.name) for path in site.rglob("*.html"))
        whole = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        largest, name = pages[-1]
        print(
            f"{len(pages):,} pages, the largest {largest / 1e3:.0f} kB ({name}); {whole / 1e6:.0f} MB in all"
        )


def _measured(build: Callable[[], Any]) -> Callable[[str], None]:
    def run(name: str) -> None:
        begun, cpu = time.perf_counter(), _cpu_seconds()
        built = build()
        print(
            f"{name:<20}{time.perf_counter() - begun:>9.1f}{_cpu_seconds() - cpu:>8.1f}"
            f"{built.written:>9,}{built.kept:>7,}",
            flush=True,
        )

    return run


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def grow(root: Path, editions: int, tables: dict[str, pa.Table]) -> None:
    """Publish editions of these rows until the root has so many, a month apart."""
    store = Store(str(root))
    for number in range(len(published_editions(store)) if root.exists() else 0, editions):
        plan = tiny_edition.plan(f"kumo-{number:03}")
        plan = replace(plan, growth=replace(plan.growth, private_share=_PRIVATE_SHARE))
        tiny_edition.publish(store, plan, tables, [], _FIRST + timedelta(days=30 * number))


def _make_tables(players: int) -> dict[str, pa.Table]:
    names = (*_PROGRAMS, *(f"provider/model-{number:03}" for number in range(players - len(_PROGRAMS))))
    with patch.multiple(report_root, DOMAINS=_DOMAINS, INSTANCES=_INSTANCES, RUNS=1, _episode=_episode):
        rows = report_root._rows("e", names, 0, tuple(report_root.SETTINGS), "")
    filled = {**dict.fromkeys(tiny_edition.STAGED_TABLES, ()), **rows}
    tables = {
        name: pa.Table.from_pylist(list(filled[name]), schema=TABLES[name].arrow_schema())
        for name in tiny_edition.STAGED_TABLES
    }
    found = edition_statistics("kumo", tables, report_root.SEED, {})
    return {**tables, "statistics": pa.Table.from_pylist(found, schema=TABLES["statistics"].arrow_schema())}


def _episode(
    player: str, run: int, place: int, _difficulty: int, ids: dict[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of an episode; later players solve less."""
    rng = derive_rng(1, f"{player} {ids['instance_id']}", run)
    solved = player in _PROGRAMS[:2] or rng.random() < (0.2 if player == "guesser" else 0.95 - place / 130)
    status = "solved" if solved else rng.choice(("wrong", "unparsed", "truncated"))
    last = ("truth", "rain") if solved else ("none", None)
    steps = (tiny_edition.MEASURED, replace(tiny_edition.LOOKED), Step(3, *last, None, None))
    rows = tiny_edition.play(
        player, run, status, steps, **ids, tokens=None if place < 3 else rng.randrange(200, 4000)
    )
    if place >= len(_PROGRAMS):
        rows["turns"] = [{**turn, "reply": f"{_THOUGHT}{turn['reply']}"} for turn in rows["turns"]]
    return rows


if __name__ == "__main__":
    main()
