"""`perennial reproduce-paper`: every table and figure of the KUMO paper, printed there and computed here."""

import json
import sys
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.row_formats import Format, FormatOption, JsonOption, choose_format, print_rows
from flows.console.steps import show_steps
from flows.console.terminal import Terminal
from schemas.errors import FiguresDiffer, UnreadableInput
from warehouse.catalog.catalog import open_catalog, published_editions

if TYPE_CHECKING:
    from flows.kumo.paper.compare import Comparison, FigureVerdict

_WIDTH = 80


def reproduce_paper(
    path: Annotated[
        Path | None,
        typer.Argument(help="A clone of the KUMO authors' repository; it is imported into the data root."),
    ] = None,
    root: RootOption = None,
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Print each table and figure of both versions of the KUMO paper: theirs, ours, difference, or why not.

    Without PATH the imported edition of the data root is used. A figure agrees where at least 95% of its
    legible values are within their tolerance, or equal the printed number when cut off after its last digit
    (6.696 printed as 6.69), which is marked. Exit code 11 where one does not.

    Example: perennial reproduce-paper ../kumo
    """
    from flows.kumo.paper.compare import compare_figures, compute_figures, judge_figures
    from flows.kumo.release.import_release import EDITION

    form = choose_format(format_, as_json)
    if path is not None:
        import_with_progress(path, root)
    store = data_root(root)
    if EDITION not in published_editions(store):
        raise UnreadableInput(
            f"no edition {EDITION} in {store.root!r}: expected the authors' released data; give its folder, "
            "perennial reproduce-paper PATH"
        )
    with show_steps("reproduce-paper") as step:
        step("computing the paper's figures")
        rows = compare_figures(compute_figures(open_catalog(store)))
    verdicts = judge_figures(rows)
    if form is Format.json:
        whole = {
            "edition": EDITION,
            "figures": [{**asdict(verdict), "agrees": verdict.agrees} for verdict in verdicts],
            "values": [asdict(row) for row in rows],
        }
        sys.stdout.write(json.dumps(whole, indent=1) + "\n")
    elif form is Format.csv:
        names = [field.name for field in fields(rows[0])]
        print_rows(names, ([getattr(row, name) for name in names] for row in rows), form)
    else:
        _print(rows, verdicts)
    differing = [f"{verdict.item} ({verdict.metric})" for verdict in verdicts if verdict.agrees is False]
    if differing:
        raise FiguresDiffer(
            f"not reproduced within tolerance: {', '.join(differing)}; expected agreement of 95%"
        )


def import_with_progress(path: Path, root: str | None) -> None:
    """Import the release, with progress on standard error; nothing is done where it was imported before."""
    from flows.kumo.cli.import_release import show_import_progress
    from flows.kumo.release.import_release import import_release

    console = Terminal(stderr=True, soft_wrap=True)
    with show_import_progress(console) as advance:
        import_release(data_root(root), path, [], [], console.print, advance)


def _print(rows: "list[Comparison]", verdicts: "list[FigureVerdict]") -> None:
    """Print each figure under its verdict, in lines of at most 80 columns."""
    groups = groupby(rows, key=lambda row: (row.item, row.metric))
    for verdict, (_, group) in zip(verdicts, groups, strict=True):
        typer.echo(f"{verdict.item}: {verdict.metric.replace('_', ' ')}: {_describe(verdict)}")
        for row in group:
            for line in _lines(row):
                typer.echo(line)
    judged = [verdict.agrees for verdict in verdicts if verdict.agrees is not None]
    typer.echo(f"{sum(judged)} of {len(judged)} reproducible figures agree")


def _describe(verdict: "FigureVerdict") -> str:
    if verdict.agrees is None:
        return "nothing to compare"
    state = "agrees" if verdict.agrees else "DIFFERS"
    cut = f" ({verdict.cut} printed cut off, not rounded)" if verdict.cut else ""
    return f"{state}, {verdict.agreeing} of {verdict.compared} values{cut}"


def _lines(row: "Comparison") -> list[str]:
    """Return the place, the printed value, ours and the difference; then whose it is, or why not."""
    place = " ".join(part for part in (row.setting, row.domain, row.player) if part)
    numbers = f"{_number(row.printed)}{_number(row.ours)}{_number(row.difference, sign='+')}"
    mark = "" if row.agrees is not False else " !"
    lines = [f"  {place[:43]:43}{numbers}{mark}"] if numbers.strip(" -") else [f"  {place}".rstrip()]
    said = [f"this is {row.computed_of}"] if row.computed_of else []
    said += ["printed cut off, not rounded"] if row.is_cut else []
    said += [row.reason] if row.reason and (row.agrees is None or row.computed_of) else []
    return [line for line in (*lines, *wrap("; ".join(said), _WIDTH, initial_indent="    ")) if line.strip()]


def _number(value: float | None, sign: str = "") -> str:
    return f"{'-':>11}" if value is None else f"{value:{sign}11,.3f}"
