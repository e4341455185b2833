"""Benchmarks are found by entry point, and their tables join the shared ones at the first use."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, UnusableBenchmark
from perennial.schemas.kumo.tables import KUMO_TABLES
from perennial.schemas.tables import SHARED_TABLES, TABLES, staged_tables
from tests.toy.benchmark import BENCHMARK, Toy

TOY = """
from perennial.schemas.benchmark import Declaration
from perennial.schemas.table_form import Column, Table

FACTS = Table("toy_facts", "a fact", (Column("fact_id", "string", "the fact"),), key=("fact_id",))
BENCHMARK = Declaration("toy", settings=None, implementation=None, tables=(FACTS,))
"""


def _run(program: str, path: Path) -> str:
    """Return what a new process prints that also imports from this folder."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def _install_toy(folder: Path, text: str = TOY) -> None:
    (folder / "toy_benchmark.py").write_text(text, encoding="utf-8")
    info = folder / "toy_benchmark-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-benchmark\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[perennial.benchmarks]\ntoy = toy_benchmark:BENCHMARK\n")


@pytest.mark.parametrize("name", ["chess", "", "KUMO"])
def test_an_unknown_benchmark_is_refused_with_those_that_are_installed(name: str) -> None:
    with pytest.raises(
        InvalidOption, match=f"benchmark '{name}' is not installed; installed: .*kumo"
    ) as caught:
        find_benchmark(name)
    assert "\n" not in str(caught.value)


def test_tables_are_the_shared_ones_and_then_those_of_the_benchmarks() -> None:
    assert tuple(TABLES.values())[: len(SHARED_TABLES)] == SHARED_TABLES
    assert {table.name for table in KUMO_TABLES} <= set(TABLES)
    assert len(TABLES) == len(list(TABLES)) == len(set(TABLES))
    assert all(TABLES[name].name == name for name in TABLES)
    assert "books" not in TABLES
    with pytest.raises(KeyError):
        TABLES["books"]


def test_each_table_of_a_benchmark_bears_its_name_first() -> None:
    for benchmark in benchmarks().values():
        assert all(table.name.startswith(f"{benchmark.name}_") for table in benchmark.tables)


def test_references_lead_to_tables_and_columns_that_exist() -> None:
    for table in TABLES.values():
        for link in table.references:
            assert TABLES[link.to_table].column(link.to_column)
            shared = {shared.name for shared in SHARED_TABLES}
            assert link.to_table in shared or table.name not in shared


def test_staged_are_the_shared_tables_and_those_of_the_one_benchmark() -> None:
    questions, answers = (staged_tables("kumo", answers=answers) for answers in (False, True))
    assert {"editions", "evaluations", "external_scores", "validations", "audits"}.isdisjoint(
        (*questions, *answers)
    )
    assert set(questions) & set(answers) == {"calls", "messages", "rejections"}
    own = [name for name in (*questions, *answers) if name.startswith("kumo_")]
    assert own == [table.name for table in KUMO_TABLES]
    with pytest.raises(InvalidOption, match="'chess' is not installed"):
        staged_tables("chess", answers=False)


def test_no_benchmark_is_imported_before_a_table_is_looked_up(tmp_path: Path) -> None:
    program = (
        "import json, sys\n"
        "from perennial.schemas.tables import TABLES\n"
        "before = 'perennial.flows.kumo.benchmark' in sys.modules\n"
        "TABLES['episodes']\n"
        "after = [name in sys.modules for name in ('perennial.flows.kumo.benchmark', 'prefect')]\n"
        "print(json.dumps([before, *after]))"
    )
    assert json.loads(_run(program, tmp_path)) == [False, True, False]


def test_a_package_of_somebody_else_adds_a_benchmark_and_its_tables(tmp_path: Path) -> None:
    _install_toy(tmp_path)
    program = (
        "import json\n"
        "from perennial.schemas.tables import TABLES, staged_tables\n"
        "from perennial.schemas.benchmark import benchmarks\n"
        "print(json.dumps([list(benchmarks()), 'toy_facts' in TABLES, 'kumo_books' in TABLES,\n"
        "                  'toy_facts' in staged_tables('kumo', answers=False),\n"
        "                  staged_tables('toy', answers=False)[-2:]]))"
    )
    assert json.loads(_run(program, tmp_path)) == [
        ["a2rbench", "beyondbench", "knowlogic", "kumo", "toy"],
        True,
        True,
        False,
        ["instances", "toy_facts"],
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TOY.replace("implementation=None, ", ""), "TypeError: .*positional argument: 'implementation'"),
        (TOY.replace('("toy"', '("riddles"'), "expected a Declaration of the name 'toy'"),
        (TOY.replace("BENCHMARK", "WORKBENCH"), "AttributeError: .*BENCHMARK"),
    ],
)
def test_a_package_that_cannot_be_loaded_ends_every_command_with_one_line(
    tmp_path: Path, text: str, reason: str
) -> None:
    _install_toy(tmp_path, text)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", "from perennial.flows.cli.start import main; main()", "tables"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    told = (
        r"perennial: error: benchmark 'toy' of package toy-benchmark 1 \(toy_benchmark:BENCHMARK\) cannot be "
    )
    assert re.match(rf"{told}loaded: .*{reason}.*: correct the package, or uninstall it", done.stderr)


BROKEN = {
    "abstract method.* estimate": lambda: type("Lacking", (Benchmark,), {}),
    r"sumary is no method .*; did you mean summary\?": lambda: type("Misspelt", (Toy,), {"sumary": 1}),
    "its implementation is no perennial.flows.benchmark.Benchmark": lambda: str,
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_class_that_cannot_be_used_is_refused(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(benchmarks(), "toy", replace(BENCHMARK, implementation=BROKEN[reason]))
    with pytest.raises(UnusableBenchmark, match=f"^benchmark 'toy' cannot be used: [^\n]*{reason}[^\n]*$"):
        find_benchmark("toy")
