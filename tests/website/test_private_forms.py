"""No public file says in other words what is private: each benchmark, form of export, and the website."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.schemas.tables import staged_tables
from perennial.warehouse.audit.audit import audit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.editions.manifest import count_rows
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.merge_parts import write_sorted
from perennial.warehouse.store.store import Store
from tests.flows.plain_audit import PlainRunner
from tests.website.folders import say_all, texts_in

pytestmark = pytest.mark.slow

# By edition, the table of its questions, and columns that make a public question the twin of a private one.
TABLES_OF_QUESTIONS = {
    "k": ("kumo_instances", [("truths", "actions")]),
    "b": ("beyondbench_instances", [("payload",), ("prompt",)]),
    "l": ("knowlogic_questions", [("pair",), ("payload",), ("text",)]),
    "a": ("a2rbench_items", [("examples", "query", "answer"), ("code",), ("seed_item",), ("rule",)]),
}
_TOKEN = re.compile(r'"[^"]*"|[^\[\],:{}\s"]+')


def export_all(store: Store, edition: str, out: Path) -> dict[str, str]:
    """Export the edition in several forms; return what each says."""
    # All forms of one benchmark: what writes them is shared.
    forms = set(ExportForm) if edition == "l" else {ExportForm.parquet, ExportForm.jsonl}
    if find_spec("inspect_ai") is None:
        forms.discard(ExportForm.inspect)
    for form in forms:
        answers = form in (ExportForm.jsonl, ExportForm.hf, ExportForm.lm_eval)
        dataset = "organization/name" if form is ExportForm.hf_results else ""
        export_edition(store, edition, out / form.value, form=form, with_answers=answers, dataset=dataset)
    return {form.value: say_all(out / form.value) for form in forms}


def rename(text: str) -> str:
    """Return the text with the place of each token's first occurrence instead of the token."""
    places: dict[str, int] = {}
    return _TOKEN.sub(lambda token: str(places.setdefault(token[0], len(places))), text)


def sort_all(value: Any) -> Any:
    """Return the value with each of its lists sorted."""
    if isinstance(value, dict):
        return {key: sort_all(item) for key, item in value.items()}
    return sorted(map(sort_all, value), key=json.dumps) if isinstance(value, list) else value


def forms_of(row: dict[str, Any]) -> Iterator[object]:
    """Yield what a row of a benchmark's questions asks, whatever its language, its tokens and its order."""
    if "examples" in row:
        yield rename(row["examples"] + row["query"] + row["answer"])
        yield row["code"]
        yield row["seed_item"]
    elif "letters" in row:
        problem = json.loads(row["payload"])
        yield json.dumps([problem["scenario"], sort_all(problem["statements"]), problem["entities"]])
        yield row["pair"]
    elif "observations" in row:
        yield json.dumps([sorted(row["truths"]), sorted(row["actions"])])
    else:
        yield json.dumps(sort_all(json.loads(row["payload"])))


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [
        row
        for file in sorted(folder.rglob(f"{table}/**/*.parquet"))
        for row in pq.ParquetFile(file).read().to_pylist()
    ]


@pytest.mark.parametrize("edition", TABLES_OF_QUESTIONS)
def test_no_public_file_has_a_word_or_a_form_of_a_private_question(
    edition: str,
    private_root: Path,
    private_site: Path,
    said_on_site: str,
    secret_texts: set[str],
    tmp_path: Path,
) -> None:
    store, (table, _) = Store(str(private_root)), TABLES_OF_QUESTIONS[edition]
    rows = open_catalog(store).records(
        f"SELECT q.*, i.origin, p.instance_id IS NOT NULL AS is_private FROM {table} AS q "
        "JOIN instances AS i USING (edition, instance_id) "
        "LEFT JOIN private_instances AS p USING (instance_id)"
    )
    private = [row for row in rows if row["is_private"]]
    assert 0.2 < len(private) / len(rows) < 0.6
    secret_forms = {form for row in private for form in forms_of(row)}
    secret_origins = {row["origin"] for row in private}
    assert not {row["origin"] for row in rows if not row["is_private"]} & secret_origins
    texts = secret_texts | secret_origins | {row["prompt"] for row in private if "prompt" in row}
    for name, said in (export_all(store, edition, tmp_path) | {"site": said_on_site}).items():
        assert not texts_in(texts, said), name
        assert sum(row["instance_id"] in said for row in rows) >= {"site": 1, "hf-results": 0}.get(name, 2), (
            name
        )
        exported = rows_of(private_site if name == "site" else tmp_path / name, table)
        assert exported or name not in ("parquet", "site")
        assert not {form for row in exported for form in forms_of(row)} & secret_forms, name


@pytest.mark.parametrize("edition", TABLES_OF_QUESTIONS)
def test_the_audit_refuses_a_public_twin(edition: str, private_root: Path, tmp_path: Path) -> None:
    published = Store(str(private_root))
    plan = read_published_plan(published, edition)
    names = staged_tables(plan.benchmark, answers=False)
    files = {
        name: published.local_file(table_file(name, edition), tmp_path / name)
        if count_rows(published, edition).get(name)
        else write_sorted(name, (), tmp_path, edition)
        for name in names
    }
    private = private_ids(published, edition)
    name, twins = TABLES_OF_QUESTIONS[edition]
    table = pq.ParquetFile(files[name]).read()
    rows = table.to_pylist()
    shared = pq.ParquetFile(files["instances"]).read()
    domains = dict(zip(*(shared[name].to_pylist() for name in ("instance_id", "domain")), strict=True))
    secrets, others = (
        [row for row in rows if (row["instance_id"] in private) == hid] for hid in (True, False)
    )
    # Equal parameters are twins within a task of BeyondBench.
    secret, public = min(
        product(secrets, others), key=lambda pair: len({domains[row["instance_id"]] for row in pair})
    )
    for columns in twins:
        doctored = [row | {column: secret[column] for column in columns if row is public} for row in rows]
        pq.write_table(pa.Table.from_pylist(doctored, schema=table.schema), tmp_path / "doctored")
        audited = audit({**files, name: tmp_path / "doctored"}, unit=edition, plan=plan, runner=PlainRunner())
        broken = [row["expectation"] for row in audited.rows if not row["success"]]
        assert any("private one" in sentence for sentence in broken), (columns, broken)
    apart = replace(plan, private_share=0.0)
    assert all(row["success"] for row in audit(files, unit=edition, plan=apart, runner=PlainRunner()).rows)
    single = pa.Table.from_pylist(
        [row | {"origin": "same"} for row in shared.to_pylist()], schema=shared.schema
    )
    pq.write_table(single, tmp_path / "doctored")
    audited = audit(
        {**files, "instances": tmp_path / "doctored"}, unit=edition, plan=plan, runner=PlainRunner()
    )
    broken = [row["expectation"] for row in audited.rows if not row["success"]]
    assert [sentence for sentence in broken if "there are private and public questions" in sentence]
