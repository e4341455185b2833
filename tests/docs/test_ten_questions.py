"""The ten questions of docs/querying.md, each by its one query, against figures from the files alone."""

import re
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.made_units import make_edition
from tests.profiles.grown_root import serve_models

Row = dict[str, Any]
BLOCK = re.search(
    r"## Ten questions\n.*?```sql\n(.*?)```", (REPOSITORY / "docs/querying.md").read_text("utf-8"), re.S
)
QUERIES = {
    sql.strip().splitlines()[0].removeprefix("-- "): sql
    for sql in (BLOCK[1] if BLOCK else "").split(";\n")
    if sql.strip()
}
BEST, SECOND, LOST = "all-round", "tower-blind", "lost"
MODELS = (BEST, SECOND, LOST)
NAMES = {"gpt-4.1-mini": BEST, "gpt-4.1-nano": SECOND}
# `lost` has no price, and a context that some problems do not fit.
ENTRIES = f"""
[{BEST}]
prompt_usd_per_million = 1
completion_usd_per_million = 2
[{SECOND}]
prompt_usd_per_million = 3
completion_usd_per_million = 4
[{LOST}]
context = 150
"""
GROWN: Mapping[str, Mapping[str, Any]] = {
    "kumo-11": {"benchmark": "kumo", "seed": 5},
    "kumo-12": {"benchmark": "kumo", "seed": 6},
    "beyondbench-12": {
        "benchmark": "beyondbench",
        "seed": 5,
        "tasks": ["addition", "tower_of_hanoi/disks_3"],
        "context_tokens": 1000,
    },
}
OF_KUMO = {"domains": ["chemical_analysis", "mineral_identification"], "settings": ["hard"], "instances": 3}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two editions of KUMO and one of BeyondBench, played by models of known skill."""
    folder = tmp_path_factory.mktemp("questions")
    with serve_models(folder, ENTRIES, MODELS) as url:
        for edition, settings in GROWN.items():
            sized = OF_KUMO if settings["benchmark"] == "kumo" else {"instances": 4}
            given = {**sized, **settings, "players": list(MODELS), "runs": 1, "base_url": url}
            make_edition(folder / "data", edition, **given)
    return folder / "data"


@pytest.fixture(scope="module")
def catalog(root: Path) -> Catalog:
    return open_catalog(Store(str(root)))


def answer(catalog: Catalog, words: str, **names: str) -> list[Row]:
    """Return the rows of the query whose question has these words, for the models and names of this root."""
    ((_, sql),) = [(question, sql) for question, sql in QUERIES.items() if words in question]
    for name, here in {**NAMES, **names}.items():
        sql = sql.replace(name, here)
    return catalog.records(sql)


def read(root: Path, table: str, edition: str = "") -> list[Row]:
    """Return the rows of the table's files, read without DuckDB."""
    files = sorted((root / "tables" / table).rglob("*.parquet"))
    rows = [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]
    return [row for row in rows if edition in ("", row["edition"])]


def questions(root: Path) -> dict[tuple[str, str], Row]:
    return {(row["edition"], row["instance_id"]): row for row in read(root, "instances")}


def rates(root: Path, edition: str, column: str) -> dict[tuple[str, str], float]:
    """Success rates by player and value of the column of `instances`; one run each."""
    of, solved = questions(root), dict[tuple[str, str], list[bool]]()
    for row in read(root, "episodes", edition):
        solved.setdefault((row["player"], of[edition, row["instance_id"]][column]), []).append(row["success"])
    return {key: mean(values) for key, values in solved.items()}


def test_there_are_ten_each_of_one_statement() -> None:
    assert len(QUERIES) == 10


@pytest.mark.slow
def test_the_best_model_and_its_lead(catalog: Catalog, root: Path) -> None:
    (row,) = answer(catalog, "beyond chance")
    hard = rates(root, "kumo-12", "setting")
    first, second, _ = sorted(MODELS, key=lambda player: -hard[player, "hard"])
    assert (row["player"], row["other_player"]) == (first, second) == (BEST, SECOND)
    assert row["difference"] == pytest.approx(hard[first, "hard"] - hard[second, "hard"])
    assert (row["p_adjusted"] is None) == (row["no_interval"] is not None)


@pytest.mark.slow
def test_domains_that_separate(catalog: Catalog, root: Path) -> None:
    rows, by_domain = answer(catalog, "separate"), rates(root, "kumo-12", "domain")
    assert len(rows) == 2
    for row in rows:
        assert row["success_rate"] == pytest.approx(by_domain[BEST, row["domain"]])
        assert row["other_rate"] == pytest.approx(by_domain[SECOND, row["domain"]])
    assert [row["gap"] for row in rows] == sorted((row["gap"] for row in rows), reverse=True)


@pytest.mark.slow
def test_the_cost_of_a_success(catalog: Catalog, root: Path) -> None:
    rows, of, paid = answer(catalog, "success cost"), questions(root), dict[tuple[str, str, str], list[Row]]()
    for row in read(root, "episodes"):
        setting = of[row["edition"], row["instance_id"]]["setting"]
        paid.setdefault((row["edition"], setting, row["player"]), []).append(row)
    expected = {
        key: sum(row["cost_usd"] for row in played) / won
        for key, played in paid.items()
        if key[2] != LOST and (won := sum(row["success"] for row in played))
    }
    assert {(row["edition"], row["setting"], row["player"]): row["cost_usd_per_success"] for row in rows} == (
        pytest.approx(expected)
    )
    assert {row["benchmark"] for row in rows} == {"kumo", "beyondbench"}


@pytest.mark.slow
def test_replies_that_could_not_be_read(catalog: Catalog, root: Path) -> None:
    rows = answer(catalog, "could not be read")
    unread = {
        row["episode_id"] for row in read(root, "episodes") if row["status"] in ("unparsed", "truncated")
    }
    assert {row["episode_id"] for row in rows} == unread
    assert len(rows) == len(unread) > 5
    assert {(row["end_of_reply"], row["finish_reason"]) for row in rows} >= {("I cannot say.", "stop")}


@pytest.mark.slow
def test_the_origin_of_a_first_move(catalog: Catalog, root: Path) -> None:
    episode = next(
        row for row in read(root, "episodes", "kumo-12") if row["player"] == BEST and row["turns"] > 1
    )
    rows = answer(catalog, "first move", ep_71baeb1c=episode["episode_id"])
    (turn,) = [
        row
        for row in read(root, "turns")
        if row["edition"] == "kumo-12" and row["episode_id"] == episode["episode_id"] and row["turn"] == 1
    ]
    (call,) = [row for row in read(root, "calls", "kumo-12") if row["call_id"] == turn["call_id"]]
    assert {row["call_id"] for row in rows} == {call["call_id"]}
    assert {row["reply"] for row in rows} == {call["reply"]}
    assert {row["seed"] for row in rows} == {6}
    texts = {row["message_id"]: row["content"] for row in read(root, "messages", "kumo-12")}
    assert len(rows) == len(re.findall("message_id", call["request"])) > 1
    assert all(row["content"] in texts.values() for row in rows)


@pytest.mark.slow
def test_the_difference_of_two_editions(catalog: Catalog, root: Path) -> None:
    rows = answer(catalog, "between two editions")
    new, old = (rates(root, edition, "domain") for edition in ("kumo-12", "kumo-11"))
    domains = {domain for _, domain in new}
    for row in rows:
        differences = [new[row["player"], domain] - old[row["player"], domain] for domain in domains]
        assert row["difference"] == pytest.approx(mean(differences))
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert {row["player"] for row in rows} == set(MODELS)


@pytest.mark.slow
def test_tests_beyond_the_reference(catalog: Catalog, root: Path) -> None:
    rows = {row["player"]: row for row in answer(catalog, "beyond Algorithm 3's")}
    # A game that ends before the outcomes decide counts as one of all actions; `lost` never takes any.
    of_instances = [row["n_actions"] - row["policy_steps"] for row in read(root, "kumo_instances", "kumo-12")]
    assert rows[LOST]["excess_tests_algorithm_3"] == pytest.approx(mean(of_instances))
    assert rows[BEST]["excess_tests_algorithm_3"] < rows[LOST]["excess_tests_algorithm_3"]


@pytest.mark.slow
def test_tokens_of_each_benchmark(catalog: Catalog, root: Path) -> None:
    asked, expected = questions(root), dict[tuple[str, str], int]()
    for row in read(root, "episodes"):
        key = (asked[row["edition"], row["instance_id"]]["benchmark"], row["player"])
        expected[key] = expected.get(key, 0) + row["tokens"]
    rows = answer(catalog, "tokens does each benchmark")
    assert {(row["benchmark"], row["player"]): row["tokens"] for row in rows} == expected
    assert sum(row["episodes"] for row in rows) == len(read(root, "episodes"))


@pytest.mark.slow
def test_what_was_not_asked(catalog: Catalog, root: Path) -> None:
    rows = answer(catalog, "not asked")
    played = {(row["player"], row["instance_id"]) for row in read(root, "episodes", "beyondbench-12")}
    missing = [
        row for row in read(root, "instances", "beyondbench-12") if (LOST, row["instance_id"]) not in played
    ]
    refused = {(row["edition"], row["rule"], row["player"]): row["rows"] for row in rows}
    assert refused["beyondbench-12", "not_asked", LOST] == len(missing) > 0
    assert sum(refused.values()) == len(read(root, "rejections"))


@pytest.mark.slow
def test_what_the_audit_saw_of_a_table(catalog: Catalog, root: Path) -> None:
    rows = answer(catalog, "audit looked")
    episodes = read(root, "episodes", "kumo-12")
    assert len(rows) > 5
    assert all(row["success"] and not row["unexpected_count"] for row in rows)
    assert len({row["episode_id"] for row in episodes}) == len(episodes)
    seen = {row["expectation"]: row["observed"] for row in rows}
    assert seen["episode_id is unique"] == f"{len(episodes)} rows"
