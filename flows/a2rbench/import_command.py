"""`perennial import a2rbench`: import items of the authors' release of A2RBench."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.schemas.errors import count

if TYPE_CHECKING:
    from perennial.flows.a2rbench.release import ImportedEdition


def a2rbench(
    path: Annotated[Path, typer.Argument(help="JSON Lines of items, or a folder with seeds.jsonl.")],
    edition: Annotated[str, typer.Option(help="Name of the edition.")] = "a2rbench-import",
    accept_weak_sandbox: Annotated[
        bool,
        typer.Option(
            "--accept-weak-sandbox",
            help="Run the code even if nothing protects this machine from it (see `perennial doctor`).",
        ),
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import items of the form that A2RBench's authors publish as an edition, for models to be evaluated on.

    The code of each line runs in the sandbox: where it gives the published outputs and its inverse the
    inputs, and no simpler rule of the catalogue gives another answer, the line becomes an item, a symbolic
    one with a copy in other letters where the rule allows that. All lines are kept in a2rbench_published;
    `rejections` says what does not hold. Importing the same twice changes nothing.

    Example: perennial import a2rbench seeds.jsonl --edition a2rbench-2025
    """
    from perennial.flows.a2rbench.edition import protect
    from perennial.flows.a2rbench.release import find_lines, import_lines
    from perennial.flows.run.process_pool import spread_over
    from perennial.schemas.settings.form import require_edition_name
    from perennial.warehouse.lock import lock_root

    require_edition_name(edition)
    console = Terminal(soft_wrap=True, stderr=as_json)
    store = data_root(root, may_begin=True)
    lines = find_lines(path)
    protection = protect(accept_weak=accept_weak_sandbox)
    with lock_root(store, f"import {edition}", console.print), show_steps("import") as step:
        done = import_lines(
            store,
            edition,
            lines,
            protection,
            spread_over(None),
            lambda number: step(f"{number:,} of {len(lines):,} lines run"),
        )
    if done is None:
        console.print(f"edition {edition} was imported from the same lines before: nothing to do")
    else:
        _print(console, edition, done)
    if as_json:
        document = {"edition": edition, "new": done is not None, **(asdict(done) if done else {})}
        print_json(document)
    console.print(f"next: perennial evaluate {edition} --players MODEL,search,guesser,identity,nearest")


def _print(console: Terminal, edition: str, done: "ImportedEdition") -> None:
    console.print(
        f"published {edition}: {count(done.items, 'item')} of {count(done.lines, 'line')}, "
        f"{done.copies:,} in other letters too"
    )
    console.print(f"{done.not_commuting:,} of {count(done.symbolic, 'symbolic item')} do not commute")
    if done.rejected:
        listed = ", ".join(f"{number:,} {rule}" for rule, number in done.rejected.items())
        console.print(f"left out: {listed} (table rejections)")
