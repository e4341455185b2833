"""What validation finds in files of seed configurations, as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from perennial.flows.console.input_files import json_files, show_path
from perennial.flows.console.terminal import Terminal
from perennial.flows.kumo.planning.domain_choice import read_config_file
from perennial.schemas.errors import UnreadableInput, count
from perennial.schemas.kumo.things import Finding, SeedConfig
from perennial.tasks.kumo.validation import RULES, one_to_one_share, validate_config

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
    errors, warnings = len(report.of("error")), len(report.of("warning"))
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
        "findings": [_finding_json(found) for found in report.findings],
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


def print_reports(reports: list[FileReport], shown: int = LINES_PRINTED) -> None:
    """Print each report: changes, errors and warnings, the first ones of each."""
    console = Terminal(soft_wrap=True)
    for report in reports:
        if report.problem is not None:
            Terminal(stderr=True, soft_wrap=True).print(f"perennial: error: {report.problem}")
            continue
        console.print(_summary_lines(report))
        _print_lines(console, "Changes", "green", report.changes, shown)
        for severity, title, style in (("error", "Errors", "red"), ("warning", "Warnings", "yellow")):
            lines = [f"{found.rule}: {found.message}" for found in report.of(severity)]
            _print_lines(console, title, style, lines, shown)


def _summary_lines(report: FileReport) -> str:
    assert report.config is not None
    found = ", ".join(count(len(report.of(severity)), severity) for severity in ("error", "warning"))
    refused = f"; sampling refuses it for {report.unsafe} of them" if report.unsafe else ""
    sizes = ", ".join(f"{count} {what}" for what, count in count_sizes(report.config).items())
    share = f"{one_to_one_share(report.config):.0%} of rule-out sets are one-to-one"
    return f"{report.path}: {found}{refused}\n  {sizes}; {share}"


def _print_lines(console: Terminal, title: str, style: str, lines: Sequence[str], shown: int) -> None:
    from textwrap import TextWrapper

    if not lines:
        return
    wrapper = TextWrapper(
        max(console.width, 40),
        initial_indent="    ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.print(f"  {title}", style=style)
    for line in lines[:shown]:
        console.print("\n".join(wrapper.wrap(line)))
    if len(lines) > shown:
        console.print(f"    and {len(lines) - shown:,} more; --json prints all of them")


def total_line(reports: list[FileReport]) -> str:
    """Return how many files are clean, and how many are not."""
    counts = {status: sum(report.status == status for report in reports) for status in EXIT_CODES}
    return (
        f"{count(len(reports), 'file')}: {counts['clean']} clean, {counts['warnings']} with warnings, "
        f"{counts['errors']} with errors, {counts['unreadable']} unreadable"
    )
