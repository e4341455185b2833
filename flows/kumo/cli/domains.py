"""`perennial domains`: list, check and score domains, write new ones."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.console.input_files import json_files, show_path
from flows.console.root_option import RootOption, data_root
from flows.console.row_formats import Format, FormatOption, JsonOption, choose_format, print_rows
from flows.console.terminal import Terminal
from flows.kumo.cli.domain_sources import build, new, world
from flows.kumo.cli.score import score
from flows.kumo.cli.split import split
from flows.kumo.planning.domain_choice import load_bundled, read_config_file
from schemas.errors import UnreadableInput, count
from schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Finding, SeedConfig
from tasks.kumo.validation import RULES, one_to_one_share, validate_config
from warehouse.kumo.bundled_domains import bundled_domains
from warehouse.kumo.published_domains import domain_uses

domains = typer.Typer(
    name="domains",
    help="List, check and score domains, and write new ones.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial domains list",
)
domains.command(epilog="Example: perennial domains split medical_diagnosis --method bisection --out split")(
    split
)
domains.command(epilog="Example: perennial domains new tide_pools --category Zoology")(new)
domains.command(epilog="Example: perennial domains build tide_pools")(build)
domains.command(epilog="Example: perennial domains world --seed 7 --index 3 --out world.json")(world)
domains.command(epilog="Example: perennial domains score music_identification tide_pools/config.json")(score)

Status = Literal["clean", "warnings", "errors", "unreadable"]

_FINDINGS_PRINTED = 200  # of one severity in one file; --json has them all
_EXIT_CODES: dict[Status, int] = {
    "clean": 0,
    "warnings": 0,
    "errors": 1,
    "unreadable": UnreadableInput.exit_code,
}


@dataclass(frozen=True)
class FileReport:
    """What was found in one file; `problem` says why an unreadable one has no configuration."""

    path: str
    config: SeedConfig | None = None
    findings: list[Finding] = field(default_factory=list)
    problem: str | None = None

    def of(self, severity: str) -> list[Finding]:
        """Return the findings of that severity."""
        return [found for found in self.findings if found.severity == severity]

    @property
    def unsafe(self) -> int:
        """Number of findings for which sampling refuses the configuration."""
        return sum(RULES[found.rule].unsafe for found in self.findings)

    @property
    def status(self) -> Status:
        """The worst that was found."""
        if self.config is None:
            return "unreadable"
        if self.of("error"):
            return "errors"
        return "warnings" if self.findings else "clean"


def _print_rules(wanted: bool) -> None:
    if not wanted:
        return
    for name, rule in RULES.items():
        kind = "unsafe" if rule.unsafe else rule.severity
        typer.echo(f"{name:<23} {kind:<8} {rule.summary}")
    typer.echo("\nunsafe: an error for which sampling refuses the configuration.")
    raise typer.Exit


@domains.command(epilog="Example: perennial domains validate my_domain.json more/ --min-truths 40")
def validate(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, or folders: all *.json files in them.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    min_truths: Annotated[
        int, typer.Option(min=0, help="A configuration with fewer truths is an error.")
    ] = MIN_TRUTHS,
    min_actions: Annotated[
        int, typer.Option(min=0, help="A configuration with fewer actions is an error.")
    ] = MIN_ACTIONS,
    rules: Annotated[
        bool, typer.Option("--rules", help="List the rules and exit.", is_eager=True, callback=_print_rules)
    ] = False,
    root: RootOption = None,
) -> None:
    """Check seed configurations against every rule. Nothing of the data root is read.

    Exit code 0: no errors (warnings do not count); 1: errors; 2: a file cannot be read.
    """
    reports = [report for path in paths for report in check_path(path, min_truths, min_actions)]
    if as_json:
        typer.echo(json.dumps(_as_json(reports), indent=2))
    else:
        _print_reports(reports)
    raise typer.Exit(max(_EXIT_CODES[report.status] for report in reports))


@domains.command(name="list", epilog="Example: perennial domains list --json")
def list_domains(
    root: RootOption = None,
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """List the domains that come with perennial, and how many editions of the data root hold each."""
    configs = {name: load_bundled(name) for name in bundled_domains()}
    uses = domain_uses(data_root(root))
    rows = [_domain_row(name, config, uses.get(config.domain_id, 0)) for name, config in configs.items()]
    form = choose_format(format_, as_json)
    if form is Format.table:
        _print_domains(rows)
    else:
        print_rows(list(rows[0]), [tuple(row.values()) for row in rows], form)


def check_path(path: Path, min_truths: int, min_actions: int) -> Iterator[FileReport]:
    """Yield the report of a file, or of each *.json file in a folder; raises nothing for unreadable ones."""
    try:
        files = json_files(path)
    except UnreadableInput as error:
        yield FileReport(show_path(path), problem=str(error))
        return
    for file in files:
        try:
            config = read_config_file(file)
        except UnreadableInput as error:
            yield FileReport(show_path(file), problem=str(error))
        else:
            findings = validate_config(config, min_truths=min_truths, min_actions=min_actions)
            yield FileReport(show_path(file), config, findings)


def _as_json(reports: list[FileReport]) -> dict[str, object]:
    return {
        "files": [_report_json(report) for report in reports],
        "summary": {status: sum(r.status == status for r in reports) for status in _EXIT_CODES},
    }


def _report_json(report: FileReport) -> dict[str, object]:
    record: dict[str, object] = {"path": report.path, "status": report.status}
    if report.config is None:
        return {**record, "error": report.problem}
    errors, warnings = len(report.of("error")), len(report.of("warning"))
    return {
        **record,
        "domain": report.config.name,
        "counts": {**_sizes(report.config), "errors": errors, "warnings": warnings, "unsafe": report.unsafe},
        "one_to_one_share": one_to_one_share(report.config),
        "findings": [_finding_json(found) for found in report.findings],
    }


def _finding_json(found: Finding) -> dict[str, object]:
    return {
        "rule": found.rule,
        "severity": found.severity,
        "unsafe": RULES[found.rule].unsafe,
        "action": found.action,
        "state": found.state,
        "message": found.message,
    }


def _sizes(config: SeedConfig) -> dict[str, int]:
    states = sum(len(outcome.states) for outcome in config.outcomes)
    return {"truths": len(config.truths), "actions": len(config.actions), "states": states}


def _domain_row(name: str, config: SeedConfig, editions: int) -> dict[str, object]:
    row = {"name": name, "title": config.name, "category": config.category, **_sizes(config)}
    return {**row, "editions": editions}


def _print_reports(reports: list[FileReport]) -> None:
    console = Terminal(soft_wrap=True)
    for report in reports:
        if report.problem is not None:
            Terminal(stderr=True, soft_wrap=True).print(f"perennial: error: {report.problem}")
            continue
        console.print(_summary_lines(report))
        _print_findings(console, "Errors", "red", report.of("error"))
        _print_findings(console, "Warnings", "yellow", report.of("warning"))
    console.print(_total_line(reports))


def _summary_lines(report: FileReport) -> str:
    assert report.config is not None
    found = ", ".join(count(len(report.of(severity)), severity) for severity in ("error", "warning"))
    refused = f"; sampling refuses it for {report.unsafe} of them" if report.unsafe else ""
    sizes = ", ".join(f"{count} {what}" for what, count in _sizes(report.config).items())
    share = f"{one_to_one_share(report.config):.0%} of rule-out sets are one-to-one"
    return f"{report.path}: {found}{refused}\n  {sizes}; {share}"


def _print_findings(console: Terminal, title: str, style: str, findings: list[Finding]) -> None:
    from textwrap import TextWrapper

    if not findings:
        return
    wrapper = TextWrapper(
        max(console.width, 40),
        initial_indent="    ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.print(f"  {title}", style=style)
    for found in findings[:_FINDINGS_PRINTED]:
        console.print("\n".join(wrapper.wrap(f"{found.rule}: {found.message}")))
    if len(findings) > _FINDINGS_PRINTED:
        console.print(f"    and {len(findings) - _FINDINGS_PRINTED:,} more; --json prints all of them")


def _total_line(reports: list[FileReport]) -> str:
    counts = {status: sum(report.status == status for report in reports) for status in _EXIT_CODES}
    return (
        f"{count(len(reports), 'file')}: {counts['clean']} clean, {counts['warnings']} with warnings, "
        f"{counts['errors']} with errors, {counts['unreadable']} unreadable"
    )


def _print_domains(rows: list[dict[str, object]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    texts, numbers = ("name", "category"), ("truths", "actions", "states", "editions")
    for heading in texts:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*(str(row[heading]) for heading in (*texts, *numbers)))
    Terminal().print(table)
