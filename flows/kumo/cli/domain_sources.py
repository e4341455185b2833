"""`perennial domains new`, `build`, `world` and `counterfactual`: domains that are written here."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.input_files import show_path, write_lines
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal
from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.schemas.errors import InvalidOption, count
from perennial.schemas.kumo.things import CATEGORIES
from perennial.warehouse.kumo.domains.generate import (
    ACTIONS,
    CONFIG,
    FACTS,
    build_config,
    read_sources,
    seed_json,
)
from perennial.warehouse.kumo.domains.starter import starter_actions, starter_facts

_JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
SPARSE = "K,B such as 8,0.1: an action keeps what it says about one of K communities, about others B of it."
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,79}")


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the folder, such as tide_pools.")],
    category: Annotated[
        str, typer.Option(help="Its category. Those of the bundled domains: " + ", ".join(CATEGORIES) + ".")
    ] = "Other",
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Start a domain of your own: a folder with a table of facts and a description of actions.

    The two files hold a small example with comments; `perennial domains build` makes the configuration.
    """
    if not _NAME.fullmatch(name):
        raise InvalidOption(
            f"domain {name!r}: expected a name of letters, digits, _ and - such as tide_pools, which begins "
            "with a letter"
        )
    if not category.strip() or not category.isprintable():
        raise InvalidOption(f"--category {category!r}: expected a word such as {CATEGORIES[0]}")
    folder = Path(name)
    try:
        folder.mkdir()
        (folder / FACTS).write_text(starter_facts(), encoding="utf-8")
        (folder / ACTIONS).write_text(starter_actions(name, category.strip()), encoding="utf-8")
    except FileExistsError:
        raise InvalidOption(f"folder {name!r} exists: choose another name, or remove it first") from None
    except OSError as error:
        raise InvalidOption(
            f"folder {name!r}: {error.strerror}; change to a folder that you can write"
        ) from None
    _print_result(
        f"{name}/{FACTS} and {name}/{ACTIONS}: edit them, then `perennial domains build {name}`",
        {"folder": name, "files": [f"{name}/{FACTS}", f"{name}/{ACTIONS}"]},
        as_json,
    )


def build(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help=f"Folder with {FACTS} and {ACTIONS}.")],
    out: Annotated[Path | None, typer.Option(help=f"File to write. Default: {CONFIG} in the folder.")] = None,
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Make a domain's seed configuration from its table of facts and its actions."""
    from perennial.tasks.kumo.validation import validate_config

    if not folder.is_dir():
        raise InvalidOption(
            f"{show_path(folder)}: no such folder; begin one with `perennial domains new {folder.name}`"
        )
    config = build_config(*read_sources(folder), show_path(folder))
    target = out or folder / CONFIG
    write_lines(target, seed_json(config).splitlines())
    findings = validate_config(config)
    severities = [finding.severity for finding in findings]
    errors, warnings = severities.count("error"), severities.count("warning")
    sizes = {"truths": len(config.truths), "actions": len(config.actions)}
    label = show_path(target)
    next_step = f"perennial domains validate {label}" if findings else f"perennial domains score {label}"
    _print_result(
        f"{label}: {count(sizes['truths'], 'truth')}, {count(sizes['actions'], 'action')}, "
        f"{count(errors, 'error')}, {count(warnings, 'warning')}; next: `{next_step}`",
        {"out": label, "domain": config.name, **sizes, "errors": errors, "warnings": warnings},
        as_json,
    )


def world(
    seed: Annotated[int, typer.Option(min=0, help="Seed; an edition draws its worlds with its own.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON.")],
    index: Annotated[int, typer.Option(min=0, help="Which of the seed's worlds.")] = 0,
    sparse: Annotated[
        str, typer.Option(help=f"{SPARSE} dense keeps all rules. mixed alternates, as editions do.")
    ] = "mixed",
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Write a synthetic world's configuration: the same seed, index and sparsity give the same file."""
    from perennial.tasks.kumo.worlds import check_sparse, draw_world

    check_sparse(sparse)
    drawn = draw_world(seed, index, sparse)
    write_lines(out, seed_json(drawn.config).splitlines())
    config = drawn.config
    sizes = {"truths": len(config.truths), "actions": len(config.actions)}
    _print_result(
        f"{show_path(out)}: {config.name} ({drawn.kind}), {count(sizes['truths'], 'truth')}, "
        f"{count(sizes['actions'], 'action')}",
        {"out": show_path(out), "domain": config.name, "kind": drawn.kind, **sizes},
        as_json,
    )


def counterfactual(
    domain: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Bundled domain, or a .json file.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed; an edition exchanges facts with its own.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON.")],
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Write a domain's counterfactual: its names, with its facts exchanged among the truths.

    It prints the share of facts whose exchange changes which outcomes rule a truth out.
    """
    from perennial.tasks.kumo.validation import refuse_unsafe
    from perennial.tasks.kumo.worlds import make_counterfactual, share_changed

    config, _ = choose_domain(domain)
    if config.is_counterfactual:
        raise InvalidOption(f"domain {config.name!r} is counterfactual already: name the true domain")
    refuse_unsafe(config)
    made = make_counterfactual(config, seed)
    write_lines(out, seed_json(made).splitlines())
    share = share_changed(config, made)
    _print_result(
        f"{show_path(out)}: {made.name}, {share:.1%} of its facts differ in what rules the truth out",
        {"out": show_path(out), "domain": made.name, "share_changed": share},
        as_json,
    )


def sparse(
    domain: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Bundled domain, or a .json file.")],
    keep: Annotated[str, typer.Option("--sparse", metavar="K,B", help=SPARSE)],
    out: Annotated[Path, typer.Option(help="File to write, JSON.")],
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Write a domain that has lost most of its rules, so that its truths form communities.

    Facts are dropped and none is invented. It prints density and modularity of the domain graph.
    """
    from perennial.tasks.kumo.statistics import communities
    from perennial.tasks.kumo.validation import refuse_unsafe
    from perennial.tasks.kumo.worlds import Sparsity, make_sparse

    config, _ = choose_domain(domain)
    refuse_unsafe(config)
    made = make_sparse(config, str(Sparsity.parse(keep)))
    graph = communities(made, 0)
    write_lines(out, seed_json(made).splitlines())
    _print_result(
        f"{show_path(out)}: {made.name}, density {graph.density:.2f}, modularity {graph.modularity or 0:.2f}",
        {
            "out": show_path(out),
            "domain": made.name,
            "density": graph.density,
            "modularity": graph.modularity,
        },
        as_json,
    )


def _print_result(line: str, document: dict[str, object], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(document, indent=2))
    else:
        Terminal(soft_wrap=True).print(line)
