"""Trajectory files that are something else, and what parts, chunks and processes must not change."""

import time
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.schemas.errors import PerennialError
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.release.layout import SettingFile
from perennial.warehouse.kumo.release.trajectories import (
    ImportProgress,
    import_trajectories,
    merge_parts,
    write_part,
)
from tests.warehouse.release_runs import (
    EASY,
    ON_WEATHER,
    a_line,
    a_run,
    an_unparsed_run,
    read,
    read_lines,
    trajectory_file,
)


@pytest.mark.parametrize(
    "run",
    [
        "a run",
        a_run([]),
        a_run(["measure"], "rain", actions=["measure", "rain"]),
        a_run(["measure"], "rain", actions=["measure", "snow", {"predicted_truth": "rain"}]),
        a_run(["measure"], "rain", actions=["thunder", "rain", {"predicted_truth": "rain"}]),
        a_run(["measure"], "rain", actions=[["measure"], "rain", {"predicted_truth": "rain"}]),
        a_run(["measure"], "rain", generated_text=["one"]),
        a_run(["measure"], "rain", observations=[None]),
        a_run(["measure"], "rain", observations=[None, {"action": "listen", "observation": "grey"}]),
        a_run(["measure"], "rain", successful="yes"),
        a_run(["measure"], "rain", parse_error=True),
        a_run(["measure"], "rain", consumed_tokens=2**63),
        an_unparsed_run([], None, "") | {"parse_error": False},
    ],
)
def test_a_line_with_a_foreign_run_is_skipped_whole(tmp_path: Path, run: Any) -> None:
    good = a_run(["measure"], "rain")
    imported, rows = read_lines(tmp_path, a_line(good, run), a_line(good))
    assert [row["run"] for row in rows["episodes"]] == [0]
    assert len(rows["turns"]) == 2
    assert [(skipped.line, skipped.reason[:5]) for skipped in imported.skipped] == [(1, "run 1")]
    assert imported.findings == []


@pytest.mark.parametrize(
    "line",
    [
        "[1, 2]",
        a_line(a_run([], "rain"))[:80],
        a_line(a_run([], "rain"), seed=7),
        '{"trajectories": [], "seed": 0}',
        '{"seed": true, "trajectories": []}',
        "[" * 5000,
        '{"seed": 0, "trajectories": [{"generated_text": ["\\ud800"]}]}',
    ],
)
def test_a_foreign_line_is_skipped(tmp_path: Path, line: str) -> None:
    imported, rows = read_lines(tmp_path, a_line(a_run([], "rain")), line)
    assert len(rows["episodes"]) == 1
    assert [(skipped.file, skipped.line) for skipped in imported.skipped] == [("runs.jsonl", 2)]
    assert "\n" not in imported.skipped[0].reason


@pytest.mark.slow
def test_a_file_of_which_nothing_is_read_is_named_once(tmp_path: Path) -> None:
    contents = {
        "empty": b"",
        "foreign": b"name,score\na,1\nb,2\n",
        "bytes": b"\xff\xfe\x00\x01\n\xff\n",
        "other_place": a_line(a_run([], "rain")).encode(),
        "whole": a_line(a_run([], "rain")).encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    files = [
        trajectory_file(tmp_path / name, name, "OtherEnv" if name == "other_place" else "WeatherEnv")
        for name in (*contents, "missing")
    ]
    imported, rows = read(files, ON_WEATHER, tmp_path / "staged")
    assert [row["player"] for row in rows["episodes"]] == ["whole"]
    assert {(skipped.file, skipped.line) for skipped in imported.skipped} == {
        (name, None) for name in ("empty", "foreign", "bytes", "missing")
    }
    told = {skipped.file: skipped.reason for skipped in imported.skipped}
    assert told["foreign"].startswith("none of its 3 lines holds runs (line 1: ")
    (outcome,) = imported.outcomes
    assert outcome == {
        "player": "other_place",
        "domain": "OtherEnv",
        "setting": "easy",
        "seed": outcome["seed"],
        "runs": 1,
        "solved": 1,
    }


# Files, parts and processes


ON_BOTH = dict.fromkeys((("WeatherEnv", EASY), ("OtherEnv", EASY)), ON_WEATHER["WeatherEnv", EASY])


def many_files(folder: Path) -> list[SettingFile]:
    """Twelve files of two domains with runs, one that is foreign and one with a finding."""
    files = []
    for number in range(12):
        runs = [a_run(["measure", "listen"][: number % 3], "rain") for _ in range(number + 1)]
        file = folder / f"model-{number:02d}.jsonl"
        file.write_text(a_line(*runs) + "\n", encoding="utf-8")
        domain = "OtherEnv" if number % 4 == 3 else "WeatherEnv"
        files.append(trajectory_file(file, f"model-{number:02d}", domain))
    (folder / "model-05.jsonl").write_text("nothing\n")
    (folder / "model-06.jsonl").write_text(a_line(a_run([], "rain", successful=False)))
    return files


@pytest.mark.slow
def test_processes_do_not_change_the_result_and_rows_are_sorted_by_key(tmp_path: Path) -> None:
    files = many_files(tmp_path)
    results = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        imported, rows = read(files[::-1], ON_BOTH, folder, workers=workers)
        results.append((imported, [(folder / f"{table}.parquet").read_bytes() for table in rows]))
        for name, own in rows.items():
            keys = [tuple(row[column] for column in TABLES[name].key) for row in own]
            assert keys == sorted(set(keys))
            assert len(list((folder / name).iterdir())) == 2
    assert results[0] == results[1]
    assert imported.counts == {"episodes": 66, "turns": 140, "kumo_episodes": 66, "kumo_moves": 140}
    assert [skipped.file for skipped in imported.skipped] == ["model-05.jsonl"]


def test_no_files_give_tables_without_rows(tmp_path: Path) -> None:
    imported, rows = read([], ON_WEATHER, tmp_path / "staged")
    assert (imported.skipped, imported.findings) == ([], [])
    assert rows == {name: [] for name in ("episodes", "turns", "kumo_episodes", "kumo_moves")}


@pytest.mark.slow
def test_progress_grows_to_all(tmp_path: Path) -> None:
    seen: list[ImportProgress] = []
    import_trajectories(many_files(tmp_path), ON_BOTH, tmp_path / "s", on_progress=seen.append)
    assert [(progress.files, progress.all_files) for progress in seen] == [(3, 12), (12, 12)]
    assert [progress.runs for progress in seen] == [24, 66]


@pytest.mark.slow
def test_parts_of_another_source_are_merged_with_those_of_the_import(tmp_path: Path) -> None:
    files = many_files(tmp_path)
    import_trajectories(files[:3], ON_WEATHER, tmp_path / "some")
    others, _ = read(files[3:], ON_BOTH, tmp_path / "others")
    whole = pq.read_table(tmp_path / "others" / "episodes.parquet")
    more = whole.drop_columns([column.name for column in TABLES["episodes"].unit_columns])
    write_part(more, tmp_path / "some", "episodes", 99_999)
    write_part(more.slice(0, 0), tmp_path / "some", "episodes", 99_998)
    merged = pq.read_table(merge_parts(tmp_path / "some", "episodes", "e1@1"))
    assert merged.num_rows == 6 + others.counts["episodes"]
    assert merged["episode_id"].to_pylist() == sorted(merged["episode_id"].to_pylist())


class _Endless(dict[int, Any]):
    """Instances that a worker process reads for ten minutes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return time.sleep, (600,)


@pytest.mark.slow
def test_a_worker_that_is_ended_from_outside_is_told(tmp_path: Path) -> None:
    def end_the_workers(_: ImportProgress) -> None:
        for process in active_children():
            process.kill()

    first, second, *_ = many_files(tmp_path)
    files = [replace(first, domain="A"), replace(second, domain="B")]
    boards = {("B", EASY): _Endless({0: None})}
    with pytest.raises(PerennialError, match="worker processes was ended from outside"):
        import_trajectories(files, boards, tmp_path / "staged", workers=2, on_progress=end_the_workers)
