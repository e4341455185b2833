"""`perennial import`: take in what others have published."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from flows.roots import RootOption, data_root
from schemas.errors import UnreadableInput
from warehouse.external_scores import keep_scores, parse_scores

import_app = typer.Typer(
    help="Take in what others have published: scores of other benchmarks.", no_args_is_help=True
)


@import_app.command()
def scores(
    file: Annotated[Path, typer.Argument(help="CSV with the columns benchmark, player, score, source.")],
    root: RootOption = None,
) -> None:
    """Take in other benchmarks' scores of the players, to correlate with ours.

    Scores of a source take the place of those that it gave before. `perennial analyse` then computes the
    correlations, and `perennial query "FROM correlations"` shows them.

    Example: perennial import scores livebench.csv
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UnreadableInput(f"{file}: cannot be read ({error.strerror}); check the path") from None
    store = data_root(root)
    rows = parse_scores(content, str(file))
    sources = keep_scores(store, rows)
    benchmarks = len({row["benchmark"] for row in rows})
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"{len(rows):,} scores of {benchmarks} benchmarks from {', '.join(sources)}")
    console.print("next: perennial analyse")
