"""`perennial benchmarks`: what is installed, from which package, and whether it keeps to the contract."""

import sys
from dataclasses import asdict
from importlib.metadata import entry_points
from typing import Annotated

import typer

from perennial.flows.cli.look.query import print_entries
from perennial.flows.console.row_formats import Format, FormatOption, JsonOption, choose_format
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.benchmark import GROUP, benchmarks
from perennial.schemas.errors import InvalidOption, count

_BROKEN = 1
_COLUMNS = ("benchmark", "package", "version", "entry point")


def list_benchmarks(
    check: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Check this benchmark: grow, play, report, export, reproduce."),
    ] = None,
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """List the installed benchmarks with their packages, or check one against the contract.

    The check works on a small edition in a temporary folder, without a model; its exit code is 1 where
    something is broken.

    Example: perennial benchmarks --check kumo
    """
    format_ = choose_format(format_, as_json)
    if check is None:
        print_entries(_COLUMNS, _read_packages(), format_)
        return
    if format_ is Format.csv:
        raise InvalidOption("--format csv: --check prints a table or JSON")
    _check(check, as_json=format_ is Format.json)


def _read_packages() -> list[tuple[str, ...]]:
    known = benchmarks()
    found: list[tuple[str, ...]] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: list(known).index(entry.name)):
        package = ("", "") if entry.dist is None else (entry.dist.name, entry.dist.version)
        found.append((entry.name, *package, entry.value))
    return found


def _check(name: str, *, as_json: bool) -> None:
    from perennial.flows.contract.run import check_benchmark

    console = Terminal(stderr=as_json, soft_wrap=True)
    outcomes = []
    with show_steps("benchmarks") as step:
        for outcome in check_benchmark(name, lambda check: step(f"checking {check}")):
            outcomes.append(outcome)
            verdict = outcome.error and f"FAILED: {outcome.error}"
            console.print(f"{outcome.check:<14} {verdict or 'ok'}", markup=False, highlight=False)
    broken = [outcome for outcome in outcomes if outcome.error]
    if as_json:
        document = {"benchmark": name, "checks": [asdict(one) for one in outcomes]}
        sys.stdout.write(json_text(document) + "\n")
    told = f"breaks {count(len(broken), 'check')}" if broken else f"passes {count(len(outcomes), 'check')}"
    console.print(f"benchmark {name} {told}")
    if broken:
        raise typer.Exit(_BROKEN)
