"""Commands for people who play."""

import csv
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.input_files import show_path
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_json, print_rows, prints_rows
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InvalidOption, count

if TYPE_CHECKING:
    from perennial.flows.study.publish import PublishedStudy
    from perennial.warehouse.study.schema import Pending


# `perennial play`: one person plays one instance in the terminal; nothing is recorded.

_INTERRUPTED = 130


def play(
    domain: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Bundled domain or .json file. Default: drawn by the seed."),
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
    from perennial.flows.play import draw_fresh, find_published, play_seat

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
        print_json(document)


# `perennial study`: people play instances of a published edition, and their answers become an evaluation.

study = typer.Typer(
    help="Let people play instances of a published edition, and publish their answers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    epilog="Example: perennial study new pilot.toml",
)
_ERASE_S = 2.0  # for how long a command waits until nobody reads the ledger
FileArgument = Annotated[Path, typer.Argument(help="The study's file (TOML).")]


@study.command()
def new(
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    edition: Annotated[
        str | None, typer.Option(help="The edition; latest~1 is the one before the newest. Default: newest.")
    ] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Write a commented file of a study, with the settings and domains of the edition.

    Example: perennial study new pilot.toml --edition latest
    """
    import re
    import secrets

    from perennial.flows.study.study_file import write_starter
    from perennial.warehouse.catalog.catalog import visible_editions
    from perennial.warehouse.catalog.confinement import table_file
    from perennial.warehouse.editions.selectors import select_unit

    store = data_root(root)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", file.stem).strip("-_")[:40] or "study"
    chosen = select_unit(store, edition, visible_editions(store))
    instances = store.read_table(table_file("instances", chosen), ["setting", "domain"])
    settings, domains = (sorted(set(instances[key].to_pylist())) for key in ("setting", "domain"))
    text = write_starter(name, chosen, settings, domains, secrets.randbits(32))
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise InvalidOption(f"{show_path(file)}: {error.strerror}; name another file") from None
    if as_json:
        print_json({"file": str(file), "edition": chosen})
    console = Terminal(soft_wrap=True, stderr=True)
    console.print(f"{show_path(file)} written: put your own consent text in, then `perennial study codes`")


@study.command()
@prints_rows
def codes(
    file: FileArgument,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """Draw the codes of the study's participants and print them, once: only hashes of them are kept.

    With more `participants` in the file later, it adds codes for the new ones.

    Example: perennial study codes pilot.toml --format csv
    """
    from perennial.flows.study.opened import draw_codes
    from perennial.flows.study.study_file import read_study
    from perennial.schemas.people import person_name

    read = read_study(file)
    drawn = draw_codes(read, data_root(root), file)
    print_rows(("participant", "code"), [(person_name(code.public), str(code)) for code in drawn], format_)
    Terminal(soft_wrap=True, stderr=True).print(
        f"{count(len(drawn), 'new code')} of study {read.name}: keep them where nobody else reads them, they "
        "cannot be printed again"
        if drawn
        else f"study {read.name} has its {read.participants:,} codes: raise `participants` for more"
    )


@study.command()
@prints_rows
def status(
    file: FileArgument,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """Print each participant's progress, and finish pending deletions.

    Example: perennial study status pilot.toml
    """
    from perennial.flows.study.opened import open_study
    from perennial.flows.study.publish import count_states, find_stale, open_ledger
    from perennial.flows.study.study_file import read_study

    read, store = read_study(file), data_root(root)
    with open_ledger(read, store, file) as ledger:
        opened = open_study(read, store)
        pending = ledger.erase(_ERASE_S)
        closed_at = ledger.closed_at()
        rows = count_states(opened, ledger, ledger.now() if closed_at is None else closed_at)
        stale = find_stale(opened, ledger, store)
    print_rows(("participant", "state", "ended", "of"), [tuple(row.values()) for row in rows], format_)
    console = Terminal(soft_wrap=True, stderr=True)
    console.print(f"study {read.name} is {'open' if closed_at is None else 'closed'}")
    if pending is not None:
        console.print(_describe_pending(pending))
    for unit in stale:
        console.print(
            f"evaluation {unit} still holds somebody who withdrew: replace it with `perennial study publish "
            f"{show_path(file)}`"
        )


@study.command()
def publish(
    file: FileArgument,
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    close: Annotated[
        bool, typer.Option("--close", help="Publish even if somebody is in the middle of a task.")
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Close the study for good, and publish what people did as an evaluation of its edition.

    In figures all people together are player `human`; each person's episodes are listed as `human:CODE`.

    Example: perennial study publish pilot.toml
    """
    from perennial.flows.study.publish import publish_study
    from perennial.flows.study.study_file import read_study

    console = Terminal(soft_wrap=True, stderr=True)
    result = publish_study(read_study(file), data_root(root), file, console.print, name=name, close=close)
    _print_published(result, as_json)


@study.command()
def export(
    file: FileArgument,
    out: Annotated[Path, typer.Option(help="File to write, CSV; it must not exist.")],
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Write all moves of a study as CSV: participant, task, instance, turn, choice, what it showed, seconds.

    Without codes and profiles; those who withdrew are not in it.

    Example: perennial study export pilot.toml --out moves.csv
    """
    from perennial.flows.console.row_formats import csv_cell
    from perennial.flows.study.opened import open_study
    from perennial.flows.study.publish import MOVE_COLUMNS, list_moves, open_ledger
    from perennial.flows.study.study_file import read_study

    read, store = read_study(file), data_root(root)
    with open_ledger(read, store, file) as ledger:
        closed_at = ledger.closed_at()
        rows = list_moves(open_study(read, store), ledger, ledger.now() if closed_at is None else closed_at)
    try:
        descriptor = os.open(out, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise InvalidOption(f"--out {show_path(out)}: {error.strerror}; name another file") from None
    with open(descriptor, "w", encoding="utf-8", newline="") as written:
        writer = csv.writer(written)
        writer.writerow(MOVE_COLUMNS)
        writer.writerows([csv_cell(c) if isinstance(c, str) else c for c in row] for row in rows)
    if as_json:
        print_json({"file": str(out), "moves": len(rows)})
    Terminal(soft_wrap=True, stderr=True).print(f"{count(len(rows), 'move')} in {show_path(out)}")


@study.command()
def withdraw(
    file: FileArgument,
    code: Annotated[str, typer.Argument(help="The participant's code, or its public part.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Delete everything kept about a participant; replace the published evaluation by one without it.

    It ends with exit code 1 while the deletion on disk is pending, because another process reads the ledger.
    The files of the replaced evaluation stay, hidden from readers, until you delete them.

    Example: perennial study withdraw pilot.toml k7m2qx
    """
    from perennial.flows.study.publish import withdraw_participant
    from perennial.flows.study.study_file import read_study
    from perennial.tasks.study import parse_public
    from perennial.warehouse.study.ledger import study_file
    from perennial.warehouse.study.schema import erase_withdrawn

    public = parse_public(code)
    console = Terminal(soft_wrap=True, stderr=True)
    if not yes and not typer.confirm(f"delete all that is kept of participant {public}?", err=True):
        console.print("nothing was deleted")
        raise typer.Exit(1)
    read, store = read_study(file), data_root(root)
    result = withdraw_participant(read, store, file, public, console.print)
    pending = erase_withdrawn(study_file(store, read.name), _ERASE_S)
    if pending is None:
        console.print(f"participant {public} is withdrawn: events, profile and the code's hash are deleted")
    else:
        console.print(
            f"participant {public} is withdrawn: events, profile and the code's hash are in no table"
        )
        console.print(_describe_pending(pending))
    more = {"participant": public, "pending": None if pending is None else pending.until}
    if result is None:
        if as_json:
            print_json({**more, "evaluation": None, "withdrawn": []})
    else:
        _print_published(result, as_json, more)
    if pending is not None:
        raise typer.Exit(1)


def _describe_pending(pending: "Pending") -> str:
    whose = count(len(pending.participants), "participant")
    return (
        f"the deletion from the disk of what {whose} did is pending until {pending.until}: "
        "`perennial study status` and a running page try it again"
    )


def _print_published(
    result: "PublishedStudy", as_json: bool, more: Mapping[str, object] = MappingProxyType({})
) -> None:
    console = Terminal(soft_wrap=True, stderr=True)
    for unit in result.withdrawn:
        console.print(f"evaluation {unit} is withdrawn: no view shows it, and its files stay")
    counted = ", ".join(f"{rows:,} {table}" for table, rows in result.counts.items() if rows)
    if result.counts:
        console.print(f"evaluation {result.unit} is published: {counted}")
    elif result.unit:
        console.print(f"evaluation {result.unit} is published already, with these answers: nothing to do")
    else:
        console.print("nobody's answers are left: nothing is published")
    if as_json:
        document = {
            **more,
            "evaluation": result.unit or None,
            "counts": result.counts,
            "withdrawn": list(result.withdrawn),
        }
        print_json(document)
