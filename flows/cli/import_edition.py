"""`perennial import`: take in what others have published."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from flows.console.input_files import read_bytes_file, shown_path
from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal
from warehouse.catalog.external_scores import keep_scores, parse_scores
from warehouse.lock.root_lock import locked_root

if TYPE_CHECKING:
    from warehouse.kumo.release.trajectories import ImportProgress

_SHOWN = 10

import_app = typer.Typer(
    help="Import what others have published: the KUMO release, scores of other benchmarks.",
    no_args_is_help=True,
)


@import_app.command()
def kumo(
    path: Annotated[Path, typer.Argument(help="A clone of the KUMO authors' repository.")],
    domains: Annotated[
        str | None, typer.Option(help="Only these domains, separated by commas, such as MedicalEnv.")
    ] = None,
    models: Annotated[str | None, typer.Option(help="Only these models, separated by commas.")] = None,
    root: RootOption = None,
) -> None:
    """Import the KUMO authors' release as edition kumo-2025-release.

    Their modules are read, never executed; defects are kept and listed in `rejections`. A file or line
    that cannot be read, and a link that leads out of the clone, is skipped and named. Importing the same
    twice changes nothing.

    Example: perennial import kumo ../kumo --domains MedicalEnv,MusicEnv
    """
    from flows.kumo.import_release import EDITION, import_release

    console = Terminal(soft_wrap=True)
    store = data_root(root)
    started = time.monotonic()
    with _progress(console) as advance:
        done = import_release(store, path, _listed(domains), _listed(models), console.print, advance)
    if done is None:
        console.print(f"edition {EDITION} was imported from the same files before: nothing to do")
        return
    publication, skipped = done
    for entry in skipped[:_SHOWN]:
        console.print(f"warning: {entry.warning}")
    if skipped:
        console.print(f"{len(skipped):,} files or lines were skipped: table rejections names each")
    counts = ", ".join(f"{number:,} {name}" for name, number in publication.counts.items() if number)
    console.print(f"published in {time.monotonic() - started:.1f} s: {counts}")
    console.print(f"next: perennial query \"FROM leaderboard WHERE edition = '{EDITION}'\"")


@contextmanager
def _progress(console: Terminal) -> "Iterator[Callable[[ImportProgress], None]]":
    """Show how far the runs are, on a terminal."""
    with Progress(
        TextColumn("runs        "),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[runs]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        shown = bar.add_task("runs", total=None, runs="")

        def advance(state: "ImportProgress") -> None:
            bar.update(shown, total=state.full_size, completed=state.size, runs=f"{state.runs:,} runs")

        yield advance


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


@import_app.command()
def scores(
    file: Annotated[Path, typer.Argument(help="CSV with the columns benchmark, player, score, source.")],
    root: RootOption = None,
) -> None:
    """Import other benchmarks' scores of the players, to correlate with perennial's.

    New scores of a source replace its earlier ones. `perennial analyse` then computes the
    correlations, and `perennial query "FROM correlations"` shows them.

    Example: perennial import scores livebench.csv
    """
    content = read_bytes_file(file)
    store = data_root(root)
    rows = parse_scores(content, shown_path(file))
    console = Terminal(soft_wrap=True)
    with locked_root(store, "import scores", console.print):
        sources = keep_scores(store, rows)
    benchmarks = len({row["benchmark"] for row in rows})
    console.print(f"{len(rows):,} scores of {benchmarks} benchmarks from {', '.join(sources)}")
    console.print("next: perennial analyse")
