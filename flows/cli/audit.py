"""`perennial audit`: check published editions again."""

import json
import sys
from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal


def audit(
    edition: Annotated[str | None, typer.Argument(help="The edition. Default: every published one.")] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Audit published tables again; exit code 4 if an expectation is not met.

    Example: perennial audit kumo-2026-11-20
    """
    from flows.editions.audit import audit_edition, editions_to_audit, require_held

    store = data_root(root)
    console = Terminal(stderr=as_json, soft_wrap=True)
    results = {}
    for name in editions_to_audit(store, edition):
        told, broken = audit_edition(store, name)
        results[name] = {"summary": told, "broken": broken}
        console.print(f"{name}: {told}")
    if as_json:
        sys.stdout.write(json.dumps({"editions": results}, indent=1) + "\n")
    require_held({name: tuple(result["broken"]) for name, result in results.items()}, store)
