"""`perennial site`: all visible editions as a static website."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root
from perennial.flows.console.input_files import show_path
from perennial.flows.console.output_places import require_folder
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.errors import count


def site(
    folder: Annotated[Path, typer.Argument(help="Folder of the website: new, empty, or built before.")],
    root: RootOption = None,
    trial: Annotated[
        list[str] | None,
        typer.Option(metavar="EDITION", help="Also show this edition of `perennial try`. Repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was built as JSON.")] = False,
) -> None:
    """Build a static website of all visible editions, for any host or for opening from disk.

    A leaderboard and an example per benchmark, pages per edition and model, downloads with checksums,
    scores.json, a feed, seeds. Private instances, secret seeds and editions that `perennial try` grew are
    left out. Run it again after a refresh: it writes what changed and
    removes what is gone.

    Example: perennial site public
    """
    from perennial.flows.website.build import build_site

    console = Terminal(soft_wrap=True, stderr=as_json)
    store = existing_root(root)
    require_folder("FOLDER", folder)
    with show_steps("site") as step:
        built = build_site(store, folder, step, trial or ())
    page = folder / "index.html" if built.editions else folder
    console.print(
        f"website of {count(built.editions, 'edition')}: {show_path(page)} "
        f"({count(built.written, 'file')} written, {built.kept:,} unchanged, {built.removed:,} removed)"
    )
    if as_json:
        sys.stdout.write(json_text({"folder": str(folder), **asdict(built)}) + "\n")
