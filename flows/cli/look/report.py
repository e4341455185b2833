"""`perennial report`: an edition as one HTML page, or the tables behind it."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.cli.look.query import existing_root
from perennial.flows.console.input_files import require_folder
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import (
    Format,
    Terminal,
    print_json,
    print_rows,
    prints_rows,
    wrap_words,
)
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import FiguresDiffer, InvalidOption, join_choices, suggest
from perennial.schemas.rows import JsonObject
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.editions.selectors import select_unit

if TYPE_CHECKING:
    from perennial.tasks.papers import Comparison, FigureVerdict
    from perennial.tasks.report.content import ReportData


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
        str | None, typer.Option(metavar="URL", help="Link to the edition's pages in this `perennial web`.")
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option(
            metavar="CLASSES",
            help="Draw figures by these classes of difficulty only, where the benchmark has several, such as "
            "level and effort. Default: by each.",
        ),
    ] = None,
    profiles: Annotated[
        bool,
        typer.Option(
            "--profiles",
            help="Write the page of all benchmarks instead: players on the newest edition of each.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Print the edition's leaderboard with all notes instead; nothing is written."
        ),
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write the report of an edition: one HTML page that opens offline, or its tables.

    Figures need the extra `figures`; without it the page has tables only.

    Example: perennial report --compare kumo-2025-release
    """
    from perennial.flows.editions.report import profile_data, report_data
    from perennial.flows.editions.report_files import PROFILES, write_page, write_profiles, write_tables
    from perennial.schemas.settings.form import split_names

    if explain:
        from perennial.flows.console.print_edition import print_edition

        if compare or anchors or profiles or difficulty:
            raise InvalidOption(
                "--explain prints one edition: leave out --compare, --anchors, --difficulty and --profiles"
            )
        store = existing_root(root)
        unit = select_unit(store, edition, visible_editions(store))
        print_edition(store, unit, Terminal(stderr=as_json, soft_wrap=True), as_json, explains=True)
        return
    if profiles:
        _check_profiles(
            {"EDITION": edition, "--compare": compare, "--anchors": anchors, "--difficulty": difficulty}
        )
    elif anchors and compare is None:
        raise InvalidOption("--anchors ties two editions: name the other one with --compare")
    if explorer is not None:
        check_explorer(explorer)
    require_folder("--out", out)
    is_page = format_ is ReportFormat.html
    document: JsonObject
    with show_steps("report") as step:
        if profiles:
            page_data = replace(profile_data(data_root(root), step), explorer=explorer or "")
            step("writing")
            paths = write_profiles(page_data, out, format_.value)
            document = {PROFILES: list(dict(page_data.facts))}
            written = f"profiles of {', '.join(document[PROFILES])}"
        else:
            data = report_data(data_root(root), edition, compare, split_names(anchors or ""), step)
            data = replace(data, explorer=explorer or "")
            if difficulty is not None:
                data = _choose_difficulty(data, difficulty)
            step("drawing figures" if is_page else "writing tables")
            paths = [write_page(data, out)] if is_page else write_tables(data, out, format_.value)
            document = {"edition": data.edition}
            written = f"{'report' if is_page else f'{len(paths)} tables'} of edition {data.edition}"
    console = Terminal(soft_wrap=True, stderr=as_json)
    console.print(f"{written}: {paths[0] if is_page else paths[0].parent}")
    if as_json:
        print_json({**document, "format": format_.value, "files": [str(path) for path in paths]})


def _choose_difficulty(data: "ReportData", name: str) -> "ReportData":
    names = data.additions.difficulties
    if not names:
        raise InvalidOption(
            f"--difficulty {name!r}: figures of edition {data.edition!r} go by one kind of classes: omit it"
        )
    if name not in names:
        raise InvalidOption(f"--difficulty {name!r}: expected {join_choices(names)}{suggest(name, names)}")
    return data.by_difficulty(name)


def _check_profiles(options: Mapping[str, str | None]) -> None:
    """Raise InvalidOption for an option that says something of one edition."""
    for name, value in options.items():
        if value is not None:
            raise InvalidOption(
                f"{name} {value!r} is of the report of one edition, but --profiles shows the newest edition "
                "of each benchmark: leave one of them out"
            )


# `perennial reproduce-paper`: a benchmark's paper, as it is printed and as it is computed here.

_WIDTH, _PLACE_WIDTH = 80, 43
# Of a figure with more numbers than this, a table only counts those that agree.
_LISTED = 12


@prints_rows
def reproduce_paper(
    benchmark: Annotated[str, typer.Argument(help="The benchmark, such as kumo.")],
    path: Annotated[
        Path | None,
        typer.Argument(
            help="What is computed from: the authors' release, their leaderboard, or the paper's text. "
            "Without it, what the data root or the program has."
        ),
    ] = None,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """Print each table and figure of a benchmark's paper: what it prints, ours, the difference, or why not.

    A figure agrees where its numbers are within the tolerance of their last digit, or equal the printed
    number when cut off after it (6.696 printed as 6.69), which is marked. Numbers of other questions than the
    paper's are shown and not judged. Exit code 11 where a figure differs.

    Example: perennial reproduce-paper beyondbench
    """
    from perennial.tasks.papers import judge_figures

    paper = find_benchmark(benchmark)
    if not paper.offers(Benchmark.compare_paper):
        papers = (name for name in benchmarks() if find_benchmark(name).offers(Benchmark.compare_paper))
        raise InvalidOption(f"benchmark {benchmark!r} declares no paper; those that do: {', '.join(papers)}")
    with show_steps("reproduce-paper") as step:
        rows = paper.compare_paper(data_root(root), path, step)
    verdicts = judge_figures(rows, paper.least_agreeing)
    if format_ is Format.json:
        whole = {
            "benchmark": benchmark,
            "figures": [{**asdict(verdict), "agrees": verdict.agrees} for verdict in verdicts],
            "values": [asdict(row) for row in rows],
        }
        sys.stdout.write(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    elif format_ is Format.csv:
        names = [field.name for field in fields(rows[0])]
        print_rows(names, ([getattr(row, name) for name in names] for row in rows), format_)
    else:
        _print(rows, verdicts)
    differing = [f"{verdict.item} ({verdict.metric})" for verdict in verdicts if verdict.agrees is False]
    if differing:
        raise FiguresDiffer(
            f"not reproduced within tolerance: {', '.join(differing)}; "
            f"expected agreement of {paper.least_agreeing:.0%}"
        )


def _print(rows: "list[Comparison]", verdicts: "list[FigureVerdict]") -> None:
    """Print each figure under its verdict, in lines of at most 80 columns."""
    groups = groupby(rows, key=lambda row: (row.item, row.metric))
    for verdict, (_, group) in zip(verdicts, groups, strict=True):
        for line in wrap_words(
            f"{verdict.item}: {verdict.metric.replace('_', ' ')}: {_describe(verdict)}", _WIDTH
        ):
            typer.echo(line)
        of_figure = list(group)
        reasons = {row.reason for row in of_figure}
        common = reasons.pop() if len(reasons) == 1 and len(of_figure) > 1 else ""
        for line in wrap_words(common, _WIDTH, "    "):
            typer.echo(line)
        listed = [row for row in of_figure if len(of_figure) <= _LISTED or not row.agrees or row.computed_of]
        for row in listed:
            for line in _lines(row, common):
                typer.echo(line)
        if len(listed) < len(of_figure):
            typer.echo(f"  {len(of_figure) - len(listed):,} more agree (--format csv lists them)")
    judged = [verdict.agrees for verdict in verdicts if verdict.agrees is not None]
    unjudged = sum(verdict.agrees is None and verdict.unjudged > 0 for verdict in verdicts)
    rest = f"; not judged: {unjudged}" if unjudged else ""
    typer.echo(f"{sum(judged)} of {len(judged)} reproducible figures agree{rest}")


def _describe(verdict: "FigureVerdict") -> str:
    if verdict.agrees is None:
        return "shown, not judged" if verdict.unjudged else "nothing to compare"
    state = "agrees" if verdict.agrees else "DIFFERS"
    cut = f" ({verdict.cut} printed cut off, not rounded)" if verdict.cut else ""
    return f"{state}, {verdict.agreeing} of {verdict.compared} values{cut}"


def _lines(row: "Comparison", common: str) -> list[str]:
    """Columns: the place in the paper, the printed value, ours, the difference; then its source, or why ours
    is missing.

    `common` is the reason of the whole figure, which is not repeated.
    """
    parts = (row.setting, row.domain, row.player, row.settings)
    context = " ".join(part for part in parts if part not in ("", "all"))
    numbers = f"{_align(row.printed)}{_align(row.ours)}{_align(row.difference, sign='+')}"
    mark = "" if row.agrees is not False else " !"
    lines = [f"  {context}".rstrip()]
    if numbers.strip(" -"):
        end = f"{numbers}{mark}"
        fits = len(context) < _PLACE_WIDTH
        lines = [f"  {context:{_PLACE_WIDTH}}{end}"] if fits else [*lines, f"  {'':{_PLACE_WIDTH}}{end}"]
    notes = [f"this is {row.computed_of}"] if row.computed_of else []
    notes += ["printed cut off, not rounded"] if row.is_cut else []
    notes += (
        [row.reason] if row.reason not in ("", common) and (row.agrees is not True or row.computed_of) else []
    )
    said_so = wrap_words("; ".join(notes), _WIDTH, "    ")
    return [line for line in (*lines, *said_so) if line.strip()]


def _align(value: float | None, sign: str = "") -> str:
    """In 11 columns, "-" for None; sign "+" is shown before positive numbers too."""
    if value is None:
        return f"{'-':>11}"
    digits = 4 if 0 < abs(value) < 0.1 else 3
    return f"{value:{sign}11,.{digits}f}"
