"""`perennial report`: the page, its tables as files, and what cannot be reported."""

import csv
import io
import re
import subprocess
import sys
from html import escape, unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.diagnosis import find_problems
from perennial.flows.editions.report import fill_queries, report_data
from perennial.flows.editions.report_files import write_page
from perennial.tasks.report.content import queries_of
from perennial.tasks.report.page import SHARED
from perennial.tasks.report.wording import clean
from perennial.tasks.statistics.clusters import wilson_interval
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, perennial
from tests.flows.prefect_harness import clean_environment
from tests.flows.report_root import (
    HOSTILE,
    MODEL,
    as_json,
    publish_sizes,
    publish_two,
    publish_without_models,
)
from tests.report import sample_report

QUERIES = (
    *("headline", "relative_action_counts", "references", "domains", "player_pairs", "statuses"),
    *("other_benchmarks", "models", "scale", "cheaper_models", "cost_frontier", "optimal_counts", "topology"),
    *("control_gaps", "book_versions", "authoring_funnel", "authoring_costs", "book_styles", "paper_scores"),
    *("steps_at_half", "left_out_settings", "draws", "contamination", "variance_parts", "smallest_changes"),
    *("revisions", "revisions_gain", "revisions_correlation", "configurer_gaps"),
)
SOURCES = ("configurations", "checkpoint_rates", "outcome_runs")
NEEDS_MODELS = (
    "contamination",  # of an edition with a private share
    "scale",  # computed at the end of a publication
    *("steps_at_half", "left_out_settings"),  # of instances whose optimum is known
    "draws",  # of instances that an engine drew; these are made by hand
    "other_benchmarks",
    "models",
    *("cheaper_models", "cost_frontier"),
    "control_gaps",
    "book_versions",
    *("revisions", "revisions_gain", "revisions_correlation", "configurer_gaps"),
    "authoring_funnel",
    "authoring_costs",
    "checkpoint_rates",
    "outcome_runs",
    "paper_scores",
)


def queries(edition: str) -> dict[str, str]:
    benchmark = find_benchmark("kumo")
    report = benchmark.report()
    asked = queries_of((*SHARED, *report.figures)).values()
    filled = fill_queries(benchmark, edition, (*asked, *report.sources))
    assert set(filled) == {*QUERIES, *SOURCES}
    return filled


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with the editions `old` and `new`, a day apart."""
    folder = tmp_path_factory.mktemp("reported")
    publish_two(folder)
    return folder


@pytest.fixture(scope="session")
def page(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of `new`, compared with `old`."""
    path = write_page(report_data(Store(str(root)), "new", "old"), tmp_path_factory.mktemp("page"))
    return path.read_text(encoding="utf-8")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `perennial report` in this process, in an empty folder."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: perennial(monkeypatch, capsys, "report", *arguments)


def csv_records(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(Path(name).read_bytes().decode("utf-8"), newline="")))


@pytest.mark.slow
def test_the_newest_edition_is_reported_and_its_page_named(root: Path, run: Run, tmp_path: Path) -> None:
    shown = run("--root", root)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "report of edition new: reports/new.html\n"
    page = (tmp_path / "reports" / "new.html").read_text(encoding="utf-8")
    assert "<title>Edition new</title>" in page
    assert page.count('class="chart"') >= 20
    assert [entry.name for entry in (tmp_path / "reports").iterdir()] == ["new.html"]
    assert "data-docs/index.html" not in page


def test_without_the_extra_figures_a_report_has_its_tables_and_says_what_is_missing(
    root: Path, page: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    shown = run("--root", root, "new", "--compare", "old")
    assert (shown.code, shown.out) == (0, "report of edition new: reports/new.html\n")
    assert shown.err.startswith("note: the page has tables and no figures, which need a package")
    assert shown.err.endswith(": pip install -e '.[figures]' in perennial's clone\n")
    plain = Path("reports/new.html").read_text(encoding="utf-8")
    assert shown.err.removeprefix("note: ").strip() in unescape(plain)
    assert "<noscript>" not in plain
    # Captions of figures, other captions, headings, queries and cells.
    text = re.compile(r'<(?:figcaption|p class="caption"|h2|summary|code|t[hd])(?: [^>]*)?>(.*?)</', re.S)
    assert text.findall(plain) == text.findall(page.partition("<script>")[0])
    (script,) = re.findall("<script.*?>(.*?)</script>", plain, re.S)
    assert script == (files("perennial.tasks.report") / "page.js").read_text(encoding="utf-8")


@pytest.mark.slow
def test_data_docs_beside_the_report_are_linked(tmp_path: Path) -> None:
    data = sample_report.report_data()
    (tmp_path / f"{data.edition}-data-docs").mkdir()
    assert "Data Docs" not in write_page(data, tmp_path).read_text(encoding="utf-8")
    (tmp_path / f"{data.edition}-data-docs" / "index.html").touch()
    page = write_page(data, tmp_path).read_text(encoding="utf-8")
    assert f'<a href="{escape(data.edition)}-data-docs/index.html">Data Docs of the audit</a>' in page


@pytest.mark.slow
def test_every_query_stands_on_the_page_as_it_was_run(root: Path, page: str) -> None:
    text = unescape(page)
    catalog = open_catalog(Store(str(root)))
    for name, sql in queries("new").items():
        assert "$edition" not in sql
        assert sql in text
        _, rows = catalog.query(sql)
        assert rows or name in NEEDS_MODELS, name


@pytest.mark.slow
def test_the_head_names_what_kept_players_from_a_score(root: Path, page: str) -> None:
    problems = find_problems(open_catalog(Store(str(root))), "new")
    assert problems
    assert "<dt>problems</dt>" in page
    for problem in problems[:5]:
        assert clean(problem.describe()) in unescape(page)


def test_what_a_page_shows_is_what_its_queries_answer(root: Path, page: str) -> None:
    records = open_catalog(Store(str(root))).records(queries("new")["headline"])
    assert len(records) == 8
    for record in records:
        rate, low, high = (f"{record[f'success_rate{end}']:.3f}" for end in ("", "_low", "_high"))
        assert f">{rate} [{low},\xa0{high}]</td>" in page


def test_the_time_of_publishing_is_in_utc(page: str) -> None:
    assert "<dd>2026-01-03 00:00 UTC</dd>" in page


def test_names_of_players_and_domains_are_never_markup(page: str) -> None:
    assert HOSTILE not in page
    assert "<b>" not in page
    assert HOSTILE in unescape(page)
    assert "Stars & <b>stripes</b>" in unescape(page)


@pytest.mark.slow
def test_another_process_gives_the_same_bytes_and_imports_no_prefect(
    root: Path, page: str, tmp_path: Path
) -> None:
    arguments = ["perennial", "report", "--root", str(root), "--compare", "old", "--out", str(tmp_path)]
    program = (
        f"import sys\nfrom perennial.flows.cli import app as cli\nsys.argv = {arguments!r}\n"
        "try:\n    cli.main()\nexcept SystemExit as ended:\n    assert ended.code == 0\n"
        "print(sorted({'prefect', 'openai', 'pandas', 'httpx', 'matplotlib'} & set(sys.modules)))"
    )
    environment = {**clean_environment(), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert (tmp_path / "new.html").read_bytes() == page.encode()


@pytest.mark.slow
def test_settings_stand_from_small_instances_to_large_ones(tmp_path: Path) -> None:
    publish_sizes(tmp_path)
    assert report_data(Store(str(tmp_path))).settings == ("easy", "10x12", "hard")


@pytest.mark.slow
def test_a_comparison_is_of_the_players_that_both_editions_have(root: Path, run: Run) -> None:
    shown = run("--root", root, "new", "--compare", "old", "--format", "csv", "--out", "out")
    assert shown.code == 0, shown.err
    records = csv_records("out/new/edition_comparison.csv")
    assert {record["player"] for record in records} == {"algorithm-3", HOSTILE}
    assert len(records) == 4
    for record in records:
        difference = float(record["standardised_rate"]) - float(record["other_standardised_rate"])
        assert float(record["difference"]) == pytest.approx(difference)
        assert float(record["difference_low"]) <= difference <= float(record["difference_high"])
        assert record["shared_domains"] == "3"
    own = next(record for record in records if record["player"] == "algorithm-3")
    assert (float(own["difference"]), float(own["p_value"])) == (0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_are_written_a_file_each_and_the_same_each_time(root: Path, run: Run, form: str) -> None:
    shown = run("--root", root, "new", "--format", form, "--out", "out")
    assert shown.code == 0, shown.err
    files = sorted(entry.name for entry in Path("out/new").iterdir())
    assert files == sorted(f"{name}.{form}" for name in (*QUERIES, "communities", "training_curves"))
    assert shown.out == f"{len(files)} tables of edition new: out/new\n"
    assert not Path("out/new.html").exists()
    if form == "csv":
        truths = {record["domain"]: record for record in csv_records("out/new/communities.csv")}["Weather"]
        assert truths["truths"] == as_json(["rain", "snow", "sun"])
        assert (truths["n_truths"], truths["n_links"]) == ("3", "2")
    else:
        assert run("--root", root, "new", "--format", form, "--out", "again").code == 0
        assert all(
            Path("again/new", name).read_bytes() == Path("out/new", name).read_bytes() for name in files
        )
    catalog = open_catalog(Store(str(root)))
    for name in QUERIES:
        columns, rows = catalog.query(queries("new")[name])
        if name == "optimal_counts":
            columns, rows = with_shares(columns, rows)
        if form == "csv":
            written = [list(record.values()) for record in csv_records(f"out/new/{name}.csv")]
            assert written == [["" if value is None else str(value) for value in row] for row in rows], name
        else:
            table = pq.read_table(f"out/new/{name}.parquet")
            assert table.column_names == columns
            assert [tuple(row.values()) for row in table.to_pylist()] == rows


def with_shares(columns: list[str], rows: list[tuple[Any, ...]]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Add the share of each count among the setting's instances, with Wilson's interval."""
    count, total = columns.index("instances"), columns.index("n")
    added = []
    for row in rows:
        interval = wilson_interval(row[count], row[total])
        assert interval is not None
        added.append((*row, row[count] / row[total], *interval))
    return [*columns, "share", "share_low", "share_high"], added


@pytest.mark.slow
def test_an_edition_without_models_says_what_it_has_no_figure_of(run: Run, tmp_path: Path) -> None:
    publish_without_models(tmp_path / "data")
    assert run("--root", tmp_path / "data", "--out", "out").code == 0
    page = unescape(Path("out/plain.html").read_text(encoding="utf-8"))
    for told in (
        "This edition has one player only.",
        "This edition has one setting only.",
        "no model played in it",
        "Every episode of this edition was solved.",
        "No trend is defined",
        "No score of another benchmark is known",
    ):
        assert told in page
    assert page.count('class="chart"') >= 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["newer"], "edition 'newer' (it may be withdrawn); published: new, old; did you mean new?"),
        (["--compare", "older"], "has no published edition 'older'"),
        (["new", "--compare", "new"], "--compare 'new' is the report's own edition: name another one"),
        (["--out", "a-file/folder"], "--out a-file/folder: Not a directory ("),
        (["--out", "a-file/folder", "--format", "csv"], "a-file); name a folder that you can write"),
        (
            ["--format", "pdf"],
            "--format 'pdf': expected html, csv or parquet (see `perennial report --help`)",
        ),
    ],
)
def test_what_cannot_be_reported_is_one_line_and_exit_code_2(
    root: Path, run: Run, arguments: list[str], told: str
) -> None:
    Path("a-file").write_text("")
    shown = run("--root", root, *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert told in shown.err
    assert shown.err.count("\n") == 1


def test_an_edition_is_quoted_in_sql() -> None:
    for name, sql in queries("it's \\1").items():
        assert "edition = 'it''s \\1'" in sql, name


def test_a_model_of_a_long_name_is_whole_in_its_table(page: str) -> None:
    assert f">{MODEL}</td>" in page
