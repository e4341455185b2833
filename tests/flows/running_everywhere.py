"""python -m tests.flows.running_everywhere FOLDER EDITION: the same work on every runner; prints JSON.

One process, so that Prefect and the audit are imported once and a Dask cluster is started once.
"""

import json
import logging
import os
import sys
import traceback
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from perennial.flows.run import choose_runner
from perennial.flows.run.process_pool import ProcessPool
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.batches_in_peril import Peril, dying_once, failing_once, refusing, telling
from tests.flows.plain_audit import judge_by_duckdb

BATCHES = 4
ASKED = {
    "domains": "mineral_identification",
    "settings": "easy,4x5",
    "instances": 4,
    "seed": 0,
    "runs": 2,
    "players": "algorithm-3,random",
}


def main() -> None:
    """Run all, and print what became of each."""
    # Here, not above: the processes of the pool import this module again.
    from distributed import LocalCluster
    from prefect import flow

    judge_by_duckdb()
    in_peril = flow(name="batches-in-peril", validate_parameters=False)(run_in_peril)
    folder, edition = Path(sys.argv[1]), sys.argv[2]
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            silence_logs=logging.CRITICAL,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
        # For both flows that need one, as for the cluster: what its processes import takes seconds.
        ProcessPool(2, "kumo") as pool,
        patch.object(choose_runner, "ProcessPool", lambda *_: nullcontext(pool)),
    ):
        elsewhere = cluster.scheduler_address.replace("tcp://", "dask://")
        # Beside a scheduler, statistics are computed in this process: two workers would be two more.
        runners = {"one": ("local", 1), "two": ("local", 2), "scheduler": (elsewhere, 1)}
        found: dict[str, Any] = {}
        for name, (runner, workers) in runners.items():
            settings = {
                **ASKED,
                "edition": edition,
                "root": str(folder / name),
                "runner": runner,
                "workers": workers,
            }
            found[name] = _outcome(refresh, settings)
        for name in ("two", "scheduler"):
            work = folder / f"peril-{name}"
            work.mkdir()
            root = _stage_plan(folder / "one", edition, work)
            found[f"peril-{name}"] = _outcome(in_peril, *runners[name], root, edition, str(work))
        found["unseen"] = _outcome(in_peril, *runners["scheduler"], str(folder / "elsewhere"), edition, "")
    print(json.dumps(found))


def refresh(asked: dict[str, Any]) -> list[str]:
    """Make the edition that is asked for, in a flow run if others run its batches, and return its name."""
    from perennial.flows.refresh.make_units import make_editions
    from perennial.flows.refresh.several import prepare_each
    from perennial.flows.run.by_prefect import run_as_flow
    from perennial.flows.run.plain_stages import Execution
    from perennial.schemas.settings import load_settings
    from perennial.warehouse.store.store import Store

    each = [load_settings(asked)]
    make = partial(make_editions, each, lambda store: prepare_each(each, store))
    if asked["root"].endswith("one"):
        return [made.edition for made in make(Execution())]
    flow_run = run_as_flow("refresh", [asked["edition"]], [asked], make, Store(each[0].root))
    return [made.edition for made in flow_run]


def run_in_peril(runner: str, workers: int, root: str, edition: str, folder: str) -> dict[str, Any]:
    """Run all batches in peril on this runner and return what became of them."""
    from perennial.flows.run.choose_runner import open_runner
    from perennial.flows.run.prefect_stages import Stages
    from perennial.flows.watchers.watcher import Watchers

    def works(function: Any) -> list[Peril]:
        return [Peril(function, folder, number) for number in range(BATCHES)]

    with open_runner(runner, workers, root, edition) as taken:
        stages = Stages(Watchers(), taken)
        found: dict[str, Any] = {"parent": os.getpid()}
        found["counts"] = stages.run("telling", [work.run for work in works(telling)[:2]], works(telling)[2:])
        try:
            stages.run("refusing", [], works(refusing))
        except Exception as error:  # noqa: BLE001  the test says what it has to be
            found["refused"] = [type(error).__name__, str(error), getattr(error, "exit_code", None)]
        found["failed"] = stages.run("failing", [], works(failing_once))
        found["died"] = stages.run("dying", [], works(dying_once))
    found["telling"] = [(Path(folder) / f"telling-{number}").read_text().split() for number in range(BATCHES)]
    found["refusing"] = sum((Path(folder) / f"refusing-{number}").exists() for number in range(BATCHES))
    return found


def _outcome(function: Any, *values: Any) -> Any:
    try:
        return function(*values)
    except Exception:  # noqa: BLE001  the test shows it
        return traceback.format_exc()


def _stage_plan(published: Path, edition: str, work: Path) -> str:
    """Stage an edition's plan in a root of its own, for workers to see."""
    from perennial.warehouse.editions.publish import read_published_plan

    root = str(work / "root")
    Staging(Store(root), edition).write_plan(read_published_plan(Store(str(published)), edition))
    return root


if __name__ == "__main__":
    main()
