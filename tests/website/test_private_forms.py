"""No public file says in other words what is private: each benchmark, form of export, and the website."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.flows.editions.audit import audit_unit
from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.flows.website.build import build_site
from perennial.schemas.tables import staged_tables
from perennial.warehouse.audit.audit import audit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.editions.manifest import count_rows
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.merge_parts import write_sorted
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.flows.plain_audit import PlainRunner
from tests.profiles.grown_root import KEY
from tests.profiles.scripted_models import MODELS
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.website.test_private import private_texts, say_all

pytestmark = pytest.mark.slow

EDITIONS: dict[str, dict[str, Any]] = {
    "kumo": {
        "domains": ["chemical_analysis", "mineral_identification"],
        "settings": ["4x4"],
        "instances": 5,
        "counterfactual": True,
        "books": ["final", "among-2"],
        "players": ["algorithm-3"],
    },
    "beyondbench": {
        "tasks": ["addition", "sorting", "tower_of_hanoi/disks_3", "graph_coloring", "modular_systems/basic"],
        "instances": 4,
        "players": ["exact"],
    },
    "knowlogic": {"questions": 10, "players": ["exact"]},
    "a2rbench": {"seeds": 2, "variations": 2, "players": ["search", "identity"]},
}
SHARE = 0.4
# Of each table of questions, columns that make a public question the twin of a private one.
TABLES_OF_QUESTIONS = {
    "kumo_instances": [("truths", "actions")],
    "beyondbench_instances": [("payload",), ("prompt",)],
    "knowlogic_questions": [("pair",), ("payload",), ("text",)],
    "a2rbench_items": [("examples", "query", "answer"), ("code",), ("seed_item",), ("rule",)],
}
_TOKEN = re.compile(r'"[^"]*"|[^\[\],:{}\s"]+')


@pytest.fixture(scope="module", params=EDITIONS)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A root with an edition of the benchmark, played by programs and models."""
    folder, benchmark = tmp_path_factory.mktemp("private"), request.param
    options = ServerOptions(keys=(KEY,), models=MODELS, roles="tests.profiles.scripted_models")
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        flags = EDITIONS[benchmark]
        given = {**flags, "benchmark": benchmark, "edition": "e", "players": [*flags["players"], *MODELS[:2]]}
        make_edition(folder / "data", **given, base_url=server.url, runs=1, seed=None, private_share=SHARE)
    return Store(str(folder / "data"))


@pytest.fixture(scope="module")
def folders(published: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The website, and the edition's export in several forms."""
    out = tmp_path_factory.mktemp("out")
    build_site(published, out / "site")
    (benchmark,) = open_catalog(published).query("SELECT benchmark FROM editions")[1][0]
    # All forms of one benchmark: what writes them is shared.
    forms = set(ExportForm) if benchmark == "knowlogic" else {ExportForm.parquet, ExportForm.jsonl}
    if find_spec("inspect_ai") is None:
        forms.discard(ExportForm.inspect)
    for form in forms:
        answers = form in (ExportForm.jsonl, ExportForm.hf, ExportForm.lm_eval)
        dataset = "organization/name" if form is ExportForm.hf_results else ""
        export_edition(published, "e", out / form.value, form=form, with_answers=answers, dataset=dataset)
    return {folder.name: folder for folder in out.iterdir()}


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
        yield row["task"] + json.dumps(sort_all(json.loads(row["payload"])))


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [
        row
        for file in sorted(folder.rglob(f"{table}/**/*.parquet"))
        for row in pq.ParquetFile(file).read().to_pylist()
    ]


def test_no_public_file_has_a_word_or_a_form_of_a_private_question(
    published: Store, folders: dict[str, Path]
) -> None:
    catalog = open_catalog(published)
    table = next(
        name for name in TABLES_OF_QUESTIONS if catalog.query(f"SELECT count(*) FROM {name}")[1][0][0]
    )
    names, values = catalog.query(
        f"SELECT q.*, i.origin, p.instance_id IS NOT NULL AS is_private FROM {table} AS q "
        "JOIN instances AS i USING (edition, instance_id) "
        "LEFT JOIN private_instances AS p USING (instance_id)"
    )
    rows = [dict(zip(names, row, strict=True)) for row in values]
    private = [row for row in rows if row["is_private"]]
    assert 0.2 < len(private) / len(rows) < 0.6
    secret_forms = {form for row in private for form in forms_of(row)}
    secret_origins = {row["origin"] for row in private}
    texts = private_texts(catalog) | {row["prompt"] for row in private if "prompt" in row}
    assert len(texts) > 20
    assert not {row["origin"] for row in rows if not row["is_private"]} & secret_origins
    for name, folder in folders.items():
        said = say_all(folder)
        content = said.encode()  # Bytes are searched several times faster than wide characters.
        assert not [text for text in texts | secret_origins if text.encode() in content], name
        assert sum(row["instance_id"] in said for row in rows) >= {"site": 1, "hf-results": 0}.get(name, 2), (
            name
        )
        exported = rows_of(folder, table)
        assert exported or name not in ("parquet", "site")
        assert not {form for row in exported for form in forms_of(row)} & secret_forms, name
        ids = {row["instance_id"] for row in private}
        named = re.findall(r"\b(?:ki|bb|kl|a2|ar|it)_[0-9a-f]{32}\b", said)
        assert not set(named) & ids, name


def test_the_audit_of_each_edition_holds(published: Store) -> None:
    assert audit_unit(published, "e")[1] == ()


def test_the_audit_refuses_a_public_twin(published: Store, tmp_path: Path) -> None:
    plan = read_published_plan(published, "e")
    names = staged_tables(plan.benchmark, answers=False)
    files = {
        name: published.local_file(table_file(name, "e"), tmp_path / name)
        if count_rows(published, "e").get(name)
        else write_sorted(name, (), tmp_path, "e")
        for name in names
    }
    private = private_ids(published, "e")
    name = next(name for name in TABLES_OF_QUESTIONS if name in files)
    table = pq.ParquetFile(files[name]).read()
    rows = table.to_pylist()
    secret = next(row for row in rows if row["instance_id"] in private)
    public = next(row for row in rows if row["instance_id"] not in private)
    for columns in TABLES_OF_QUESTIONS[name]:
        doctored = [row | {column: secret[column] for column in columns if row is public} for row in rows]
        pq.write_table(pa.Table.from_pylist(doctored, schema=table.schema), tmp_path / "doctored")
        audited = audit({**files, name: tmp_path / "doctored"}, unit="e", plan=plan, runner=PlainRunner())
        broken = [row["expectation"] for row in audited.rows if not row["success"]]
        assert any("private one" in sentence for sentence in broken), (columns, broken)
    shared = pq.ParquetFile(files["instances"]).read()
    apart = replace(plan, private_share=0.0)
    assert all(row["success"] for row in audit(files, unit="e", plan=apart, runner=PlainRunner()).rows)
    single = pa.Table.from_pylist(
        [row | {"origin": "same"} for row in shared.to_pylist()], schema=shared.schema
    )
    pq.write_table(single, tmp_path / "doctored")
    audited = audit({**files, "instances": tmp_path / "doctored"}, unit="e", plan=plan, runner=PlainRunner())
    broken = [row["expectation"] for row in audited.rows if not row["success"]]
    assert [sentence for sentence in broken if "there are private and public questions" in sentence]
