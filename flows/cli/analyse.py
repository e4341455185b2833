"""`perennial analyse`: compute an edition's statistics again, without any model call."""

from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal


def analyse(
    edition: Annotated[
        str | None, typer.Argument(help="The edition. Default: all that are not withdrawn.")
    ] = None,
    root: RootOption = None,
) -> None:
    """Compute statistics again: after new external scores, or with a newer perennial.

    The published files are not changed; the new figures are stored separately, and the views show them.

    Example: perennial analyse kumo-2026-11-20
    """
    from flows.editions.analyse import analyse_editions

    analyse_editions(data_root(root), edition, Terminal(soft_wrap=True).print)
