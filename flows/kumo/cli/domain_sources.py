"""`perennial domains new`, `build`, `world`, `propose` and others: domains that are written here."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.input_files import (
    read_text_file,
    require_file_place,
    require_folder,
    show_path,
    write_lines,
)
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal
from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.schemas.errors import InvalidOption, count
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.things import CATEGORIES
from perennial.schemas.rows import JsonObject
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.kumo.domains.generate import (
    ACTIONS,
    CONFIG,
    FACTS,
    build_config,
    read_sources,
    seed_json,
    starter_actions,
    starter_facts,
)
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from perennial.flows.stages.model_calls import ModelSession
    from perennial.schemas.kumo.plan import AuthoringPlan
    from perennial.schemas.kumo.settings import KumoSettings
    from perennial.schemas.kumo.things import Proposal

Result = TypeVar("Result")

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


# `perennial domains propose` and `configure`: a model as author, one reviewable file after each step.


_CALL_SETTINGS = (
    *("author", "author_temperature", "author_max_tokens"),
    *("base_url", "models_file", "concurrency", "timeout", "max_calls", "max_cost"),
)
_FINDINGS_SHOWN = 5  # per domain; --json has them all


def author_fields(*names: str) -> "Mapping[str, FieldInfo]":
    """These settings of a refresh, and those of an author's calls, for a command that has them too."""
    from perennial.schemas.kumo.settings import KumoSettings

    return {name: KumoSettings.model_fields[name] for name in (*names, *_CALL_SETTINGS)}


def propose(
    values: JsonObject,
    out: Annotated[Path, typer.Option(help="File to write, JSON Lines: a proposal per line, to be edited.")],
    wanted: Annotated[
        int | None,
        typer.Option(
            "--count", min=1, max=1_000, help="Domains to propose. Default: 3, or as --categories says."
        ),
    ] = None,
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Have a model propose domains, unlike those that are bundled or in editions of the data root.

    Edit the file, remove lines or add your own, then let `perennial domains configure` write the
    configurations. Replies are kept in the data root: the same command again asks nothing twice.

    Example: perennial domains propose --author gpt-4.1 --count 5 --categories Music --out proposals.jsonl
    """
    from perennial.flows.kumo.author_domains import list_known_domains
    from perennial.tasks.kumo.authors.proposal import Proposed, proposal_line, propose_domains

    require_file_place("--out", out)
    store = data_root(root, may_begin=True)
    settings, plan = _read_author(values, store, wanted)
    existing = list_known_domains(store, published_editions(store))

    async def work(session: "ModelSession") -> Proposed:
        calls = session.batch()
        return await propose_domains(
            calls,
            plan.choice("proposer"),
            plan.proposals,
            plan.categories,
            existing,
            ask_json=session.json_asker(calls),
        )

    proposed = _author("propose", settings, store, plan, [], work)
    if proposed.proposals:
        _write_unless_edited(out, [proposal_line(proposal) for proposal in proposed.proposals])
    refused = [f"{refusal.subject}: {refusal.message}" for refusal in proposed.rejections]
    lines = [f"{proposal.name} ({proposal.category}): {proposal.goal}" for proposal in proposed.proposals]
    lines += [f"refused: {line}" for line in refused]
    if proposed.shortfall:
        lines.append(f"warning: {proposed.shortfall}")
    number = len(proposed.proposals)
    next_step = f"; next: edit it, then `perennial domains configure {show_path(out)} --out domains`"
    lines.append(f"{show_path(out)}: {count(number, 'proposal')}" + next_step * bool(number))
    document = {"out": show_path(out), "proposals": number, "refused": refused}
    _print_result("\n".join(lines), document, as_json)
    raise typer.Exit(int(not number))


def configure(
    values: JsonObject,
    proposals: Annotated[
        Path, typer.Argument(metavar="PROPOSALS", help="File that `perennial domains propose` wrote.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write a .json file per domain into; it is made.")],
    root: RootOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Have a model write the configuration of each proposal, and repair what the validator refuses.

    It prints what was refused and why. Exit code 0: all were written; 1: some were not. Replies are kept in
    the data root: the same command again asks nothing twice.

    Example: perennial domains configure proposals.jsonl --author gpt-4.1 --out domains
    """
    from perennial.flows.kumo.author_domains import configure_proposals, list_known_truths
    from perennial.tasks.kumo.authors.configurations import Configured
    from perennial.tasks.kumo.authors.proposal import read_proposals

    require_folder("--out", out)
    store = data_root(root, may_begin=True)
    kept = read_proposals(read_text_file(proposals), show_path(proposals))
    settings, plan = _read_author(values, store, len(kept))
    known_truths = list_known_truths(store, published_editions(store))

    async def work(session: "ModelSession") -> list[Configured]:
        return await configure_proposals(session, session.batch(), plan, kept, known_truths)

    configured = _author("configure", settings, store, plan, kept, work)
    lines, domains = [], []
    for proposal, domain in zip(kept, configured, strict=True):
        # Any letters of any script, so that two names that differ give two files.
        stem = re.sub(r"\W+", "_", proposal.name.lower()).strip("_") or "domain"
        file = out / f"{stem}.json"
        entry: JsonObject = {"domain": proposal.name, "status": domain.status, "versions": domain.versions}
        title = f"{proposal.name}: {domain.status}, {count(domain.versions, 'version')}"
        if domain.config is not None:
            out.mkdir(parents=True, exist_ok=True)
            _write_unless_edited(file, seed_json(domain.config).splitlines())
            sizes = {"truths": len(domain.config.truths), "actions": len(domain.config.actions)}
            entry |= {"file": show_path(file), **sizes, "warnings": list(domain.warnings)}
            title += f", {sizes['truths']} truths, {sizes['actions']} actions; {show_path(file)}"
        findings = list(dict.fromkeys(f"{refusal.rule}: {refusal.message}" for refusal in domain.rejections))
        domains.append({**entry, "refused": findings})
        lines += [title, *(f"    {finding}" for finding in findings[:_FINDINGS_SHOWN])]
        hidden = len(findings) - _FINDINGS_SHOWN
        lines += [f"    and {hidden:,} more; --json prints all of them"] * (hidden > 0)
    written = sum(domain.config is not None for domain in configured)
    lines.append(f"{count(written, 'domain')} of {len(configured)} written to {show_path(out)}")
    if written:
        lines[-1] += f"; next: `perennial refresh --domains {show_path(out)}`"
    _print_result("\n".join(lines), {"out": show_path(out), "domains": domains}, as_json)
    raise typer.Exit(int(written < len(configured)))


def _read_author(
    values: JsonObject, store: Store, proposals: int | None
) -> "tuple[KumoSettings, AuthoringPlan]":
    """The settings and who authors, once its models are known to be callable."""
    from typing import cast

    from perennial.flows.refresh.models import check_models, look_up
    from perennial.schemas.kumo.settings import KumoSettings
    from perennial.schemas.settings import load_settings

    # A flag goes before the roles that perennial.toml names one by one.
    roles = dict.fromkeys(("proposer", "configurer"), values["author"])
    flags = {"categories": [], **values, **roles, "propose": proposals, "root": store.root}
    settings = cast(KumoSettings, load_settings(flags, "domains"))
    if not (settings.author or (settings.proposer and settings.configurer)):
        raise InvalidOption("no model is named to author domains: name one with --author")
    plan = settings.authoring(has_domains=False)
    choices = [plan.choice_of(model) for model in dict.fromkeys((plan.proposer, plan.configurer))]
    check_models(settings, find_benchmark("kumo"), choices, (), store, needs_key=True, protocol={})
    look_up(settings, store, choices, lambda text: Terminal(stderr=True, soft_wrap=True).print(text))
    return settings, plan


def _author(
    name: str,
    settings: "KumoSettings",
    store: Store,
    plan: "AuthoringPlan",
    proposals: "Sequence[Proposal]",
    work: "Callable[[ModelSession], Awaitable[Result]]",
) -> Result:
    """Do the work with a client open; limits are of all calls of this command, earlier runs included."""
    from perennial.flows.console import progress
    from perennial.flows.stages.model_calls import run_calls

    # No edition has a name in brackets; what others author counts for their own limits.
    unit = f"({content_id('domains', name, asdict(plan), [asdict(proposal) for proposal in proposals])})"
    with progress.show_on(Terminal(stderr=True)), progress.stage(name, 1) as advance:
        result = run_calls(store, unit, settings.call_policy(), work)
        advance({})
    return result


def _write_unless_edited(path: Path, lines: list[str]) -> None:
    """Write the file; refuse to replace one with another content, which somebody may have edited."""
    text = "".join(f"{line}\n" for line in lines)
    if path.exists() and read_text_file(path) != text:
        raise InvalidOption(
            f"--out {show_path(path)} exists and differs: name another place, or remove it first"
        )
    write_lines(path, lines)
