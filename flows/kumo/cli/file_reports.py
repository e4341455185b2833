"""What validation finds in files of seed configurations, as text and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from perennial.flows.console.input_files import json_files, require_folder, show_path, write_lines
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal, wrap_words
from perennial.flows.kumo.planning.domain_choice import read_config_file
from perennial.flows.kumo.release.domain_files import FoundDomain, read_domains
from perennial.schemas.errors import InvalidOption, UnreadableInput, count
from perennial.schemas.kumo.things import Finding, SeedConfig
from perennial.tasks.kumo.validation import RULES, one_to_one_share, validate_config
from perennial.warehouse.kumo.domains.generate import seed_json

Status = Literal["clean", "warnings", "errors", "unreadable"]

LINES_PRINTED = 200  # of one severity in one file; --json has them all
EXIT_CODES: dict[Status, int] = {
    "clean": 0,
    "warnings": 0,
    "errors": 1,
    "unreadable": UnreadableInput.exit_code,
}


@dataclass(frozen=True)
class FileReport:
    """What was found in one file; `problem` says why an unreadable one has no configuration.

    `changes` are what was repaired on the way from another form.
    """

    path: str
    config: SeedConfig | None = None
    findings: list[Finding] = field(default_factory=list)
    problem: str | None = None
    changes: tuple[str, ...] = ()

    def with_severity(self, severity: str) -> list[Finding]:
        """Return the findings of that severity."""
        return [finding for finding in self.findings if finding.severity == severity]

    @property
    def unsafe(self) -> int:
        """Number of findings for which sampling refuses the configuration."""
        return sum(RULES[finding.rule].unsafe for finding in self.findings)

    @property
    def status(self) -> Status:
        """The worst that was found."""
        if self.config is None:
            return "unreadable"
        if self.with_severity("error"):
            return "errors"
        return "warnings" if self.findings else "clean"


def check_path(path: Path, min_truths: int | None, min_actions: int | None) -> Iterator[FileReport]:
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


def as_document(reports: list[FileReport]) -> dict[str, object]:
    """Return the reports as a document of JSON."""
    return {
        "files": [_report_json(report) for report in reports],
        "summary": {status: sum(r.status == status for r in reports) for status in EXIT_CODES},
    }


def _report_json(report: FileReport) -> dict[str, object]:
    record: dict[str, object] = {"path": report.path, "status": report.status}
    if report.config is None:
        return {**record, "error": report.problem}
    errors, warnings = len(report.with_severity("error")), len(report.with_severity("warning"))
    return {
        **record,
        "domain": report.config.name,
        "counts": {
            **count_sizes(report.config),
            "errors": errors,
            "warnings": warnings,
            "unsafe": report.unsafe,
        },
        "one_to_one_share": one_to_one_share(report.config),
        "findings": [_finding_json(finding) for finding in report.findings],
        "changes": list(report.changes),
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "unsafe": RULES[finding.rule].unsafe,
        "action": finding.action,
        "state": finding.state,
        "message": finding.message,
    }


def count_sizes(config: SeedConfig) -> dict[str, int]:
    """Return the numbers of truths, actions and states."""
    states = sum(len(outcome.states) for outcome in config.outcomes)
    return {"truths": len(config.truths), "actions": len(config.actions), "states": states}


def print_reports(reports: list[FileReport], limit: int = LINES_PRINTED) -> None:
    """Print each report: changes, errors and warnings, the first ones of each."""
    console = Terminal(soft_wrap=True)
    for report in reports:
        if report.problem is not None:
            Terminal(stderr=True, soft_wrap=True).print(f"perennial: error: {report.problem}")
            continue
        console.print(_summary_lines(report))
        _print_lines(console, "Changes", "green", report.changes, limit)
        for severity, title, style in (("error", "Errors", "red"), ("warning", "Warnings", "yellow")):
            lines = [f"{finding.rule}: {finding.message}" for finding in report.with_severity(severity)]
            _print_lines(console, title, style, lines, limit)


def _summary_lines(report: FileReport) -> str:
    assert report.config is not None
    counts = ", ".join(
        count(len(report.with_severity(severity)), severity) for severity in ("error", "warning")
    )
    refused = f"; sampling refuses it for {report.unsafe} of them" if report.unsafe else ""
    sizes = ", ".join(f"{count} {what}" for what, count in count_sizes(report.config).items())
    share = f"{one_to_one_share(report.config):.0%} of rule-out sets are one-to-one"
    return f"{report.path}: {counts}{refused}\n  {sizes}; {share}"


def _print_lines(console: Terminal, title: str, style: str, lines: Sequence[str], limit: int) -> None:
    if not lines:
        return
    console.print(f"  {title}", style=style)
    for line in lines[:limit]:
        console.print("\n".join(wrap_words(line, max(console.width, 40), "    ", "      ")))
    if len(lines) > limit:
        console.print(f"    and {len(lines) - limit:,} more; --json prints all of them")


def total_line(reports: list[FileReport]) -> str:
    """Return how many files are clean, and how many are not."""
    counts = {status: sum(report.status == status for report in reports) for status in EXIT_CODES}
    return (
        f"{count(len(reports), 'file')}: {counts['clean']} clean, {counts['warnings']} with warnings, "
        f"{counts['errors']} with errors, {counts['unreadable']} unreadable"
    )


# `perennial domains import`: the KUMO authors' domains as files, repaired where that invents nothing.


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
    found_domains = read_domains(path, names, words)
    reports = [_report(domain, out) for domain in found_domains]
    written = {report.path: report.config for report in reports if report.config is not None}
    _write(written)
    if as_json:
        typer.echo(json.dumps(as_document(reports), indent=2))
    else:
        print_reports(reports, LINES_PRINTED if len(found_domains) == 1 else _SHOWN)
        left_out = len(found_domains) - len(written)
        Terminal(soft_wrap=True).print(
            f"{count(len(written), 'domain')} written to {show_path(out)}, {left_out} left out; next: "
            + (f"`perennial refresh --domains {next(iter(written))}`" if written else "see the errors above")
        )
    raise typer.Exit(int(len(written) < len(found_domains)))


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
