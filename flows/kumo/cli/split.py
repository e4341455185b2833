"""`perennial domains split`: two configurations of one domain that share nothing."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.terminal import Terminal
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.tasks.kumo.training import DomainSplit

_NAMED = 5  # of what is cut or dropped, printed; --json has all


def split(
    domain: Annotated[
        str, typer.Argument(metavar="DOMAIN", help="Bundled domain, or a configuration's .json file.")
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
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Split a domain into two that share no truth and no action: one to train on (IND), one to test on (OOD).

    The data root is not read. The files are domains for `perennial refresh --domains FILE`.
    """
    from perennial.flows.console.input_files import show_path
    from perennial.flows.console.output_places import require_folder, write_lines
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.schemas.errors import UnusableConfig, count
    from perennial.tasks.kumo.training import METHODS, SIDES, describe_overlap, split_domain
    from perennial.tasks.kumo.validation import refuse_unsafe

    config, _ = choose_domain(domain)
    refuse_unsafe(config)
    require_folder("--out", out)
    chosen = next((known for known in METHODS if known == method), method)
    made = split_domain(config, chosen)  # type: ignore[arg-type]
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
        found = ", ".join(f"{number} {rule}" for rule, number in entry["findings"].items()) or "none"
        console.print(
            f"{entry['name']}: {entry['truths']} truths, {entry['actions']} actions; findings: {found}; "
            f"{show_path(path)}"
        )
    console.print("disjoint: no truth and no action in both, no action relates to a truth of the other side")
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
            "findings": Counter(found.rule for found in validate_config(side, min_truths=0, min_actions=0)),
        }
        for side, path in zip(made.sides, paths, strict=True)
    ]
    return {
        "method": method,
        "components": list(made.components),
        "sides": sides,
        "cut": [list(pair) for pair in made.cut],
        "dropped": list(made.dropped),
    }


def _print_named(console: Terminal, what: str, names: list[str]) -> None:
    from perennial.schemas.errors import count

    if names:
        shown = "; ".join(names[:_NAMED]) + (f"; {len(names) - _NAMED:,} more" if names[_NAMED:] else "")
        console.print(f"left out: {count(len(names), what)}: {shown}")
