"""`perennial web`: the explorer over a data root, or a study, in a browser."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal
from perennial.flows.web.address import DEFAULT_PORT, Address, Site, check_address, open_port
from perennial.schemas.errors import InvalidOption, add_extra


def web(
    root: RootOption = None,
    host: Annotated[str, typer.Option(help="Address to serve at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port to serve at; 0 is any free one.", min=0, max=65535)
    ] = DEFAULT_PORT,
    study: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show this study to participants, and nothing else.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate of the host, in PEM.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="Key of the certificate, in PEM.")
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front ends TLS and passes the header Host on.")
    ] = False,
) -> None:
    """Show a data root in a browser, until Ctrl-C: leaderboards, instances, transcripts, SQL.

    It reads what is published and writes nothing. It has no password: open it only to people who
    may read the data root. It serves this machine alone unless --host names another address, which needs TLS.

    Example: perennial web --root data --port 8600
    """
    address = Address(host, port, tls_cert, tls_key, behind_proxy)
    check_address(address)
    if find_spec("streamlit") is None:
        raise InvalidOption(f"`perennial web` needs more packages: {add_extra('web')}")
    store = data_root(root)
    if store.local_folder is not None and not store.local_folder.exists():
        note = f"note: {store.local_folder} does not exist: nothing is published there"
        Terminal(soft_wrap=True).print(note)
    beside: AbstractContextManager[None] = nullcontext()
    if study is not None:
        from perennial.flows.study.desk import StudyDesk
        from perennial.flows.study.upkeep import keep_up
        from perennial.warehouse.study.ledger import study_file

        desk = StudyDesk(study, store)  # what is wrong with it is better said here than to participants
        desk.close()
        beside = keep_up(study_file(store, desk.study.name))
    where = store.root if store.local_folder is None else str(store.local_folder)
    with open_port(address) as listening, beside:
        from perennial.flows.web.server import serve

        console = Terminal(soft_wrap=True)
        site = Site(where, None if study is None else str(study.absolute()))
        title = "explorer of" if study is None else f"study {study} with"
        number = serve(
            site, address, listening, lambda url: console.print(f"{title} {where}: {url} (Ctrl-C ends it)")
        )
        console.print("stopped")
    # A visitor's page may still be computed in a thread: the end of Python aborts where DuckDB is at work.
    sys.stdout.flush()
    os._exit(128 + number)
