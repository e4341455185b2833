"""`perennial play`: one person plays one instance in the terminal; nothing is recorded."""

import sys
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InvalidOption

_INTERRUPTED = 130


def play(
    domain: Annotated[
        str | None, typer.Option(help="A bundled domain, or a .json file. Default: drawn by the seed.")
    ] = None,
    setting: Annotated[
        str | None, typer.Option(help="Size: easy, hard, NxM or NxMvK. Default: easy.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the instance. Default: drawn, and shown.")
    ] = None,
    edition: Annotated[
        str | None, typer.Option(help="Play an instance of this published edition; with --instance.")
    ] = None,
    instance: Annotated[str | None, typer.Option(help="The instance, by its id.")] = None,
    benchmark: Annotated[str, typer.Option(help="Benchmark to draw an instance of.")] = DEFAULT_BENCHMARK,
    root: RootOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the game as JSON at its end; all else on standard error.")
    ] = False,
) -> None:
    """Play one instance yourself, freshly drawn or of a published edition; nothing is recorded.

    Give an action or an answer by its number or name, one per line, from a terminal or a pipe. At the end you
    see how few actions the optimum takes.

    Example: perennial play --domain music_identification --seed 7
    """
    from perennial.flows.play.choose_seat import draw_fresh, find_published
    from perennial.flows.play.session import play_seat

    if (edition is None) != (instance is None):
        raise InvalidOption("--edition and --instance belong together: give both, or neither")
    drawn = (domain, setting, seed)
    if edition is not None and instance is not None:
        if drawn != (None, None, None):
            raise InvalidOption(
                "--domain, --setting and --seed draw an instance, and --instance names one: give either"
            )
        played, seat, notice = find_published(edition, instance, root)
    else:
        played, seat, notice = draw_fresh(benchmark, domain or "", setting or "", seed)
    console = Terminal(stderr=as_json)
    try:
        document = play_seat(played, seat, notice, console, sys.stdin)
    except KeyboardInterrupt:
        console.print("\ninterrupted: nothing was recorded")
        raise SystemExit(_INTERRUPTED) from None
    if as_json:
        sys.stdout.write(json_text(document) + "\n")
