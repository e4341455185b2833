"""`perennial domains import`: the KUMO authors' domains as files, repaired where that invents nothing."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.input_files import show_path
from perennial.flows.console.output_places import require_folder, write_lines
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.terminal import Terminal
from perennial.flows.kumo.cli.file_reports import LINES_PRINTED, FileReport, as_document, print_reports
from perennial.flows.kumo.release.domain_files import FoundDomain, read_domains
from perennial.schemas.errors import InvalidOption, count
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.validation import validate_config
from perennial.warehouse.kumo.domains.generate import seed_json

_SHOWN = 5  # lines of a kind for each of several domains


def import_domains(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A clone of the KUMO authors' repository.", show_default=False),
    ],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Only these, such as MedicalEnv.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to write NAME.json into; it is made.")] = Path("domains"),
    goal: Annotated[
        str, typer.Option(help="What a player is to find. Default: made of the domain's name.")
    ] = "",
    truth_noun: Annotated[str, typer.Option(help="What a truth is, such as disease.")] = "",
    action_noun: Annotated[str, typer.Option(help="What an action is, such as test.")] = "",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write the domains of the KUMO authors' repository as configurations.

    Their modules are parsed, never executed. What can be repaired without inventing anything is: each change
    is printed, and below it what validation finds in the file. Exit code 0: all were written; 1: some cannot
    be sampled, and were not.
    """
    names = list(names or ())
    words = {
        key: text
        for key, text in (("goal", goal), ("truth_noun", truth_noun), ("action_noun", action_noun))
        if text
    }
    if words and len(names) != 1:
        option = "--" + next(iter(words)).replace("_", "-")
        raise InvalidOption(f"{option} is of one domain, {len(names) or 'all'} are imported: name one")
    require_folder("--out", out)
    found = read_domains(path, names, words)
    reports = [_report(one, out) for one in found]
    written = {report.path: report.config for report in reports if report.config is not None}
    _write(written)
    if as_json:
        typer.echo(json.dumps(as_document(reports), indent=2))
    else:
        print_reports(reports, LINES_PRINTED if len(found) == 1 else _SHOWN)
        left_out = len(found) - len(written)
        Terminal(soft_wrap=True).print(
            f"{count(len(written), 'domain')} written to {show_path(out)}, {left_out} left out; next: "
            + (f"`perennial refresh --domains {next(iter(written))}`" if written else "see the errors above")
        )
    raise typer.Exit(int(len(written) < len(found)))


def _report(domain: FoundDomain, out: Path) -> FileReport:
    path = show_path(out / f"{domain.name}.json")
    if domain.config is None:
        return FileReport(
            path, problem=f"{domain.name} is left out: {domain.problem}", changes=domain.changes
        )
    return FileReport(path, domain.config, validate_config(domain.config), changes=domain.changes)


def _write(configs: Mapping[str, SeedConfig]) -> None:
    """Write the files, none where one of them is there with another content."""
    texts = {Path(path): seed_json(config) for path, config in configs.items()}
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text.encode("utf-8"):
            raise InvalidOption(
                f"{show_path(path)} exists and differs: name another folder with --out, or remove it"
            )
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, text.splitlines())
