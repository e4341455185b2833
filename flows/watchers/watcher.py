"""Who watches a refresh or an evaluation: artifacts, lineage events, notices. None ever stops it."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from perennial.flows.console import progress
from perennial.flows.console.interrupts import Interrupted
from perennial.flows.console.progress import calls_text
from perennial.flows.console.row_formats import figure
from perennial.schemas.errors import PerennialError
from perennial.schemas.plan import Plan
from perennial.schemas.rows import JsonObject
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.ledger import ledger
from perennial.warehouse.store.store import Store


class Watcher:
    """Told what a refresh does, step by step; each method does nothing unless it is overridden."""

    def unit_started(self, root: str, plan: Plan) -> None:
        """The plan of an edition or an evaluation stands, and its stages begin."""

    def stage_started(self, stage: str, batches: int) -> None:
        """A stage of so many batches begins."""

    def batch_done(self, stage: str, done: int, counts: dict[str, int]) -> None:
        """One more batch of the stage is done, `done` of them so far; `counts` are its rows by table."""

    def stage_done(self, stage: str, counts: dict[str, int]) -> None:
        """The stage is done; `counts` are all its rows by table."""

    def published(self, counts: dict[str, int]) -> None:
        """The edition or evaluation is published; `counts` are its rows by table."""

    def ended(self) -> None:
        """All that was asked for is published."""

    def failed(self, error: BaseException) -> None:
        """It ends with something unpublished; it may have ended before its plan was written."""


def _pass_on(step: str) -> Any:
    """Return the method of `Watchers` that passes this step on."""

    def tell(self: "Watchers", *values: object) -> None:
        self.tell(step, values)

    return tell


class Watchers(Watcher):
    """Passes each step on to several watchers, whatever happens to the others.

    The first failure of each is noted, and ignored: the edition matters more.
    """

    unit_started = _pass_on("unit_started")
    stage_started = _pass_on("stage_started")
    batch_done = _pass_on("batch_done")
    stage_done = _pass_on("stage_done")
    published = _pass_on("published")
    ended = _pass_on("ended")
    failed = _pass_on("failed")

    def __init__(self, watchers: Sequence[Watcher] = ()) -> None:
        self._watchers = tuple(watchers)
        self._failed: set[str] = set()

    def tell(self, step: str, values: tuple[object, ...]) -> None:
        """Call the method `step` of each watcher."""
        for watcher in self._watchers:
            try:
                getattr(watcher, step)(*values)
            except Exception as error:  # noqa: BLE001  whatever it is
                name = type(watcher).__name__
                if name not in self._failed:
                    self._failed.add(name)
                    progress.note(f"warning: {name} failed and is ignored: {error!r}")


@contextmanager
def report_failure(watching: Sequence[Watcher]) -> Iterator[None]:
    """Tell all who watch of whatever ends the block, an interrupt included, and let it pass on."""
    try:
        yield
    except BaseException as error:
        for watcher in watching:
            watcher.failed(error)
        raise


# Tell a webhook how a refresh ended: one JSON document, posted once it is published or has failed.
#
# A notice is never fatal. Paths and queries of webhook URLs hold secrets: only the host is ever named.

TIMEOUT_S = 10.0
_PAUSE_S = 1.0
# Of a setting's players, in the text.
_MOST_SHOWN = 10


@contextmanager
def notice_of_failure(url: str, root: str, plan: Plan) -> Iterator[None]:
    """Tell the webhook where the block, which comes before the work on this plan, fails."""
    try:
        yield
    except PerennialError as error:
        notices = Notices(url, root, plan.benchmark, plan.edition, plan.code_version)
        notices.unit_started(root, plan)
        notices.failed(error)
        raise


class Notices(Watcher):
    """Sends the end of a refresh to a webhook; without a URL it does nothing."""

    def __init__(self, url: str, root: str, benchmark: str, edition: str, code_version: str) -> None:
        self._url, self._root = url, root
        self._counts: Counter[str] = Counter()
        self._units: list[str] = []
        self._known: JsonObject = {
            "benchmark": benchmark,
            "edition": edition or None,
            "root": without_credentials(root),
            "code_version": code_version,
        }

    def unit_started(self, root: str, plan: Plan) -> None:
        """Remember what it is for the message at the end."""
        self._units.append(plan.unit)
        self._known |= {
            "edition": plan.edition,
            "evaluation": split_unit(plan.unit)[1] or None,
            "benchmark": plan.benchmark,
            "code_version": plan.code_version,
        }

    def published(self, counts: dict[str, int]) -> None:
        """Remember the rows."""
        self._counts.update(counts)

    def ended(self) -> None:
        """Tell of the edition and its evaluation: their rows, the scores and what they cost."""
        if self._url:
            results = _read_results(self._root, self._units)
            self._post({"event": "published", "counts": dict(self._counts), **results, "error": None})

    def failed(self, error: BaseException) -> None:
        """Tell why there is no edition."""
        message = str(error) or "interrupted; the same command, or the next scheduled run, resumes it"
        document = {"type": type(error).__name__, "message": message, "exit_code": _exit_code(error)}
        self._post({"event": "failed", "counts": {}, "error": document})

    def crashed(self, reason: str) -> None:
        """Send that the process of a refresh is gone without an error message."""
        error = {"type": "Crashed", "message": reason, "exit_code": None}
        self._post({"event": "failed", "counts": {}, "error": error})

    def _post(self, news: JsonObject) -> None:
        """Post the document, a second time if need be, and note why nobody took it."""
        if not self._url:
            return
        document = {**self._known, **news, "at": datetime.now(UTC).isoformat()}
        document["text"] = _in_words(document)
        problem = self._try_post(document)
        if problem:
            time.sleep(_PAUSE_S)
            problem = self._try_post(document)
        if problem:
            host = urlsplit(self._url).hostname
            progress.note(f"warning: the webhook at {host} did not receive the message: {problem}")

    def _try_post(self, document: JsonObject) -> str:
        """Post once; a thread of its own holds the whole exchange to the time limit."""
        outcome = [f"no answer within {TIMEOUT_S:.0f} s"]

        def exchange() -> None:
            outcome[0] = self._exchange(document)

        thread = threading.Thread(target=exchange, daemon=True)
        thread.start()
        thread.join(TIMEOUT_S)
        return outcome[0]

    def _exchange(self, document: JsonObject) -> str:
        import httpx

        try:
            # Not followed where it leads elsewhere: the document is for this host alone.
            answer = httpx.post(self._url, json=document, timeout=TIMEOUT_S, follow_redirects=False)
        except Exception as error:  # noqa: BLE001  its text may hold the URL, so that only its class is named
            return type(error).__name__
        return "" if answer.is_success else f"it answered {answer.status_code}"


def _read_results(root: str, units: Sequence[str]) -> JsonObject:
    """The published scores of the players of these units, in the leaderboard's order, and the calls' cost."""
    catalog = open_catalog(Store(root))
    edition = quote(split_unit(units[-1])[0])
    evaluations = ", ".join(quote(split_unit(unit)[1]) for unit in units)
    scores = catalog.records(
        "SELECT setting, rank, player, success_rate, success_rate_low, success_rate_high FROM leaderboard "
        f"WHERE edition = {edition} AND player IN "
        f"(SELECT player FROM episodes WHERE edition = {edition} AND evaluation IN ({evaluations})) "
        "ORDER BY setting, place, player"
    )
    _, [(calls, cost, unpriced)] = catalog.query(
        "SELECT count(*), coalesce(sum(cost_usd), 0), count(*) FILTER (cost_usd IS NULL) FROM calls "
        f"WHERE edition = {edition} AND evaluation IN ({evaluations})"
    )
    return {
        "scores": scores,
        "calls": calls,
        "known_cost_usd": cost,
        "calls_of_unknown_cost": unpriced,
    }


def _in_words(document: JsonObject) -> str:
    """What Slack, Mattermost and Google Chat show of the message: their key `text`, with `&<>` escaped."""
    name = document["edition"] or document["benchmark"]
    if document["error"]:
        return escape(f"perennial: {name} failed: {document['error']['message']}", quote=False)
    spent = calls_text(document["calls"], document["calls_of_unknown_cost"], document["known_cost_usd"])
    lines = [f"perennial: {name} is published; {spent}"]
    for setting, scores in groupby(document["scores"], key=itemgetter("setting")):
        listed = [f"{score['player']} {figure(score, 'success_rate')}" for score in scores]
        more = [f"and {len(listed) - _MOST_SHOWN} more"] if len(listed) > _MOST_SHOWN else []
        lines.append(f"{setting}: {', '.join(listed[:_MOST_SHOWN] + more)}")
    return escape("\n".join(lines), quote=False)


def without_credentials(root: str) -> str:
    """Return the data root without what a URL may hold of secrets: its user and its query."""
    return ledger.without_credentials(root) if "://" in root else root


def _exit_code(error: BaseException) -> int:
    if isinstance(error, PerennialError | Interrupted):
        return error.exit_code
    if isinstance(error, Exception):
        return 1
    # Prefect's TerminationSignal says which one it was; KeyboardInterrupt is always the same.
    return 128 + int(getattr(error, "signal", signal.SIGINT))
