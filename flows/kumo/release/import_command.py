"""`perennial import kumo`: import the KUMO authors' release."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, print_json

if TYPE_CHECKING:
    from perennial.warehouse.editions.publish import Publication
    from perennial.warehouse.kumo.release.layout import Skipped

_SHOWN = 10


def kumo(
    path: Annotated[Path, typer.Argument(help="A clone of the KUMO authors' repository.")],
    domains: Annotated[
        str | None, typer.Option(help="Only these domains, separated by commas, such as MedicalEnv.")
    ] = None,
    models: Annotated[str | None, typer.Option(help="Only these models, separated by commas.")] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import the KUMO authors' release as edition kumo-2025-release.

    Their modules are read, never executed; defects are kept and listed in `rejections`. A file or line
    that cannot be read, and any link, is skipped and named. Importing the same twice changes nothing.

    Example: perennial import kumo ../kumo --domains MedicalEnv,MusicEnv
    """
    from perennial.flows.kumo.release.import_release import EDITION, import_release, show_import_progress
    from perennial.schemas.settings.form import split_names

    console = Terminal(soft_wrap=True, stderr=as_json)
    store = data_root(root, may_begin=True)
    started = time.monotonic()
    with show_import_progress(console) as advance:
        done = import_release(
            store,
            path,
            domains=split_names(domains or ""),
            models=split_names(models or ""),
            tell=console.print,
            on_progress=advance,
        )
    if done is None:
        console.print(f"edition {EDITION} was imported from the same files before: nothing to do")
    else:
        _print(console, EDITION, *done, time.monotonic() - started)
    if as_json:
        counts, skipped = ({}, ()) if done is None else (done[0].counts, done[1])
        document = {"edition": EDITION, "published": counts, "skipped": [skip.warning for skip in skipped]}
        print_json(document)


def _print(
    console: Terminal, edition: str, publication: "Publication", skipped: "Sequence[Skipped]", seconds: float
) -> None:
    for entry in skipped[:_SHOWN]:
        console.print(f"warning: {entry.warning}")
    if skipped:
        console.print(f"{len(skipped):,} files or lines were skipped: table rejections names each")
    counts = ", ".join(f"{number:,} {name}" for name, number in publication.counts.items() if number)
    console.print(f"published in {seconds:.1f} s: {counts}")
    console.print(f"next: perennial query \"FROM leaderboard WHERE edition = '{edition}'\"")
