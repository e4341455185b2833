"""Where lineage events go: a file of the data root, and an HTTP endpoint that may be down, slow or wrong.

Nothing here raises or waits for long: what does not work is noted once, and the refresh continues.
"""

import os
import queue
import threading
from typing import Any

from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport import Config, Transport
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from requests import ConnectionError, HTTPError, Timeout
from tenacity import Retrying, stop_after_attempt, wait_fixed

from perennial.flows.console import progress
from perennial.schemas.rows import JsonObject
from perennial.warehouse.ledger.ledger import without_credentials
from perennial.warehouse.store.store import Store

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
            place = without_credentials(self._file_place)
            self._note(f"lineage events cannot be written to {place}: {_reason(error.__cause__ or error)}")
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
