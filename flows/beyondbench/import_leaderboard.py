"""`perennial import beyondbench`: import the leaderboard of BeyondBench's authors."""

from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.input_files import read_bytes_file, show_path
from perennial.flows.console.print_edition import next_after_scores
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, print_json


def beyondbench(
    file: Annotated[
        Path, typer.Argument(metavar="LEADERBOARD", help="The leaderboard of the authors' site, JSON.")
    ],
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import the leaderboard of BeyondBench's authors as scores of another benchmark.

    Each of its columns becomes a benchmark of `external_scores`, such as "beyondbench-2025 accuracy".
    Models that are plainly players of the KUMO authors' release are named as there, others as in the file;
    column `settings` has their parameters and quantization.
    `perennial analyse` then correlates them with the success of an edition's players. Importing again
    replaces what was imported.

    Example: perennial import beyondbench leaderboard.json
    """
    from perennial.warehouse.beyondbench.release import BENCHMARK, COLUMNS, parse_leaderboard, same_players
    from perennial.warehouse.catalog.scores import keep_scores
    from perennial.warehouse.lock import lock_root

    store = data_root(root, may_begin=True)
    rows = parse_leaderboard(read_bytes_file(file), show_path(file))
    console = Terminal(soft_wrap=True, stderr=as_json)
    with lock_root(store, "import beyondbench", console.print):
        keep_scores(store, rows)
    players = {row["player"] for row in rows}
    renamed = sorted(players & set(same_players().values()))
    console.print(
        f"{len(rows):,} scores of {len(players):,} models in {len(COLUMNS)} columns of {BENCHMARK}; "
        f"{len(renamed)} named as in the KUMO authors' release: {', '.join(renamed) or 'none'}"
    )
    if as_json:
        document = {"scores": len(rows), "models": len(players), "columns": list(COLUMNS), "renamed": renamed}
        print_json(document)
    console.print(next_after_scores(store))
