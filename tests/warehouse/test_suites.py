"""A doctored row of each kind fails in the suite of its table, is shown, and is found in large tables too."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.schemas.tables import TABLES
from perennial.warehouse.audit import suites as search
from perennial.warehouse.audit.audit import _name_rule, audit, cross_table_rules, failed_validations
from perennial.warehouse.audit.great_expectations import CheckpointRunner
from perennial.warehouse.audit.suites import EVIDENCE_ROWS, rule_suite, table_suite
from perennial.warehouse.merge_parts import write_sorted
from tests.flows.plain_audit import holds
from tests.warehouse import tiny_edition

EPISODES = 60


def _episodes(number: int = EPISODES) -> list[dict[str, Any]]:
    (known, *_) = tiny_edition.rows()["episodes"]
    return [{**known, "episode_id": f"ep_{index:032x}", "run": index} for index in range(number)]


def _write(folder: Path, rows: list[dict[str, Any]]) -> Path:
    schema = pa.schema([field.with_nullable(True) for field in TABLES["episodes"].arrow_schema()])
    return write_sorted("episodes", [pa.Table.from_pylist(rows, schema=schema)], folder, "e1@1")


def _set(column: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[7].update({column: value})


SEVENTH = f"episode_id=ep_{7:032x}"
DOCTORED = [
    (_set("player", None), "are never NULL", f"{SEVENTH}, player=None"),
    (_set("status", "lost"), "status is one of", f"status=lost, {SEVENTH}"),
    (_set("score", 1.5), "score >= 0 <= 1", f"score=1.5, {SEVENTH}"),
    (_set("score", float("nan")), "score >= 0 <= 1", SEVENTH),
    (_set("run", -(2**60)), "run >= 0", f"run=-{2**60}, {SEVENTH}"),
    (_set("episode_id", f"EP_{7:032x}"), "episode_id matches", f"episode_id=EP_{7:032x}"),
    (_set("episode_id", f"ep_{8:032x}"), "episode_id is unique", f"episode_id=ep_{8:032x}"),
]


# A large table's rows are searched by DuckDB, kind by kind, before Great Expectations judges them.
@pytest.mark.parametrize(
    ("change", "sentence", "shown", "is_large"),
    [
        *((*one, True) for one in DOCTORED),
        (*DOCTORED[2], False),
        *(pytest.param(*DOCTORED[place], False, marks=pytest.mark.slow) for place in (0, -1)),
    ],
)
def test_a_doctored_row_fails_its_expectation_and_is_shown(
    change: Callable[[list[dict[str, Any]]], None],
    sentence: str,
    shown: str,
    is_large: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = _episodes()
    change(rows)
    if is_large:
        monkeypatch.setattr(search, "WHOLE_ROWS", EPISODES - 1)
        monkeypatch.setattr(search, "SAMPLE_ROWS", 1)
    # Its rules would fail too, where they look at the same column: this is of the table's own suite.
    monkeypatch.setattr("perennial.warehouse.audit.audit.cross_table_rules", lambda *_: {})
    audited = audit({"episodes": _write(tmp_path, rows)})
    (broken,) = [row for row in audited.rows if not row["success"]]
    assert (broken["suite"], broken["validation"]) == ("episodes", "episodes")
    assert sentence in broken["expectation"]
    assert shown in broken["observed"]
    assert broken["unexpected_count"] == (2 if "unique" in sentence else 1)
    (validation,) = audited.validations
    assert (validation["rows"], validation["unsuccessful"]) == (EPISODES, 1)
    assert validation["validated_rows"] <= (3 if is_large else EPISODES)
    (failed,) = [one for one in json.loads(validation["result"])["results"] if not one["success"]]
    assert failed["expectation_config"]["description"] == broken["expectation"]
    assert failed["result"]["partial_unexpected_index_list"]


@pytest.mark.parametrize(("change", "sentence", "_shown"), [(None, "", ""), *DOCTORED])
def test_duckdb_alone_sees_the_same(
    change: Callable[[list[dict[str, Any]]], None] | None, sentence: str, _shown: str, tmp_path: Path
) -> None:
    rows = _episodes()
    if change is not None:
        change(rows)
    frame = pq.read_table(_write(tmp_path, rows)).to_pandas(types_mapper=pd.ArrowDtype)
    suite = table_suite(TABLES["episodes"])
    assert holds(suite, frame, "episodes") == (change is None)
    for expectation in suite:
        assert holds([expectation], frame, "episodes") == (
            not sentence or sentence not in expectation.sentence
        )
    assert not holds(suite, frame.drop(columns="score"), "episodes")
    assert not holds(suite, frame.assign(run=frame["run"].astype(pd.ArrowDtype(pa.string()))), "episodes")
    assert not holds(rule_suite("no row"), frame, "a rule")
    assert holds(rule_suite("no row"), frame[:0], "a rule")


@pytest.mark.parametrize("is_large", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("change", "sentence", "observed"),
    [
        (lambda rows: rows.rename_columns({"score": "points"}), "columns are", "success, points"),
        (
            lambda rows: rows.set_column(
                rows.schema.get_field_index("run"), "run", rows["run"].cast(pa.string())
            ),
            "each column has the type",
            "run is string",
        ),
    ],
)
def test_a_missing_column_and_another_type_are_named_and_nothing_that_follows_from_them(
    change: Callable[[pa.Table], pa.Table],
    sentence: str,
    observed: str,
    is_large: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = _write(tmp_path, _episodes())
    pq.write_table(change(pq.ParquetFile(file).read()), file)
    if is_large:
        monkeypatch.setattr(search, "WHOLE_ROWS", EPISODES - 1)
    # Rules that would read the column are not asked.
    audited = audit({"episodes": file})
    broken = [row for row in audited.rows if not row["success"]]
    assert [row["suite"] for row in broken] == ["episodes"]
    assert sentence in broken[0]["expectation"]
    assert observed in broken[0]["observed"]


def test_a_rule_keeps_some_rows_for_evidence_and_counts_all(tmp_path: Path) -> None:
    rows = _episodes()
    for row in rows[5:40]:
        row["success"] = False
    audited = audit({"episodes": _write(tmp_path, rows)})
    (broken,) = [row for row in audited.rows if not row["success"]]
    assert (broken["suite"], broken["unexpected_count"]) == ("cross_table", 35)
    assert broken["validation"] == "an_episode_is_a_success_exactly_when_its_status_is_solved"
    evidence = json.loads(failed_validations(audited))[broken["validation"]]["results"][0]
    assert evidence["expectation_config"]["description"] == broken["expectation"]
    shown = evidence["result"]["partial_unexpected_list"]
    assert len(shown) == EVIDENCE_ROWS
    assert {row["episode_id"] for row in shown} <= {row["episode_id"] for row in rows[5:40]}


def test_a_large_table_is_sampled_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WHOLE_ROWS", EPISODES - 1)
    monkeypatch.setattr(search, "SAMPLE_ROWS", 10)
    file = _write(tmp_path, _episodes())
    first, second = audit({"episodes": file}), audit({"episodes": file})
    assert first == second
    assert {row["success"] for row in first.rows} == {True}
    (table, *_) = first.validations
    assert (table["validated_rows"], table["rows"]) == (10, EPISODES)
    seen = {row["observed"] for row in first.rows if row["expectation"] == "run >= 0"}
    assert seen == {"60 rows, 10 of them by a sample, all by DuckDB"}


def test_sound_rows_leave_no_value_of_theirs_in_the_result(tmp_path: Path) -> None:
    audited = audit({"episodes": _write(tmp_path, _episodes())})
    text = "".join(row["result"] for row in audited.validations)
    assert "solved" in text  # of the set of statuses
    assert tiny_edition.INSTANCE_ID not in text
    assert "ep_0" not in text
    assert failed_validations(audited) == b""


def test_expectations_and_rules_are_told_apart_by_their_sentences_and_names() -> None:
    for table in TABLES.values():
        sentences = [expectation.sentence for expectation in table_suite(table)]
        assert len(sentences) == len(set(sentences)), table.name
    names = [_name_rule(rule) for rule in cross_table_rules({*TABLES})]
    assert len(names) == len(set(names))
    assert not set(names) & set(TABLES)


def test_data_docs_show_the_row_and_open_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here, docs = (tmp_path / name for name in ("home", "here", "docs"))
    for folder in (home, here, docs):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)

    def refuse(*_: Any) -> None:
        raise AssertionError("Great Expectations opens a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    rows = _episodes()
    rows[7]["score"] = 1.5
    runner = CheckpointRunner(docs)
    audit({"episodes": _write(tmp_path, rows)}, unit="e1@1", runner=runner)
    index = runner.build_docs().read_text(encoding="utf-8")
    assert index.index("FAILED") < index.index("passed")
    (page,) = docs.glob("validations/episodes/e1@1/*/e1@1-episodes.html")
    assert page.relative_to(docs).as_posix().replace("@", "%40") in index
    text = page.read_text(encoding="utf-8")
    assert f"ep_{7:032x}" in text
    assert "1.5" in text
    for file in docs.rglob("*.html"):
        assert "http" not in file.read_text(encoding="utf-8"), file.name
    assert not [*home.iterdir(), *here.iterdir()]
