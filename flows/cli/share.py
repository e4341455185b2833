"""Commands that exchange editions with others."""

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root
from perennial.flows.console import progress
from perennial.flows.console.input_files import read_bytes_file, require_folder, show_path
from perennial.flows.console.print_edition import next_after_scores
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, add_extra, count
from perennial.warehouse.catalog.scores import keep_scores, parse_scores
from perennial.warehouse.lock import lock_root

# `perennial import inspect`: what models answered as tasks of Inspect, as an evaluation of the edition.


def import_inspect(
    logs: Annotated[list[Path], typer.Argument(help="Logs of Inspect (*.eval, *.json), or folders of them.")],
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import logs of `inspect eval perennial/NAME` as an evaluation of the edition that was played.

    Each reply is graded again by the benchmark's own game; a log with another grade is refused. Players are
    called as Inspect calls models, such as openai/gpt-4.1-mini; an epoch is a run. Importing the same logs
    twice changes nothing. Needs the extra `inspect`.

    Example: perennial import inspect logs/
    """
    store = data_root(root)
    try:
        import zipfile_zstd  # noqa: F401
    except ImportError:
        raise InvalidOption(f"import inspect needs more packages: {add_extra('inspect')}") from None
    from perennial.flows.inspect_tasks.import_logs import import_logs

    console = Terminal(soft_wrap=True, stderr=as_json)
    with progress.show_on(console):
        done = import_logs(store, logs, name, console.print)
    if not done.is_new:
        console.print(f"evaluation {done.unit} was imported from the same logs before: nothing to do")
    else:
        console.print(
            f"published {done.unit}: {count(done.episodes, 'episode')} of {', '.join(done.players)}, each "
            "graded again"
        )
    if as_json:
        print_json({**asdict(done), "players": list(done.players)})
    console.print("next: perennial report")


# `perennial import` and `perennial export`: what others have published, and an edition for others.

import_app = typer.Typer(
    help="Import what others have published: releases of benchmarks, scores of other benchmarks.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial import scores livebench.csv",
)

for _benchmark in benchmarks().values():
    for _name, (_place, _) in _benchmark.importers.items():
        _module, _, _function = _place.partition(":")
        import_app.command(_name)(getattr(import_module(_module), _function))


import_app.command("inspect")(import_inspect)


@import_app.command()
def scores(
    file: Annotated[Path, typer.Argument(help="CSV with the columns benchmark, player, score, source.")],
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import other benchmarks' scores of the players, to correlate with perennial's.

    New scores of a source replace its earlier ones. `perennial analyse` then computes the
    correlations, and `perennial query "FROM correlations"` shows them.

    Example: perennial import scores livebench.csv
    """
    content = read_bytes_file(file)
    store = data_root(root, may_begin=True)
    rows = parse_scores(content, show_path(file))
    console = Terminal(soft_wrap=True, stderr=as_json)
    with lock_root(store, "import scores", console.print):
        sources = keep_scores(store, rows)
    benchmarks = len({row["benchmark"] for row in rows})
    console.print(f"{len(rows):,} scores of {benchmarks} benchmarks from {', '.join(sources)}")
    if as_json:
        document = {"scores": len(rows), "benchmarks": benchmarks, "sources": list(sources)}
        print_json(document)
    console.print(next_after_scores(store))


def export(
    edition: Annotated[str, typer.Argument(help="The edition; latest~1 is the one before the newest.")],
    destination: Annotated[Path, typer.Argument(help="Folder to write, which must not exist.")],
    licence: Annotated[
        str | None,
        typer.Option(
            "--license",
            metavar="TEXT",
            help="License of the data. Default: Apache-2.0, none for imported data.",
        ),
    ] = None,
    form: Annotated[
        ExportForm,
        typer.Option(
            "--format",
            help="parquet: all tables, answers included; jsonl: the questions; hf: a dataset for the Hugging "
            "Face Hub; inspect: transcripts as logs of Inspect; lm-eval: a task, of a one-shot benchmark; "
            "duckdb: one file with all tables, views and macros; hf-results: the success rates of each model "
            "as files of results for its repository on the Hub; eee: scores and episodes of each model as "
            "records of Every Eval Ever.",
        ),
    ] = ExportForm.parquet,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Write the answers too, in jsonl, hf and lm-eval.")
    ] = False,
    dataset: Annotated[
        str,
        typer.Option(metavar="ORG/NAME", help="With hf-results or eee: where the questions are on the Hub."),
    ] = "",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was exported as JSON.")] = False,
) -> None:
    """Write an edition with its evaluations as a folder for others, its private instances left out.

    The folder is written whole or not at all, after its hashes are checked. Withdrawn evaluations are not
    exported. After `perennial editions retire EDITION` nothing is left out.

    Example: perennial export latest questions --format jsonl
    """
    written = export_edition(
        data_root(root), edition, destination, licence, form, with_answers=with_answers, dataset=dataset
    )
    if as_json:
        sys.stdout.write(json.dumps(asdict(written), indent=1) + "\n")
        return
    console = Terminal(soft_wrap=True)
    files = [file for file in written.files if file.rows]
    rows, size = sum(file.rows for file in written.files), sum(file.size for file in written.files)
    console.print(
        f"edition {written.edition} exported to {written.destination}: {count(len(files), 'file')}, "
        f"{rows:,} rows, {size:,} bytes"
    )
    if written.left_out:
        counted = ", ".join(f"{number:,} {table}" for table, number in written.left_out.items())
        console.print(
            f"left out, as private until `perennial editions retire {written.edition}`: {counted}; "
            "figures are over all instances"
        )
    else:
        console.print("nothing was left out")


# `perennial site`: all visible editions as a static website.


def site(
    folder: Annotated[Path, typer.Argument(help="Folder of the website: new, empty, or built before.")],
    root: RootOption = None,
    trial: Annotated[
        list[str] | None,
        typer.Option(metavar="EDITION", help="Also show this edition of `perennial try`. Repeatable."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the website of another data root in FOLDER.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was built as JSON.")] = False,
) -> None:
    """Build a static website of all visible editions, for any host or for opening from disk.

    A leaderboard and an example per benchmark, pages per edition and model, downloads with checksums,
    scores.json, a feed, seeds. Private instances, secret seeds and editions that `perennial try` grew are
    left out. Run it again after a refresh: it writes what changed and
    removes what is gone.

    Example: perennial site public
    """
    from perennial.flows.website.build import build_site

    console = Terminal(soft_wrap=True, stderr=as_json)
    store = existing_root(root)
    require_folder("FOLDER", folder)
    with show_steps("site") as step:
        built = build_site(store, folder, step, trial or (), replace=replace)
    page = folder / "index.html" if built.editions else folder
    console.print(
        f"website of {count(built.editions, 'edition')}: {show_path(page)} "
        f"({count(built.written, 'file')} written, {built.kept:,} unchanged, {built.removed:,} removed)"
    )
    if as_json:
        print_json({"folder": str(folder), **asdict(built)})
