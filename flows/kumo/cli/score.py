"""`perennial domains score`: how good domains are."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.terminal import Terminal

if TYPE_CHECKING:
    from perennial.tasks.kumo.scoring import Check

_STYLES = {"good": "green", "look": "yellow", "bad": "red"}


def score(
    domains: Annotated[
        list[str], typer.Argument(metavar="NAME|FILE...", help="Bundled domains, or paths of .json files.")
    ],
    instances: Annotated[int, typer.Option(min=5, max=10_000, help="Instances per setting to solve.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the instances.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    root: RootOption = None,
) -> None:
    """Score domains: spread of difficulty, redundancy, early decisions, what gives answers away.

    Each check has a figure, a verdict (good, look, bad) and what to do. Exit code 1 where one is bad.
    """
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.flows.stages.threads import available_threads
    from perennial.tasks.kumo.scoring import score_domain
    from perennial.tasks.kumo.validation import refuse_unsafe

    configs = [choose_domain(name)[0] for name in domains]
    for config in configs:
        refuse_unsafe(config)
    found = []
    for name, config in zip(domains, configs, strict=True):
        checks = score_domain(config, instances, seed, available_threads())
        found.append((name, config.name, config.category, checks))
        if not as_json:
            _print_checks(f"{config.name} ({config.category or 'no category'})", checks)
    if as_json:
        documents = [
            {"domain": name, "title": title, "category": category, "checks": list(map(_as_json, checks))}
            for name, title, category, checks in found
        ]
        typer.echo(json.dumps({"instances": instances, "seed": seed, "domains": documents}, indent=2))
    raise typer.Exit(int(any(check.verdict == "bad" for *_, checks in found for check in checks)))


def _as_json(check: "Check") -> dict[str, object]:
    remedy = "" if check.verdict == "good" else check.remedy
    return {
        "name": check.name,
        "value": round(check.value, 6),
        "verdict": check.verdict,
        "text": check.text,
        "remedy": remedy,
    }


def _print_checks(title: str, checks: "list[Check]") -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", title=Text(title), title_justify="left")
    table.add_column("check", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("what it says", overflow="fold")
    for check in checks:
        advice = "" if check.verdict == "good" else f". To do: {check.remedy}"
        table.add_row(
            check.name,
            f"{check.value:.3f}",
            Text(check.verdict, style=_STYLES[check.verdict]),
            Text(check.text + advice),
        )
    Terminal().print(table)
