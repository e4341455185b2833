"""`published_scores`: in every root, declared by each benchmark, and as the papers print it."""

import csv
import json
import os
import re
from functools import cache
from pathlib import Path

import pytest

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.tables import PUBLISHED_SCORES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.scores import published_rows
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.installed_benchmarks import installed, write_package

SHARED = Path(os.environ.get("PERENNIAL_SHARED", REPOSITORY.parent / "shared"))
TITLES = {
    "beyondbench": "BENCHMARK-FREE EVALUATION OF REASONING",
    "knowlogic": "Commonsense Reasoning via Knowledge-Driven Data Synthesis",
    "a2rbench": "Automatic Paradigm for Formally Verifiable Abstract Reasoning",
}
# What stands beside its numbers in the text.
IN_TEXT = {
    "Qwen3 (30B-MOE-i)": "Qwen3-30B-MOE-i",
    "GEMINI 3 PRO": "OVERALL PERFORMANCE",
    "HUMAN": "OVERALL PERFORMANCE",
}


@pytest.mark.slow
def test_a_root_without_editions_has_every_row_as_the_benchmarks_declare_it(tmp_path: Path) -> None:
    names = ", ".join(column.name for column in PUBLISHED_SCORES.columns)
    _, rows = open_catalog(Store(str(tmp_path))).query(f"SELECT {names} FROM published_scores ORDER BY ALL")
    declared = [tuple(row[column.name] for column in PUBLISHED_SCORES.columns) for row in published_rows()]
    assert sorted(rows, key=repr) == sorted(declared, key=repr)
    keys = [tuple(row[name] for name in PUBLISHED_SCORES.key) for row in published_rows()]
    assert len(keys) == len(set(keys))
    assert {row["benchmark"] for row in published_rows()} == set(benchmarks())


def test_a_benchmark_of_another_package_declares_its_own(tmp_path: Path) -> None:
    with installed(write_package(tmp_path)):
        rows = open_catalog(Store(str(tmp_path / "root"))).query(
            "SELECT source, place, player, value, unit FROM published_scores WHERE benchmark = 'toy'"
        )[1]
    assert rows == [("paper", "table 1", "Model 1", 71.5, "percent")]


def test_a_model_has_one_number_of_a_kind_in_a_table_unless_its_settings_say_why() -> None:
    named: dict[tuple[str, ...], set[str]] = {}
    for row in published_rows():
        if row["model"] is not None:
            where = (
                row["benchmark"],
                row["source"],
                row["place"],
                row["figure"],
                row["setting"],
                row["domain"],
            )
            key = (*where, row["model"], row["settings"])
            named.setdefault(key, set()).add(row["player"])
    shared = {key[6] for key, players in named.items() if len(players) > 1}
    assert shared <= {"qwen2.5-3b-instruct"}  # KUMO's figure 6b prints its number under two names


@cache
def paper(benchmark: str) -> str:
    for file in sorted((SHARED / "seeds").glob("*.txt")):
        text = file.read_text(encoding="utf-8")
        if TITLES[benchmark].lower() in text[:1000].lower():
            return re.sub(r"\s*\$\\pm\$\s*", "±", re.sub(r"</?[biu]>|\*\*", "", text))
    pytest.skip(f"the paper of {benchmark} is not beside this clone (set PERENNIAL_SHARED)")


def table_files() -> list[tuple[str, str]]:
    return [
        (benchmark, file.name)
        for benchmark in TITLES
        for file in sorted((REPOSITORY / "warehouse" / benchmark / "published").glob("table_*.csv"))
    ]


def rows_of(benchmark: str, name: str) -> list[dict[str, str]]:
    text = (REPOSITORY / "warehouse" / benchmark / "published" / name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def letters_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


SAID = ("player", "settings", "setting", "model", "printed_as")


@pytest.mark.parametrize(("benchmark", "name"), table_files())
def test_each_number_of_a_table_is_in_its_players_row_of_the_paper(benchmark: str, name: str) -> None:
    number = name.removeprefix("table_").removesuffix(".csv")
    lines = paper(benchmark).split("\n")
    # The caption is below the table in some papers, and above it in others.
    (caption,) = (place for place, line in enumerate(lines) if re.match(rf"Table {number}[.:]", line))
    near = lines[max(0, caption - 90) : caption + 25]
    for row in rows_of(benchmark, name):
        cells = [cell for heading, cell in row.items() if heading not in SAID]
        label = row.get("printed_as") or row["player"] or row.get("setting", "").upper() or "Overall"
        words = label.removesuffix("-Bit").split()
        wanted = re.compile(r"(?<![\d.])" + r"%?[\s|]+".join(map(re.escape, cells)) + r"(?![\d.])")
        found = [line for line in near if wanted.search(line.replace("|", " "))]
        assert found, f"table {number} has no row {cells}"
        if name != "table_6.csv":  # whose author stands in the first of its three rows alone
            spelled = [letters_of(line) for line in found]
            assert any(all(letters_of(word) in line for word in words) for line in spelled), (found, label)


@pytest.mark.parametrize("benchmark", TITLES)
def test_each_number_of_a_text_is_in_a_paragraph_with_its_players_name(benchmark: str) -> None:
    paragraphs = paper(benchmark).split("\n")
    for row in rows_of(benchmark, "text.csv"):
        number = f"{abs(float(row['value'])):,.10g}"
        forms = {number, row["value"].lstrip("-"), number.replace(",", "")}
        wanted = re.compile(r"(?<![\d.,])(" + "|".join(map(re.escape, forms)) + r")(?!\d|[.,]\d)")
        name = IN_TEXT.get(row["player"], row["player"])
        assert any(wanted.search(line) and name.casefold() in line.casefold() for line in paragraphs), row


def test_the_site_of_beyondbench_is_as_its_leaderboard() -> None:
    file = SHARED / "beyondbench_release/leaderboard.json"
    if not file.is_file():
        pytest.skip("the leaderboard of BeyondBench's authors is not beside this clone (PERENNIAL_SHARED)")
    columns = {"accuracy": "accuracy", "instruction_following": "instruction", "tokens": "tokens"}
    short = {"accuracy": "acc", "instruction_following": "inst", "tokens": "tokens"}
    entries = json.loads(file.read_text("utf-8"))
    rows = rows_of("beyondbench", "site.csv")
    assert [row["player"] for row in rows] == [entry["model"] for entry in entries]
    for row, entry in zip(rows, entries, strict=True):
        for heading, cell in row.items():
            if heading in SAID:
                continue
            figure, _, suite = heading.partition("/")
            own = f"{suite}_{short[figure]}" if suite else columns.get(figure, figure)
            assert float(cell) == entry["chars" if own == "characters" else own], (row["player"], heading)
        said = [entry[key] for key in ("params", "quantization") if entry[key] not in ("", "None")]
        assert row["settings"] == ", ".join(said)
