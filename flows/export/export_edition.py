"""Export a published edition with its evaluations: a folder in one of several forms, whole or not at all.

Private instances, and all that refers to them, stay out until the edition is retired. The folder says
what it holds: `manifest.json`, `SHA256SUMS` for `sha256sum --check`, and a README.
"""

import hashlib
import json
import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from pkgutil import resolve_name
from uuid import uuid4

from perennial.flows.console.input_files import require_folder
from perennial.flows.export.hugging_face import card_head
from perennial.flows.export.source import Source
from perennial.flows.run.code_version import code_version
from perennial.schemas.disclosure import canary_line
from perennial.schemas.errors import Damaged, InvalidOption, count
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import ReadJson
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.manifest import manifest_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import revealed_seed
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.export_tables import ExportedFile
from perennial.warehouse.store.store import Store

# The README of an export.

_TABLES = (
    "The tables are Parquet files: `tables/<table>/edition={edition}/`, with `part-0.parquet` for the "
    "questions and a file with the name of each evaluation for its answers."
)
_CONTENT = {
    "parquet": _TABLES,
    "jsonl": "`instances.jsonl` has an instance a line, with the messages by which a model is asked.",
    "hf": "`instances.parquet` has one row per instance, with the messages by which a model is asked: "
    '`datasets.load_dataset(FOLDER, "instances", split="test")`. Each configuration has one split, `test`. '
    "Tables, where there are any, hold the answers too: `tables/<table>/`.",
    "inspect": "The logs of Inspect in `logs/` have an episode a sample: `inspect view --log-dir logs`.",
    "hf-results": "`<model>/.eval_results/{edition}.yaml` is the file of results for a model's repository on "
    "the Hugging Face Hub, a value per setting.",
    "eee": "Records of Every Eval Ever, as its datastore holds them: "
    "`data/<collection>/<developer>/<model>/<uuid>.json` has a model's scores, `<uuid>_samples.jsonl` its "
    "episodes.",
    "duckdb": "`{edition}.duckdb` has all tables, views and macros, for any DuckDB from 1.2 on: "
    "`duckdb -readonly -ui {edition}.duckdb`, Harlequin, DBeaver, Superset.",
    "lm-eval": "`{edition}.yaml` is a task of lm-evaluation-harness: `lm_eval --tasks {edition} "
    f"--include_path .`; its grader, `grade.py`, needs perennial. {_TABLES}",
}


def write_readme(manifest: ReadJson) -> str:
    """Write the README of the export that this manifest describes."""
    edition = manifest["edition"]
    paragraphs = (
        f"# {edition}",
        manifest["canary_line"],
        f"License: {manifest['licence']}",
        f"An edition of the benchmark {manifest['benchmark']}, made with perennial, and "
        f"{count(len(manifest['evaluations']), 'evaluation')}. "
        f"{_CONTENT[manifest['format']].format(edition=edition)} "
        "`sha256sum --check SHA256SUMS` checks all files; `manifest.json` describes them.",
        _seed(manifest),
        _left_out(manifest),
    )
    return "\n\n".join(paragraphs) + "\n"


def _seed(manifest: ReadJson) -> str:
    if not manifest["seed_commitment"]:
        return "The data were imported; no seed is known."
    preamble = (
        f"The edition is {manifest['freshness']}. The commitment to its seed is "
        f"{manifest['seed_commitment']}, "
        "the SHA-256 of the seed's "
    )
    if manifest["seed"] is None:
        return f"{preamble}decimal digits; the seed itself was not revealed when this was exported."
    return f"{preamble}decimal digits: `printf %s {manifest['seed']} | sha256sum`."


def _left_out(manifest: ReadJson) -> str:
    if not manifest["left_out"]:
        return "Nothing is left out."
    counted = ", ".join(f"{number:,} {table}" for table, number in sorted(manifest["left_out"].items()))
    return (
        f"Private instances, and all that refers to them, are left out: {counted}. They stay private until "
        "the edition is retired. All figures in `statistics`, and counts in `editions` and "
        "`evaluations`, are over all instances, the private ones included."
    )


SUMS = "SHA256SUMS"
_LICENCE = "Apache-2.0"


class ExportForm(StrEnum):
    """What an export is written as."""

    parquet = "parquet"
    jsonl = "jsonl"
    hf = "hf"
    inspect = "inspect"
    lm_eval = "lm-eval"
    duckdb = "duckdb"
    hf_results = "hf-results"
    eee = "eee"


# What writes each, in a file of its own; imported when it is asked for.
_WRITERS = {
    ExportForm.parquet: "perennial.flows.export.source:write_tables",
    ExportForm.jsonl: "perennial.flows.export.source:write_instances",
    ExportForm.hf: "perennial.flows.export.hugging_face:write_dataset",
    ExportForm.inspect: "perennial.flows.export.inspect_logs:write_logs",
    ExportForm.lm_eval: "perennial.flows.export.hugging_face:write_task",
    ExportForm.hf_results: "perennial.flows.export.hugging_face:write_results",
    ExportForm.eee: "perennial.flows.export.every_eval_ever:write_records",
    ExportForm.duckdb: "perennial.flows.export.source:write_database",
}


@dataclass(frozen=True, slots=True)
class Export:
    """What was exported: edition and evaluations, files, and the rows that were left out, by table."""

    edition: str
    units: tuple[str, ...]
    destination: str
    form: ExportForm
    files: tuple[ExportedFile, ...]
    left_out: dict[str, int]


def export_edition(
    store: Store,
    named: str,
    destination: Path,
    licence: str | None = None,
    form: ExportForm = ExportForm.parquet,
    *,
    with_answers: bool = False,
    dataset: str = "",
) -> Export:
    """Write the edition in this form into a new folder and return what it holds.

    Raises InvalidOption for an edition that is not published, a destination that is there already, imported
    data without a licence, or what the form lacks; Damaged where files are not what was published or written.
    """
    fits = form is ExportForm.eee or bool(dataset) is (form is ExportForm.hf_results)
    if not fits or not re.fullmatch(r"|[\w.-]+/[\w.-]+", dataset):
        raise InvalidOption(
            f"--dataset {dataset!r}: expected ORGANIZATION/NAME, where the questions are on the Hub, with "
            "--format hf-results or eee and only there"
        )
    if with_answers and form not in (ExportForm.jsonl, ExportForm.hf, ExportForm.lm_eval):
        raise InvalidOption(
            f"--with-answers: expected --format jsonl, hf or lm-eval with it; {form} holds the answers anyway"
        )
    edition = select_unit(store, named, visible_editions(store))
    plan = read_published_plan(store, edition)
    if plan.imported_from and licence is None:
        raise InvalidOption(
            f"edition {edition!r} was imported: name the license of its data with --license TEXT"
        )
    if destination.exists() or destination.is_symlink():
        raise InvalidOption(f"{destination}: there is something of this name already; name a new folder")
    require_folder("DESTINATION", destination)
    leave_out = not is_retired(store, edition)
    source = Source(
        store, plan, licence or _LICENCE, leave_out=leave_out, with_answers=with_answers, dataset=dataset
    )
    destination.parent.mkdir(parents=True, exist_ok=True)
    draft = destination.parent / f".{destination.name}-{uuid4().hex}.draft"
    draft.mkdir()
    try:
        files = resolve_name(_WRITERS[form])(source, draft)
        left_out: dict[str, int] = {}
        for file in files:
            if file.left_out:
                left_out[file.table] = left_out.get(file.table, 0) + file.left_out
        exported = Export(edition, source.units, str(destination), form, tuple(files), left_out)
        content = _describe(store, plan, exported, source.licence)
        (draft / "manifest.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        head = card_head(source, files) if form is ExportForm.hf else ""
        (draft / "README.md").write_text(head + write_readme(content), encoding="utf-8")
        _write_sums(draft)
        check_sums(draft)
        draft.rename(destination)
    finally:
        with suppress(OSError):
            shutil.rmtree(draft)
    return exported


def check_sums(folder: Path) -> None:
    """Raise Damaged unless every file of the export is what `SHA256SUMS` says, and no other is there."""
    listed = {}
    for line in (folder / SUMS).read_text(encoding="utf-8").splitlines():
        sha256, _, name = line.partition("  ")
        listed[name] = sha256
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {SUMS}
    wrong = sorted(present ^ set(listed)) + [
        name for name in sorted(present & set(listed)) if _sha256(folder / name) != listed[name]
    ]
    if wrong:
        raise Damaged(f"{folder / wrong[0]} is not what {SUMS} says: export the edition again")


def _describe(store: Store, plan: EditionPlan, export: Export, licence: str) -> dict[str, object]:
    seed = plan.seed if plan.seed is not None else revealed_seed(store, plan)
    manifests = {
        unit: hashlib.sha256(store.read_bytes(manifest_file(unit))).hexdigest() for unit in export.units
    }
    return {
        "edition": export.edition,
        "evaluations": list(export.units[1:]),
        "benchmark": plan.benchmark,
        "format": export.form.value,
        "canary": plan.canary,
        "canary_line": canary_line(plan.canary),
        "licence": licence,
        "freshness": plan.freshness,
        "seed_commitment": plan.seed_commitment,
        "seed": None if seed is None else str(seed),
        "private_share": plan.private_share,
        "is_retired": is_retired(store, plan.edition),
        "left_out": export.left_out,
        "manifests": manifests,
        "exported_by": f"perennial {code_version()}",
        "files": [asdict(file) for file in export.files if file.rows],
    }


def _write_sums(folder: Path) -> None:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = "".join(f"{_sha256(folder / name)}  {name}\n" for name in names)
    (folder / SUMS).write_text(lines, encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
