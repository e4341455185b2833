"""`perennial serve`: refresh on a schedule, until it is stopped."""

import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.messages import is_verbose, log
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal
from perennial.flows.serve.free_space import when_full
from perennial.flows.serve.prefect_environment import configure_serving, prefect_home
from perennial.flows.watchers.watcher import without_credentials
from perennial.schemas.errors import InvalidOption, RootLocked
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.serve.embedded_server import EmbeddedServer
    from perennial.schemas.settings import RefreshSettings

DEFAULT_CRON = "0 3 1 */2 *"
_DEFAULT_PORT = 4200
_NO_SERVER = (
    "the embedded Prefect server has ended: see server.log in Prefect's folder of the data root (.prefect), "
    "and serve again; staged work is kept"
)


def serve(
    root: RootOption = None,
    cron: Annotated[
        str, typer.Option(help="When a refresh starts: minute, hour, day, month, weekday.")
    ] = DEFAULT_CRON,
    every: Annotated[
        float | None, typer.Option(help="Seconds between refreshes, instead of --cron.", min=1)
    ] = None,
    timezone: Annotated[str, typer.Option(help="Time zone of --cron, such as Europe/Berlin.")] = "UTC",
    port: Annotated[
        int,
        typer.Option(
            help="Port of the embedded server and its pages. Default: 4200, or a free one.", min=0, max=65535
        ),
    ] = 0,
    site: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the website there, as `perennial site` does.")
    ] = None,
) -> None:
    """Run refreshes on a schedule until Ctrl-C; analyse and audit on demand.

    Settings of the refresh come from perennial.toml and the environment. With PREFECT_API_URL that Prefect
    server is used; without, an embedded one is started, with its pages and a link that opens them.

    Example: perennial serve --root data --cron "0 3 1 */2 *" --timezone Europe/Berlin
    """
    from perennial.schemas.settings.several import load_each

    all_settings = load_each({"root": root}, "serve")
    location = all_settings[0].root
    if "://" not in location:  # processes in other folders open it too
        location = os.path.abspath(location)
    if site is not None:
        from perennial.flows.website.build import keep_site

        keep_site(Store(location), site)
    _refuse_what_cannot_recur(all_settings, Store(location))
    is_new = "://" not in location and not os.path.exists(location)
    os.environ["PERENNIAL_ROOT"] = location
    configure_serving(location, is_verbose())
    with _only_one(prefect_home(location)):
        _serve(location, (cron, timezone, every), port, Terminal(soft_wrap=True), is_new=is_new)


def _serve(
    root: str, when: tuple[str, str, float | None], port: int, console: Terminal, *, is_new: bool
) -> None:
    import asyncio

    from perennial.flows.serve.child_runs import DOCS_FOLDER, DOCS_VARIABLE, PARENT_VARIABLE, end_runs
    from perennial.flows.serve.embedded_server import EmbeddedServer

    def tell(text: str) -> None:
        console.print(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC  {text}")
        log(text)

    os.environ[PARENT_VARIABLE] = str(os.getpid())
    with EmbeddedServer(prefect_home(root), scheduling=True, port=_choose_port(port)) as server:
        # Not before: Prefect reads at its first import where its server is. It imports while that starts.
        from perennial.flows.serve.serve import Serving, Timetable

        if server.is_own:
            os.environ[DOCS_VARIABLE] = str(prefect_home(root) / DOCS_FOLDER)
        timetable = Timetable(*when)
        timetable.schedule()  # raises for a time that does not exist
        new = " (a new data root: the folder did not exist)" if is_new else ""
        tell(f"serving {without_credentials(root)}{new}; Ctrl-C ends it")
        serving = Serving(root, timetable, owns_server=server.is_own)
        server.wait_ready()
        server.when_ended(lambda: _leave(_NO_SERVER))
        home = prefect_home(root)
        with (
            when_full(home, lambda error: _leave(str(error), error.exit_code)),
            _sign_in_file(server, home) as file,
        ):
            tell(f"Prefect's pages: {_describe_pages(server, file, console)}")
            try:
                asyncio.run(serving.until_stopped(tell))
            finally:
                end_runs()
        tell("stopped")


def _describe_pages(server: "EmbeddedServer", file: Path, console: Terminal) -> str:
    """Where Prefect's pages are. A terminal gets the link with its secret; a log does not."""
    if not server.is_own:
        return without_credentials(server.pages)
    if console.is_terminal:
        return server.sign_in_link
    return f"{server.pages}, opened by the link in {file}"


@contextmanager
def _sign_in_file(server: "EmbeddedServer", home: Path) -> Iterator[Path]:
    """Keep the link that opens an own server's pages in a file for this user alone, until the end."""
    file = home / "pages.link"
    file.unlink(missing_ok=True)
    if server.is_own:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as link:
            link.write(f"{server.sign_in_link}\n")
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _leave(why: str, exit_code: int = 1) -> None:
    """Leave at once: no server answers any more, or nobody can note how a run ended."""
    from perennial.flows.serve.child_runs import leave

    sys.stderr.write(f"perennial: error: {why}\n")
    leave(exit_code)


def _refuse_what_cannot_recur(all_settings: "Sequence[RefreshSettings]", store: Store) -> None:
    """Raise what a refresh with these settings would raise before its work: now, and not in two months."""
    from perennial.flows.refresh.several import prepare_each

    if edition := all_settings[0].edition:
        raise InvalidOption(
            f"edition {edition!r}: a schedule names its editions by date; take the setting out of "
            "perennial.toml or the environment (PERENNIAL_EDITION)"
        )
    prepare_each(all_settings, store)
    store.require_conditional_writes()


def _choose_port(wanted: int) -> int:
    """The wanted port, else the usual one, else any free one; 0 if a Prefect server is given."""
    from perennial.flows.serve.embedded_server import free_port

    if os.environ.get("PREFECT_API_URL"):
        return 0
    try:
        return free_port(wanted or _DEFAULT_PORT)
    except OSError as error:
        if wanted:
            raise InvalidOption(
                f"--port {wanted} cannot be used ({error.strerror}): choose another, or leave it out"
            ) from None
        return free_port()


@contextmanager
def _only_one(home: Path) -> Iterator[None]:
    """Hold the root for this process alone; raise RootLocked where another one serves it already."""
    with (home / "serve.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise RootLocked(
                f"another `perennial serve` serves this data root (process {file.read().strip()}): stop it "
                f"first, or give another --root ({file.name})"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
