"""`perennial import` and `perennial export`: what others have published, and an edition for others."""

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.cli.share.import_inspect import import_inspect
from perennial.flows.console.input_files import read_bytes_file, show_path
from perennial.flows.console.next_step import next_after_scores
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.terminal import Terminal, json_text
from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import count
from perennial.warehouse.catalog.scores import keep_scores, parse_scores
from perennial.warehouse.lock import lock_root

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
    store = data_root(root)
    rows = parse_scores(content, show_path(file))
    console = Terminal(soft_wrap=True, stderr=as_json)
    with lock_root(store, "import scores", console.print):
        sources = keep_scores(store, rows)
    benchmarks = len({row["benchmark"] for row in rows})
    console.print(f"{len(rows):,} scores of {benchmarks} benchmarks from {', '.join(sources)}")
    if as_json:
        document = {"scores": len(rows), "benchmarks": benchmarks, "sources": list(sources)}
        sys.stdout.write(json_text(document) + "\n")
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
            "Face Hub; inspect: transcripts as logs of Inspect; lm-eval: a task, of a one-shot benchmark.",
        ),
    ] = ExportForm.parquet,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Write the answers too, in jsonl, hf and lm-eval.")
    ] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was exported as JSON.")] = False,
) -> None:
    """Write an edition with its evaluations as a folder for others, its private instances left out.

    The folder is written whole or not at all, after its hashes are checked. Withdrawn evaluations are not
    exported. After `perennial editions --retire EDITION` nothing is left out.

    Example: perennial export latest questions --format jsonl
    """
    found = export_edition(data_root(root), edition, destination, licence, form, with_answers=with_answers)
    if as_json:
        sys.stdout.write(json.dumps(asdict(found), indent=1) + "\n")
        return
    console = Terminal(soft_wrap=True)
    rows, size = sum(file.rows for file in found.files), sum(file.size for file in found.files)
    console.print(
        f"edition {found.edition} exported to {found.destination}: {count(len(found.files), 'file')}, "
        f"{rows:,} rows, {size:,} bytes"
    )
    if found.left_out:
        counted = ", ".join(f"{number:,} {table}" for table, number in found.left_out.items())
        console.print(
            f"left out, as private until `perennial editions --retire {found.edition}`: {counted}; "
            "figures are over all instances"
        )
    else:
        console.print("nothing was left out")
