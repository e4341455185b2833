"""`perennial analyse`: compute an edition's statistics again, without any model call."""

import sys
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal, json_text


def analyse(
    edition: Annotated[
        str | None, typer.Argument(help="The edition. Default: all that are not withdrawn.")
    ] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was computed as JSON.")] = False,
) -> None:
    """Compute statistics again: after new external scores, or with a newer perennial.

    The published files are not changed; the new figures are stored separately, and the views show them.

    Example: perennial analyse kumo-2026-11-20
    """
    from perennial.flows.editions.analyse import analyse_editions

    console = Terminal(soft_wrap=True, stderr=as_json)
    with show_steps("analyse") as step:
        statistics = analyse_editions(data_root(root), edition, console.print, step)
    if as_json:
        sys.stdout.write(json_text({"statistics": statistics}) + "\n")
