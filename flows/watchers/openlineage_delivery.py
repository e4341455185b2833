"""Where lineage events go: a file of the data root, and an HTTP endpoint that may be down, slow or wrong.

Nothing here raises or waits for long: what does not work is noted once, and the refresh goes on.
"""

import os
import queue
import threading
import time
from typing import Any

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde
from openlineage.client.transport import Config, Transport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from requests import ConnectionError, HTTPError, Timeout

from flows.console import progress
from warehouse.ledger.ledger import without_credentials
from warehouse.store.store import Store

_FAILURES_IN_A_ROW = 3
_PAUSE_S = 0.1


class EventFile:
    """The events of one run, a line each, in a file that is there whole after every event.

    It is written anew each time: a store of objects cannot append, and a reader never meets half a line.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name
        self._lines: list[str] = []
        self._noted = False

    def add(self, line: str) -> None:
        """Add one event; a file that cannot be written is noted once, and tried again the next time."""
        self._lines.append(f"{line}\n")
        try:
            self._store.write_bytes(self._name, "".join(self._lines).encode())
        except Exception as error:  # noqa: BLE001  a store of objects raises what it likes
            if not self._noted:
                self._noted = True
                place = without_credentials(self._store.location(self._name))
                progress.note(f"warning: lineage events cannot be written to {place}: {_reason(error)}")


class Endpoint:
    """Sends events to an HTTP endpoint in order, on a thread of its own, so that nobody waits for it.

    An event that fails is sent again; after three failures in a row the endpoint is left alone for good.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        self.place = without_credentials(url)
        self._patience_s = _FAILURES_IN_A_ROW * (timeout_s + _PAUSE_S)
        self._transport = HttpTransport(HttpConfig.from_dict(_http(url, timeout_s)))
        self._events: queue.SimpleQueue[RunEvent | None] = queue.SimpleQueue()
        self._trouble: str | None = None
        self._sender: threading.Thread | None = None

    @property
    def trouble(self) -> str | None:
        """Why the endpoint is left alone, None as long as it is not."""
        return self._trouble

    def add(self, event: RunEvent) -> None:
        """Send the event some time later, unless the endpoint is left alone."""
        if self._sender is None:
            self._sender = threading.Thread(target=self._send_all, name="lineage", daemon=True)
            self._sender.start()
        if self._trouble is None:
            self._events.put(event)

    def close(self) -> None:
        """Return when all events are sent, or after three time-outs."""
        if self._sender is None:
            return
        self._events.put(None)
        self._sender.join(self._patience_s)
        if self._sender.is_alive() and self._trouble is None:
            self._trouble = "it did not answer in time"

    def _send_all(self) -> None:
        while (event := self._events.get()) is not None and self._trouble is None:
            self._send(event)

    def _send(self, event: RunEvent) -> None:
        for _ in range(_FAILURES_IN_A_ROW):
            try:
                self._transport.emit(event)
            except Exception as error:  # noqa: BLE001  whatever it is, the refresh matters more
                reason = _reason(error)
                time.sleep(_PAUSE_S)
            else:
                return
        self._trouble = reason


def open_endpoint(url: str, timeout_s: float) -> Endpoint | None:
    """Return the endpoint at this URL; None where it is empty, or noted to be unusable."""
    try:
        return Endpoint(url, timeout_s) if url else None
    except (ValueError, KeyError) as error:
        progress.note(f"warning: lineage events are not sent to {without_credentials(url)}: {_reason(error)}")
        return None


class Delivery(Transport):
    """Hands each event of the OpenLineage client to the file and to the endpoint, if there is one."""

    kind = "perennial"
    config_class = Config

    def __init__(self, file: EventFile, endpoint: Endpoint | None) -> None:
        self._file = file
        self._endpoint = endpoint
        self._noted = False

    def emit(self, event: Any) -> None:
        """Write the event down and send it; what does not work is noted once."""
        self._file.add(Serde.to_json(event))
        if self._endpoint is not None:
            self._endpoint.add(event)
            self._note_trouble(self._endpoint)

    def close(self, timeout: float = -1) -> bool:
        """Wait a little for the endpoint; return whether it has all events."""
        if self._endpoint is None:
            return True
        self._endpoint.close()
        self._note_trouble(self._endpoint)
        return self._endpoint.trouble is None

    def _note_trouble(self, endpoint: Endpoint) -> None:
        if endpoint.trouble is not None and not self._noted:
            self._noted = True
            progress.note(
                f"warning: lineage events are no longer sent to {endpoint.place}: {endpoint.trouble}"
            )


def _http(url: str, timeout_s: float) -> dict[str, Any]:
    """Return the configuration of the client's HTTP transport; the client's own variables hold the rest."""
    once = {"total": 0, "read": False, "status_forcelist": []}
    config: dict[str, Any] = {"url": url, "timeout": timeout_s, "retry": once}
    if path := os.environ.get("OPENLINEAGE_ENDPOINT"):
        config["endpoint"] = path
    if key := os.environ.get("OPENLINEAGE_API_KEY"):
        config["auth"] = {"type": "api_key", "apiKey": key}
    return config


def _reason(error: Exception) -> str:
    """Return why it failed, without what a library's message may show: URLs, headers, keys."""
    if isinstance(error, HTTPError) and error.response is not None:
        return f"it answered {error.response.status_code}"
    if isinstance(error, Timeout):
        return "it did not answer in time"
    if isinstance(error, ConnectionError):
        return "it cannot be reached"
    told = error.strerror if isinstance(error, OSError) else None
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
