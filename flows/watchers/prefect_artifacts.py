"""What Prefect's pages show of a refresh: progress and rows of each stage, the leaderboard, the tables.

Artifacts are made by one client that is kept for the whole refresh: each costs one request, and a
stage's progress is updated once a second at most.
"""

import json
import time
from typing import TYPE_CHECKING, Any
from uuid import UUID

from perennial.flows.benchmark import find_benchmark
from perennial.flows.watchers.watcher import Watcher
from perennial.flows.watchers.webhook import without_credentials
from perennial.schemas.plan import Plan
from perennial.schemas.rows import Row
from perennial.schemas.statistics.measure import Measure
from perennial.schemas.units import is_evaluation
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

_UPDATE_EVERY_S = 1.0


class Artifacts(Watcher):
    """Makes the artifacts of the current flow run; outside of one it makes none."""

    def __init__(self) -> None:
        self._client: SyncPrefectClient | None = None
        self._run_id: UUID | None = None
        self._root = ""
        self._edition = self._unit = ""
        self._measures: tuple[Measure, ...] = ()
        self._batches: dict[str, int] = {}
        self._progress: dict[str, UUID] = {}
        self._told_at: dict[str, float] = {}

    def unit_started(self, root: str, plan: Plan) -> None:
        """Open a client, where there is a flow run."""
        from prefect.client.orchestration import get_client
        from prefect.context import FlowRunContext

        context = FlowRunContext.get()
        if context is None or context.flow_run is None:
            return
        self._root, self._edition, self._unit = root, plan.edition, plan.unit
        self._measures = find_benchmark(plan.benchmark).measures
        self._run_id = context.flow_run.id
        self._client = get_client(sync_client=True).__enter__()

    def stage_started(self, stage: str, batches: int) -> None:
        """Make the stage's progress artifact."""
        self._batches[stage] = batches
        made = self._make("progress", f"stage-{stage}", 0.0, f"{self._unit}: {stage}, {batches} batches")
        if made is not None:
            self._progress[stage] = made
            self._told_at[stage] = time.monotonic()

    def batch_done(self, stage: str, done: int, counts: dict[str, int]) -> None:
        """Update the stage's progress, unless that was done within the last second."""
        now = time.monotonic()
        if stage in self._progress and now - self._told_at[stage] >= _UPDATE_EVERY_S:
            self._told_at[stage] = now
            self._update(stage, 100.0 * done / max(self._batches[stage], 1))

    def stage_done(self, stage: str, counts: dict[str, int]) -> None:
        """Complete the stage's progress and list its rows."""
        if stage in self._progress:
            self._update(stage, 100.0)
        self._make_table(f"rows-{stage}", _rows(counts), f"{self._unit}: rows of stage {stage}")

    def published(self, counts: dict[str, int]) -> None:
        """List the leaderboard and the tables' rows, and say where the tables lie."""
        if self._client is None:
            return
        kind = "evaluation" if is_evaluation(self._unit) else "edition"
        self._make_table(kind, _rows(counts), f"{kind} {self._unit} is published")
        if is_evaluation(self._unit):
            self._make_table("leaderboard", self._leaderboard(), f"leaderboard of {self._edition}")
        tables = without_credentials(Store(self._root).location("tables"))
        shown = f"{tables}/<table>/edition={self._edition}/"
        self._make("markdown", "tables", f"[{shown}]({_link(tables)})", f"the tables of {self._edition}")
        self._close()

    def failed(self, error: BaseException) -> None:
        """Close the client."""
        self._close()

    def _leaderboard(self) -> list[Row]:
        from perennial.warehouse.catalog.catalog import open_catalog
        from perennial.warehouse.catalog.leaderboard import leaderboard_sql

        names, rows = open_catalog(Store(self._root)).query(leaderboard_sql(self._edition, self._measures))
        return [dict(zip(names, map(_round_progress, row), strict=True)) for row in rows]

    def _make_table(self, key: str, rows: list[Row], description: str) -> None:
        # Prefect's pages expect a table's data as text.
        self._make("table", key, json.dumps(rows), description)

    def _make(self, kind: str, key: str, data: object, description: str) -> UUID | None:
        if self._client is None:
            return None
        from prefect.client.schemas.actions import ArtifactCreate

        made = self._client.create_artifact(
            ArtifactCreate(type=kind, key=key, data=data, description=description, flow_run_id=self._run_id)
        )
        return made.id

    def _update(self, stage: str, percent: float) -> None:
        if self._client is None:
            return
        from prefect.client.schemas.actions import ArtifactUpdate

        self._client.update_artifact(self._progress[stage], ArtifactUpdate(data=percent))

    def _close(self) -> None:
        if self._client is not None:
            client = self._client
            self._client = None
            client.__exit__(None, None, None)


def _rows(counts: dict[str, int]) -> list[Row]:
    return [{"table": table, "rows": rows} for table, rows in counts.items()]


def _link(place: str) -> str:
    return place if "://" in place else f"file://{place}"


def _round_progress(value: object) -> Any:
    return round(value, 3) if isinstance(value, float) else value
