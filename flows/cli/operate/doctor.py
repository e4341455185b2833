"""`perennial doctor`: is everything as it should be, and what is to be done where it is not?"""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal, json_text, printable

if TYPE_CHECKING:
    from perennial.flows.doctor.check import Check

_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red"}
_WIDTH = 7  # of the longest status


def doctor(
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also start an embedded Prefect server, as a test.")
    ] = False,
) -> None:
    """Check versions, Prefect, model endpoint, root, ledger, and all published and staged data.

    Nothing is changed. Each check prints one line: ok, warning or failed, what was found, and what to do.

    Exit code: 0 if nothing failed, else the code of the most severe failure, in this order:

    8: data is damaged.

    2: something cannot be read or written.

    9: the root is locked.

    6: the model endpoint does not work.

    5: the clock is behind what is published.

    1: versions, or Prefect.

    Example: perennial doctor --root warehouse/data
    """
    from perennial.flows.doctor.check import exit_code_of
    from perennial.flows.doctor.checks import looks
    from perennial.schemas.settings import load_settings

    settings = load_settings({"root": root}, "doctor")
    lines = Terminal(soft_wrap=True)
    checks = []
    with show_steps("doctor") as step:
        for look in looks(settings, deep=deep):
            step(f"checking {look.name}")
            checks.append(look.run())
            if not as_json:
                _print(lines, checks[-1])
    code = exit_code_of(checks)
    if as_json:
        document = {"root": settings.root, "exit_code": code, "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json_text(document) + "\n")
    raise typer.Exit(code)


def _print(lines: Terminal, check: "Check") -> None:
    from rich.text import Text

    remedy = f"; to do: {check.remedy}" if check.remedy else ""
    lines.print(
        Text(f"{check.status:<{_WIDTH}}  ", style=_STYLES[check.status])
        + Text(printable(f"{check.name}: {check.seen}{remedy}"))
    )
