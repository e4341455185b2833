"""`perennial report`: an edition as one HTML page, or the tables behind it."""

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from perennial.flows.console.output_places import require_folder
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.errors import InvalidOption


def check_explorer(url: str) -> None:
    """Raise InvalidOption for what is no URL of a web server."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web:
        raise InvalidOption(
            f"--explorer {url!r}: expected the URL that `perennial web` printed, such as http://127.0.0.1:8501"
        )


class ReportFormat(StrEnum):
    """What is written."""

    html = "html"
    csv = "csv"
    parquet = "parquet"


def report(
    edition: Annotated[str | None, typer.Argument(help="The edition. Default: the newest one.")] = None,
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = Path("reports"),
    compare: Annotated[str | None, typer.Option(help="Another edition to compare it with.")] = None,
    anchors: Annotated[
        str | None,
        typer.Option(
            help="Players that are the same in both editions, separated by commas. Default: the anchors that "
            "both were evaluated with."
        ),
    ] = None,
    format_: Annotated[
        ReportFormat, typer.Option("--format", help="One HTML page, or its tables as one file each.")
    ] = ReportFormat.html,
    explorer: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Link to the edition's pages in this `perennial web`."),
    ] = None,
    profiles: Annotated[
        bool,
        typer.Option(
            "--profiles",
            help="Write the page of all benchmarks instead: players on the newest edition of each.",
        ),
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write the report of an edition: one HTML page that opens offline, or its tables.

    Example: perennial report --compare kumo-2025-release
    """
    from perennial.flows.editions.report import report_data
    from perennial.flows.editions.report_files import write_page, write_tables
    from perennial.schemas.settings.form import split_names

    if profiles:
        _check_profiles(edition, compare, anchors)
        _report_profiles(out, format_, explorer, root, as_json)
        return

    console = Terminal(soft_wrap=True, stderr=as_json)
    if anchors and compare is None:
        raise InvalidOption("--anchors ties two editions: name the other one with --compare")
    if explorer is not None:
        check_explorer(explorer)
    require_folder("--out", out)
    with show_steps("report") as step:
        data = report_data(data_root(root), edition, compare, split_names(anchors or ""), step)
        data = replace(data, explorer=explorer or "")
        if format_ is ReportFormat.html:
            step("drawing figures")
            paths = [write_page(data, out)]
        else:
            step("writing tables")
            paths = write_tables(data, out, format_.value)
    if format_ is ReportFormat.html:
        console.print(f"report of edition {data.edition}: {paths[0]}")
    else:
        console.print(f"{len(paths)} tables of edition {data.edition}: {paths[0].parent}")
    if as_json:
        document = {"edition": data.edition, "format": format_.value, "files": [str(path) for path in paths]}
        sys.stdout.write(json_text(document) + "\n")


def _check_profiles(edition: str | None, compare: str | None, anchors: str | None) -> None:
    """Raise InvalidOption for an option that says something of one edition."""
    for name, value in (("EDITION", edition), ("--compare", compare), ("--anchors", anchors)):
        if value is not None:
            raise InvalidOption(
                f"{name} {value!r} is of the report of one edition, but --profiles shows the newest edition "
                "of each benchmark: leave one of them out"
            )


def _report_profiles(
    out: Path, form: ReportFormat, explorer: str | None, root: str | None, as_json: bool
) -> None:
    """Write the page of profiles or its tables."""
    from perennial.flows.editions.report_files import PROFILES, write_profiles
    from perennial.flows.editions.report_profiles import profile_data

    if explorer is not None:
        check_explorer(explorer)
    require_folder("--out", out)
    with show_steps("report") as step:
        data = replace(profile_data(data_root(root), step), explorer=explorer or "")
        step("writing")
        paths = write_profiles(data, out, form.value)
    console = Terminal(soft_wrap=True, stderr=as_json)
    benchmarks = ", ".join(name for name, _ in data.facts)
    console.print(f"profiles of {benchmarks}: {paths[0] if form is ReportFormat.html else paths[0].parent}")
    if as_json:
        document = {
            PROFILES: list(dict(data.facts)),
            "format": form.value,
            "files": [str(path) for path in paths],
        }
        sys.stdout.write(json_text(document) + "\n")
