"""Report a refresh to OpenLineage: events in a file under `lineage/`, and at an endpoint if one is set.

OPENLINEAGE_DISABLED=true switches all of it off. The endpoint is the setting `openlineage_url`, else
OPENLINEAGE_URL; its key is OPENLINEAGE_API_KEY, its path OPENLINEAGE_ENDPOINT (api/v1/lineage).
"""

import os
import re
import time
from contextlib import suppress
from datetime import datetime

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent

from perennial.flows.stages.unit_stages import list_jobs
from perennial.flows.watchers.openlineage_delivery import Delivery, describe_error
from perennial.flows.watchers.watcher import Watcher
from perennial.schemas.errors import PerennialError
from perennial.schemas.plan import Plan
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import visible_evaluations
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.later_statistics import analysis_of
from perennial.warehouse.catalog.scores import score_files
from perennial.warehouse.lineage import RefreshEvents, Written
from perennial.warehouse.store.store import Store

_RUNNING_EVERY_S = 30.0
_TIMEOUT_S = 2.0


class LineageWatcher(Watcher):
    """Emits the events of one refresh: to a file of its own, and to the endpoint at `url` where there is one.

    `scheduled_for` is the time that a schedule gave it, if one did. An event RUNNING of a stage comes at most
    every `running_every_s` seconds; the endpoint has `timeout_s` seconds to answer, and nobody waits for it
    but, three times that long, at the end.
    """

    def __init__(
        self,
        url: str = "",
        *,
        scheduled_for: datetime | None = None,
        running_every_s: float = _RUNNING_EVERY_S,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        self._url = url or os.environ.get("OPENLINEAGE_URL", "")
        self._scheduled_for = scheduled_for
        self._timeout_s = timeout_s
        self._running_every_s = running_every_s
        self._running_at = 0.0
        self._events: RefreshEvents | None = None  # None before the plan is there

    def unit_started(self, root: str, plan: Plan) -> None:
        """Emit START of the refresh."""
        self._store, self._unit = Store(root), plan.unit
        has_scores = bool(score_files(self._store))
        self._events = RefreshEvents(
            root,
            plan,
            list_jobs(plan.unit, plan.benchmark),
            scheduled_for=self._scheduled_for,
            has_scores=has_scores,
            is_first_evaluation=not self._store.names("tables/evaluations"),
        )
        file = f"lineage/{plan.unit}-{self._events.run_id}.jsonl"
        self._client = OpenLineageClient(transport=Delivery(self._store, file, self._url, self._timeout_s))
        self._emit(self._events.refresh_started())

    def stage_started(self, stage: str, batches: int) -> None:
        """Emit START of the stage."""
        if self._events is not None:
            self._running_at = time.monotonic()
            self._emit(self._events.stage_started(stage))

    def batch_done(self, stage: str, done: int, counts: dict[str, int]) -> None:
        """Emit RUNNING of the stage, unless one was emitted just before."""
        if self._events is not None:
            event = self._events.batch_done(counts)
            if time.monotonic() - self._running_at >= self._running_every_s:
                self._running_at = time.monotonic()
                self._emit(event)

    def stage_done(self, stage: str, counts: dict[str, int]) -> None:
        """Emit COMPLETE of the stage, and RUNNING of the refresh."""
        if self._events is not None:
            self._emit(*self._events.stage_done(counts))

    def published(self, counts: dict[str, int]) -> None:
        """Emit COMPLETE of the refresh, and wait a little for the endpoint."""
        if self._events is not None:
            own = "evaluations" if is_evaluation(self._unit) else "editions"
            rows = {**counts, own: 1}  # nobody counts its own row
            tables = {name: Written(rows[name], self._size(name)) for name in TABLES if name in rows}
            self._end(self._events.complete(tables))

    def failed(self, error: BaseException) -> None:
        """Emit FAIL of the stage at work and of the refresh; ABORT where somebody stopped it."""
        if self._events is not None:
            self._end(*self._events.end(_message(error) if isinstance(error, Exception) else None))

    def _emit(self, *events: RunEvent) -> None:
        for event in events:
            self._client.emit(event)

    def _end(self, *events: RunEvent) -> None:
        self._events = None
        self._emit(*events)
        self._client.close()

    def _size(self, table: str) -> int | None:
        """Return the bytes of the table's file, None where they cannot be found out."""
        with suppress(OSError), self._store.open(self._file(table)) as file:
            return int(file.size())
        return None

    def _file(self, table: str) -> str:
        if TABLES[table].kind != "analysis":
            return table_file(table, self._unit)
        edition, _ = split_unit(self._unit)
        return analysis_of(self._store, edition, visible_evaluations(self._store, edition)) or ""


def _message(error: Exception) -> str:
    """Describe in one line what went wrong; of a library's errors only what holds no secret."""
    if isinstance(error, PerennialError):
        return re.sub(r"//[^/@\s]*@", "//***@", str(error))
    return describe_error(error)
