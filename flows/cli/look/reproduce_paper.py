"""`perennial reproduce-paper`: a benchmark's paper, as it is printed and as it is computed here."""

import json
import sys
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, FormatOption, JsonOption, choose_format, print_rows
from perennial.flows.console.steps import show_steps
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import FiguresDiffer, InvalidOption

if TYPE_CHECKING:
    from perennial.tasks.papers import Comparison, FigureVerdict

_WIDTH, _PLACE_WIDTH = 80, 43
# Of a figure with more numbers than this, a table only counts those that agree.
_LISTED = 12


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
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Print each table and figure of a benchmark's paper: what it prints, ours, the difference, or why not.

    A figure agrees where its numbers are within the tolerance of their last digit, or equal the printed
    number when cut off after it (6.696 printed as 6.69), which is marked. Numbers of other questions than the
    paper's are shown and not judged. Exit code 11 where a figure differs.

    Example: perennial reproduce-paper beyondbench
    """
    from perennial.tasks.papers import judge_figures

    form = choose_format(format_, as_json)
    paper = find_benchmark(benchmark)
    if not paper.offers(Benchmark.compare_paper):
        papers = (name for name in benchmarks() if find_benchmark(name).offers(Benchmark.compare_paper))
        raise InvalidOption(f"benchmark {benchmark!r} declares no paper; those that do: {', '.join(papers)}")
    with show_steps("reproduce-paper") as step:
        rows = paper.compare_paper(data_root(root), path, step)
    verdicts = judge_figures(rows, paper.least_agreeing)
    if form is Format.json:
        whole = {
            "benchmark": benchmark,
            "figures": [{**asdict(verdict), "agrees": verdict.agrees} for verdict in verdicts],
            "values": [asdict(row) for row in rows],
        }
        sys.stdout.write(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    elif form is Format.csv:
        names = [field.name for field in fields(rows[0])]
        print_rows(names, ([getattr(row, name) for name in names] for row in rows), form)
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
        for line in wrap(f"{verdict.item}: {verdict.metric.replace('_', ' ')}: {_describe(verdict)}", _WIDTH):
            typer.echo(line)
        of_figure = list(group)
        reasons = {row.reason for row in of_figure}
        common = reasons.pop() if len(reasons) == 1 and len(of_figure) > 1 else ""
        for line in wrap(common, _WIDTH, initial_indent="    ", subsequent_indent="    "):
            typer.echo(line)
        shown = [row for row in of_figure if len(of_figure) <= _LISTED or not row.agrees or row.computed_of]
        for row in shown:
            for line in _lines(row, common):
                typer.echo(line)
        if len(shown) < len(of_figure):
            typer.echo(f"  {len(of_figure) - len(shown):,} more agree (--format csv lists them)")
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
    """Return the place, the printed value, ours and the difference; then whose it is, or why not.

    `common` is the reason of the whole figure, which is not repeated.
    """
    said = (row.setting, row.domain, row.player, row.settings)
    place = " ".join(part for part in said if part not in ("", "all"))
    numbers = f"{_number(row.printed)}{_number(row.ours)}{_number(row.difference, sign='+')}"
    mark = "" if row.agrees is not False else " !"
    lines = [f"  {place}".rstrip()]
    if numbers.strip(" -"):
        end = f"{numbers}{mark}"
        fits = len(place) < _PLACE_WIDTH
        lines = [f"  {place:{_PLACE_WIDTH}}{end}"] if fits else [*lines, f"  {'':{_PLACE_WIDTH}}{end}"]
    notes = [f"this is {row.computed_of}"] if row.computed_of else []
    notes += ["printed cut off, not rounded"] if row.is_cut else []
    notes += (
        [row.reason] if row.reason not in ("", common) and (row.agrees is not True or row.computed_of) else []
    )
    said_so = wrap("; ".join(notes), _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return [line for line in (*lines, *said_so) if line.strip()]


def _number(value: float | None, sign: str = "") -> str:
    if value is None:
        return f"{'-':>11}"
    digits = 4 if 0 < abs(value) < 0.1 else 3
    return f"{value:{sign}11,.{digits}f}"
