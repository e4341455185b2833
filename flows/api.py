"""What `import perennial` offers: data roots, editions, evaluations, and functions as players.

The commands of the same names call the same functions, so options, limits, resuming and rows are equal. Runs
go without Prefect. Errors are `PerennialError`s, whose `exit_code` is that of the command.
"""

import asyncio
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from perennial.flows.cli.run.refresh import (
    evaluate_players,
    execute_plainly,
    find_evaluated,
    load_evaluation,
    make_each,
)
from perennial.flows.console.root_option import data_root
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.rows import JsonObject
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import open_catalog, visible_editions
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb

    from perennial.flows.export.source import Games
    from perennial.schemas.practice import PracticeQuestion
    from perennial.schemas.settings.model_entry import ModelEntry

Message = Mapping[str, str]
# What a function returns: its text, or that and the usage as in a chat completion.
Answer = str | tuple[str, dict[str, int]]
Result = TypeVar("Result")
_MOST_BYTES = 64_000_000


@dataclass(frozen=True)
class FunctionPlayer:
    """A function as a player: it gets the messages of a question and returns the reply.

    The function may be asynchronous. At most `concurrency` calls of it run at once; a plain function is
    called from threads. What it raises is a failed call, whose error holds the words of the exception.
    """

    name: str
    function: Callable[[Sequence[Message]], Any]
    concurrency: int = 1


@dataclass(frozen=True)
class PublishedEvaluation:
    """Published answers to an edition; its figures stand beside those of the edition's other evaluations."""

    edition: "PublishedEdition"
    name: str

    @property
    def leaderboard(self) -> "duckdb.DuckDBPyRelation":
        """The edition's rows of view `leaderboard`."""
        return self.edition.leaderboard

    @property
    def episodes(self) -> "duckdb.DuckDBPyRelation":
        """The episodes of this evaluation, rows of view `episodes_wide`."""
        edition, evaluation = map(quote, split_unit(self.name))
        sql = f"FROM episodes_wide WHERE edition = {edition} AND evaluation = {evaluation}"
        return self.edition.root.sql(sql)


@dataclass(frozen=True)
class PublishedEdition:
    """A published edition of a data root."""

    root: "DataRoot"
    name: str

    @property
    def leaderboard(self) -> "duckdb.DuckDBPyRelation":
        """Its rows of view `leaderboard`: each player's rates with intervals, by setting."""
        return self.root.sql(f"FROM leaderboard WHERE edition = {quote(self.name)}")

    def evaluate(
        self,
        players: Sequence[str | FunctionPlayer | Callable[..., Any]],
        *,
        name: str = "",
        instances: int = 0,
        yes: bool = False,
        **settings: object,
    ) -> PublishedEvaluation:
        """Let players answer it, as `perennial evaluate` does, and return what is published.

        `settings` are the command's options by name, such as `runs`, `max_calls`, `max_cost`, `base_url`.
        """
        with _as_models(players) as (names, entries):
            flags = {"benchmark": None, **settings, "root": self.root.path, "players": names}
            store, growth = find_evaluated(flags, self.name)
            chosen = load_evaluation(flags, growth).add_entries(entries)
            unit = _run(
                lambda: evaluate_players(
                    store, chosen, name, instances, Terminal(stderr=True), execute_plainly, yes=yes
                )
            )
        return PublishedEvaluation(self, unit)

    def report(self, path: str | Path = "reports") -> Path:
        """Write its report, one HTML page, into the folder and return the page's path."""
        from perennial.flows.editions.report import report_data
        from perennial.flows.editions.report_files import write_page

        return write_page(report_data(self.root.store, self.name), Path(path))

    def games(self) -> "Games":
        """Return its questions, to be played from your own program."""
        from perennial.flows.export.source import open_games

        return open_games(self.root.path, self.name)


@dataclass(frozen=True)
class DataRoot:
    """A data root: a folder, or a URL such as s3://bucket/folder."""

    store: Store

    @property
    def path(self) -> str:
        """The folder or URL."""
        return self.store.root

    @property
    def editions(self) -> list[PublishedEdition]:
        """Its editions, the oldest first, without those that were withdrawn."""
        return [PublishedEdition(self, name) for name in visible_editions(self.store)]

    def edition(self, name: str = "latest") -> PublishedEdition:
        """Return the edition of that name; latest~1 is the one before the newest."""
        return PublishedEdition(self, select_unit(self.store, name, visible_editions(self.store)))

    def sql(self, query: str) -> "duckdb.DuckDBPyRelation":
        """Return a DuckDB relation of one statement that reads tables and views: .df(), .pl(), .arrow().

        It reads what is published now. Raises QueryFailed for SQL that is wrong or does more than read.
        """
        return open_catalog(self.store).relate(query)

    def refresh(
        self,
        benchmark: str = "kumo",
        *,
        players: Sequence[str | FunctionPlayer | Callable[..., Any]] = (),
        yes: bool = False,
        **settings: object,
    ) -> PublishedEdition:
        """Grow and publish an edition and its first evaluation, as `perennial refresh` does.

        `settings` are the command's options by name, such as `size`, `edition`, `seed`, `private_share`.
        """
        from perennial.schemas.settings.several import load_each

        with _as_models(players) as (names, entries):
            flags = {**settings, "benchmark": benchmark, "root": self.path, "players": names or None}
            (chosen, *others) = load_each(flags)
            if others:
                raise InvalidOption(f"benchmark {benchmark!r}: name one; each call grows one edition")
            chosen.add_entries(entries)
            console = Terminal(stderr=True)
            (outcome,) = _run(lambda: make_each([chosen], flags, console, execute_plainly, yes=yes))
        return PublishedEdition(self, outcome.edition)


def open_root(root: str | Path | None = None) -> DataRoot:
    """Return the data root; None: the one that commands use here."""
    return DataRoot(data_root(None if root is None else str(root), may_begin=True))


def sample(
    benchmark: str, count: int, *, seed: int = 0, root: str | None = None, **parameters: object
) -> "list[PracticeQuestion]":
    """Return practice questions, as `perennial sample` draws them; none is one of the root's editions."""
    from perennial.flows.practice.draw import draw_questions

    return list(islice(draw_questions(benchmark, seed, root, 0, **parameters), count))


def _run(work: Callable[[], Result]) -> Result:
    """Return what the work returns, from a thread where an event loop runs here, as in a notebook.

    An interrupt lets the calls in flight end, as they are paid for, and raises KeyboardInterrupt.
    """
    import typer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            return work()
        except typer.Exit:
            raise KeyboardInterrupt from None
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(copy_context().run, work).result()
    except KeyboardInterrupt:
        from perennial.flows.stages.model_calls import take_steps

        take_steps(PerennialError("interrupted"))
        raise
    finally:
        pool.shutdown(wait=False)


# Functions are served to the same client that asks any model: ledger, limits and rows need no second way.


@contextmanager
def _as_models(
    players: Sequence[str | FunctionPlayer | Callable[..., Any]],
) -> "Iterator[tuple[list[str], dict[str, ModelEntry]]]":
    """Yield the players' names, and for each function an entry as of models.toml; it is served meanwhile."""
    from perennial.schemas.settings.model_entry import ModelEntry

    if isinstance(players, str):
        raise InvalidOption(f"players {players!r}: expected a list of names and functions")
    names: list[str] = []
    entries: dict[str, ModelEntry] = {}
    with ExitStack() as stack:
        for player in players:
            if isinstance(player, str):
                names.append(player)
                continue
            chosen = (
                player if isinstance(player, FunctionPlayer) else FunctionPlayer(_name_of(player), player)
            )
            url, key = stack.enter_context(_serve(chosen))
            names.append(chosen.name)
            entries[chosen.name] = ModelEntry(
                base_url=url,
                headers={_WORD_HEADER: key},
                concurrency=chosen.concurrency,
                prompt_usd_per_million=0.0,
                completion_usd_per_million=0.0,
            )
        yield names, entries


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    if not callable(function) or not name.isidentifier():
        raise InvalidOption(f"player {function!r}: expected a name, a function or a perennial.FunctionPlayer")
    return name


# Else any program of this machine could ask the function.
_WORD_HEADER = "X-Perennial-Run"


@contextmanager
def _serve(player: FunctionPlayer) -> Iterator[tuple[str, str]]:
    """Yield the base URL on this machine where the function answers, and the word that it wants to see."""
    key = secrets.token_urlsafe()
    loop = asyncio.new_event_loop()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, player, key, loop))
    server.daemon_threads = True
    threads = [
        threading.Thread(target=target, daemon=True) for target in (loop.run_forever, server.serve_forever)
    ]
    for thread in threads:
        thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", key
    finally:
        server.shutdown()
        server.server_close()
        loop.call_soon_threadsafe(loop.stop)
        for thread in threads:
            thread.join()
        loop.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers POST /v1/chat/completions by the function."""

    protocol_version = "HTTP/1.1"

    def __init__(
        self, player: FunctionPlayer, key: str, loop: asyncio.AbstractEventLoop, *connection: Any
    ) -> None:
        self._player, self._key, self._loop = player, key, loop
        super().__init__(*connection)

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        if not secrets.compare_digest(self.headers.get(_WORD_HEADER, ""), self._key) or size > _MOST_BYTES:
            self.close_connection = True
            self._send(403, {"error": {"message": "not for you"}})
            return
        try:
            answer = self._ask(json.loads(self.rfile.read(size))["messages"])
        except Exception as error:  # noqa: BLE001 - whatever the function raises is a failed call
            words = f"{type(error).__name__}: {error}"
            self._send(400, {"error": {"message": words, "type": "player_failed"}})
            return
        text, usage = (answer, {}) if isinstance(answer, str) else answer
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body: JsonObject = {"object": "chat.completion", "model": self._player.name, "choices": [choice]}
        self._send(200, {**body, "usage": usage} if usage else body)

    def _ask(self, messages: Sequence[Message]) -> Answer:
        answer: Any = self._player.function(messages)
        if asyncio.iscoroutine(answer):
            answer = asyncio.run_coroutine_threadsafe(answer, self._loop).result()
        if isinstance(answer, str):
            return answer
        if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], str):
            return answer[0], dict(answer[1])
        raise TypeError(f"expected a text, or a text and its usage, got {type(answer).__name__}")

    def _send(self, status: int, document: JsonObject) -> None:
        content = json.dumps(document).encode()
        with suppress(ConnectionError):  # the client has given up: a time limit, an interrupt
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_words: Any) -> None:
        """Write nothing: the ledger has each call."""
