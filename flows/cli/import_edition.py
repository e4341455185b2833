"""`perennial import`: take in what others have published."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from flows.console.input_files import read_bytes_file, show_path
from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal
from schemas.benchmark import benchmarks
from warehouse.catalog.external_scores import keep_scores, parse_scores
from warehouse.lock.root_lock import lock_root

import_app = typer.Typer(
    help="Import what others have published: releases of benchmarks, scores of other benchmarks.",
    no_args_is_help=True,
)

for _benchmark in benchmarks().values():
    for _name, (_place, _) in _benchmark.importers.items():
        _module, _, _function = _place.partition(":")
        import_app.command(_name)(getattr(import_module(_module), _function))


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
    rows = parse_scores(content, show_path(file))
    console = Terminal(soft_wrap=True)
    with lock_root(store, "import scores", console.print):
        sources = keep_scores(store, rows)
    benchmarks = len({row["benchmark"] for row in rows})
    console.print(f"{len(rows):,} scores of {benchmarks} benchmarks from {', '.join(sources)}")
    console.print("next: perennial analyse")
