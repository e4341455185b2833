"""`perennial domains score`: how good domains are."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.tasks.kumo.scoring import DomainCheck
    from perennial.tasks.kumo.training import DomainSplit


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
    from perennial.flows.stages.workspace import available_threads
    from perennial.tasks.kumo.scoring import score_domain
    from perennial.tasks.kumo.validation import refuse_unsafe

    configs = [choose_domain(name)[0] for name in domains]
    for config in configs:
        refuse_unsafe(config)
    scored = []
    for name, config in zip(domains, configs, strict=True):
        checks = score_domain(config, instances, seed, available_threads())
        scored.append((name, config.name, config.category, checks))
        if not as_json:
            _print_checks(f"{config.name} ({config.category or 'no category'})", checks)
    if as_json:
        documents = [
            {"domain": name, "title": title, "category": category, "checks": list(map(_as_json, checks))}
            for name, title, category, checks in scored
        ]
        typer.echo(json.dumps({"instances": instances, "seed": seed, "domains": documents}, indent=2))
    raise typer.Exit(int(any(check.verdict == "bad" for *_, checks in scored for check in checks)))


def _as_json(check: "DomainCheck") -> dict[str, object]:
    remedy = "" if check.verdict == "good" else check.remedy
    texts = {"verdict": check.verdict, "text": check.text, "remedy": remedy}
    return {"name": check.name, "value": round(check.value, 6), **texts}


def _print_checks(title: str, checks: "list[DomainCheck]") -> None:
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


# `perennial domains split`: two configurations of one domain that share nothing.


_NAMED = 5  # of what is cut or dropped, printed; --json has all


def split(
    domain: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help="Bundled domain, or a configuration's .json file.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the two configurations.")],
    method: Annotated[
        str,
        typer.Option(
            help="components: connected components dealt alternately (the paper's text); balanced: the "
            "largest first, each to the smaller side (the sizes of the release); bisection: the weakest "
            "connections are cut, for domains that are one component."
        ),
    ] = "components",
    accept_cut: Annotated[
        bool,
        typer.Option(
            "--accept-cut", help="Write the sides where more than 10% of the relations are cut too."
        ),
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Split a domain into two that share no truth and no action: one to train on (IND), one to test on (OOD).

    The data root is not read. The files are domains for `perennial refresh --domains FILE`.
    """
    from perennial.flows.console.input_files import require_folder, show_path, write_lines
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.schemas.errors import UnusableConfig, count
    from perennial.tasks.kumo.training import METHODS, SIDES, describe_overlap, split_domain
    from perennial.tasks.kumo.validation import refuse_unsafe

    config, _ = choose_domain(domain)
    refuse_unsafe(config)
    require_folder("--out", out)
    chosen = next((name for name in METHODS if name == method), method)
    made = split_domain(config, chosen, accept_cut=accept_cut)  # type: ignore[arg-type]
    if problems := describe_overlap(made):
        raise UnusableConfig(f"domain {config.name!r}: the sides are not disjoint: {problems[0]}")
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{Path(domain).stem}_{name.lower()}.json" for name in SIDES]
    for path, side in zip(paths, made.sides, strict=True):
        write_lines(path, [json.dumps(side.as_json(), ensure_ascii=False, indent=1)])
    report = _describe(made, method, paths)
    if as_json:
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False))
        return
    console = Terminal(soft_wrap=True)
    components = ", ".join(map(str, sorted(made.components, reverse=True)))
    console.print(f"{count(len(made.components), 'connected component')} of {components} truths; {method}")
    for entry, path in zip(report["sides"], paths, strict=True):
        findings = ", ".join(f"{number} {rule}" for rule, number in entry["findings"].items()) or "none"
        console.print(
            f"{entry['name']}: {entry['truths']} truths, {entry['actions']} actions; findings: {findings}; "
            f"{show_path(path)}"
        )
    console.print("disjoint: no truth and no action in both, no action relates to a truth of the other side")
    console.print(f"cut: {made.cut_text}")
    _print_named(console, "rule-out", [f"{action} > {truth}" for action, truth in made.cut])
    _print_named(console, "truth", list(made.dropped))


def _describe(made: "DomainSplit", method: str, paths: list[Path]) -> JsonObject:
    from perennial.tasks.kumo.validation import validate_config

    sides = [
        {
            "name": side.name,
            "file": str(path),
            "truths": len(side.truths),
            "actions": len(side.actions),
            # Half a domain has fewer than a domain needs: `split_domain` has checked what instances need.
            "findings": Counter(issue.rule for issue in validate_config(side, min_truths=0, min_actions=0)),
        }
        for side, path in zip(made.sides, paths, strict=True)
    ]
    return {
        "method": method,
        "components": list(made.components),
        "sides": sides,
        "relations": made.relations,
        "cut": [list(pair) for pair in made.cut],
        "dropped": list(made.dropped),
    }


def _print_named(console: Terminal, what: str, names: list[str]) -> None:
    from perennial.schemas.errors import count

    if names:
        listed = "; ".join(names[:_NAMED]) + (f"; {len(names) - _NAMED:,} more" if names[_NAMED:] else "")
        console.print(f"left out: {count(len(names), what)}: {listed}")
