"""Report a refresh to OpenLineage: events in a file under `lineage/`, and at an endpoint if one is set.

OPENLINEAGE_DISABLED=true switches all of it off. The endpoint is the setting `openlineage_url`, else
OPENLINEAGE_URL; its key is OPENLINEAGE_API_KEY, its path OPENLINEAGE_ENDPOINT (api/v1/lineage).
"""

import os
import queue
import re
import threading
import time
from contextlib import suppress
from datetime import datetime
from typing import Any

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport import Config, Transport
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from requests import ConnectionError, HTTPError, Timeout
from tenacity import Retrying, stop_after_attempt, wait_fixed

from perennial.flows.console import progress
from perennial.flows.stages.grow import list_jobs
from perennial.flows.watchers.watcher import Watcher
from perennial.schemas.errors import PerennialError
from perennial.schemas.plan import Plan
from perennial.schemas.rows import JsonObject
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import visible_evaluations
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.later_statistics import analysis_of
from perennial.warehouse.catalog.scores import score_files
from perennial.warehouse.ledger.ledger import without_credentials
from perennial.warehouse.lineage_events import RefreshEvents, Written
from perennial.warehouse.store.store import Store

# Where lineage events go: a file of the data root, and an HTTP endpoint that may be down, slow or wrong.
#
# Nothing here raises or waits for long: what does not work is noted once, and the refresh continues.

_TRIES = 3
_PAUSE_S = 0.1


class Delivery(Transport):
    """Appends each event to a file, and sends it to an endpoint on a thread of its own, where one is set.

    An event that fails is sent again; after three failures in a row the endpoint is left alone for good.
    The client's asynchronous transport is no choice: it logs URLs with their credentials, and closing it
    while an endpoint hangs prints a traceback.
    """

    kind = "perennial"
    config_class = Config

    def __init__(self, store: Store, name: str, url: str, timeout_s: float) -> None:
        folder = store.local_folder
        self._path = folder / name if folder is not None else None
        self._file_place = store.location(name)
        self._file = FileTransport(FileConfig(str(self._path or self._file_place), append=True))
        self._place = without_credentials(url)
        self._endpoint = self._open_endpoint(url, timeout_s) if url else None
        self._patience_s = _TRIES * (timeout_s + _PAUSE_S)
        self._events: queue.SimpleQueue[RunEvent | None] = queue.SimpleQueue()
        self._sender: threading.Thread | None = None
        self._trouble = ""
        self._noted: set[str] = set()

    def emit(self, event: Any) -> None:
        """Write the event to the file, and have it sent."""
        try:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file.emit(event)
        except Exception as error:  # noqa: BLE001  a store of objects raises what it likes
            path = without_credentials(self._file_place)
            self._note(f"lineage events cannot be written to {path}: {_reason(error.__cause__ or error)}")
        if self._endpoint is not None and not self._trouble:
            if self._sender is None:
                self._sender = threading.Thread(target=self._send_all, args=(self._endpoint,), daemon=True)
                self._sender.start()
            self._events.put(event)
        self._note_trouble()

    def close(self, timeout: float = -1) -> bool:
        """Wait for the endpoint, for three time-outs at most; return whether it has all events."""
        if self._sender is not None:
            self._events.put(None)
            self._sender.join(self._patience_s)
            if self._sender.is_alive():
                self._trouble = "it did not answer in time"
        self._note_trouble()
        return not self._trouble

    def _open_endpoint(self, url: str, timeout_s: float) -> HttpTransport | None:
        once = {"total": 0, "read": False, "status_forcelist": []}
        config: JsonObject = {"url": url, "timeout": timeout_s, "retry": once}
        if path := os.environ.get("OPENLINEAGE_ENDPOINT"):
            config["endpoint"] = path
        if key := os.environ.get("OPENLINEAGE_API_KEY"):
            config["auth"] = {"type": "api_key", "apiKey": key}
        try:
            return HttpTransport(HttpConfig.from_dict(config))
        except (ValueError, KeyError) as error:
            progress.note(f"warning: lineage events are not sent to {self._place}: {_reason(error)}")
            return None

    def _send_all(self, endpoint: HttpTransport) -> None:
        send = Retrying(stop=stop_after_attempt(_TRIES), wait=wait_fixed(_PAUSE_S), reraise=True)
        try:
            while (event := self._events.get()) is not None:
                send(endpoint.emit, event)
        except Exception as error:  # noqa: BLE001  whatever it is, the refresh matters more
            self._trouble = _reason(error)

    def _note_trouble(self) -> None:
        if self._trouble:
            self._note(f"lineage events are no longer sent to {self._place}: {self._trouble}")

    def _note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            progress.note(f"warning: {text}")


def _reason(error: BaseException) -> str:
    """Return why it failed, without what a library's message may show: URLs, headers, keys."""
    if isinstance(error, HTTPError) and error.response is not None:
        return f"it answered {error.response.status_code}"
    if isinstance(error, Timeout):
        return "it did not answer in time"
    if isinstance(error, ConnectionError):
        return "it cannot be reached"
    return describe_error(error)


def describe_error(error: BaseException) -> str:
    """Return the error's class and what the operating system says of it: nothing else is free of secrets."""
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__


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
            unit_table = "evaluations" if is_evaluation(self._unit) else "editions"
            rows = {**counts, unit_table: 1}  # nobody counts its own row
            tables = {name: Written(rows[name], self._size(name)) for name in TABLES if rows.get(name)}
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
