"""The release's table of runs as episodes: what its counts mean, and whose runs are taken."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.schemas.kumo.things import Setting
from perennial.warehouse.kumo.release.layout import ReleaseFile, SettingFile
from perennial.warehouse.kumo.release.run_table import run_table_episodes, table_players
from perennial.warehouse.kumo.release.trajectories import RunInstance

BOARDS = {
    ("MusicEnv", Setting(4, 6)): {
        seed: RunInstance(f"ki_{seed}", book, (), (), {}, {}) for seed, book in enumerate(("bk_0", None))
    }
}


def _run(model: str = "m", run: int = 0, seed: int = 0, count: int = 5, **changes: Any) -> dict[str, Any]:
    row = {
        "model": model,
        "agent": "VanillaAgent",
        "domain": "MusicEnv",
        "n_truths": 4,
        "n_actions": 6,
        "seed": seed,
        "run": run,
        "published_action_count": count,
        "turns": count - 1,
        "success": False,
        "parse_error": False,
        "tokens": 100.0,
    }
    return {**row, **changes}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        _run(success=True),
        _run(run=1),
        _run(run=2, count=3, parse_error=True, turns=3),
        _run(run=3, count=50, turns=50),
        _run(run=0, seed=1, success=True),
        _run(run=0, seed=1, count=6, success=True),
        _run("sft:s"),
        _run("search", agent="oracle", success=True),
        _run(seed=7),
        _run(domain="MoonEnv"),
    ]
    path = tmp_path / "trajectories.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def _episodes(file: Path, **options: Any) -> list[tuple[Any, ...]]:
    tables = run_table_episodes(file, BOARDS, **{"files": (), **options})
    own = {row["episode_id"]: row for row in tables["kumo_episodes"].to_pylist()}
    rows = [{**row, **own[row["episode_id"]]} for row in tables["episodes"].to_pylist()]
    assert len(own) == len(rows)
    assert all(row["turns"] is None and row["score"] == float(row["success"]) for row in rows)
    kept = ("player", "instance_id", "book_id", "run", "status", "tests", "tokens")
    return sorted(
        tuple(row[name] for name in kept) for row in rows if row["success"] == (row["status"] == "solved")
    )


def test_counts_are_read_as_they_were_published(file: Path) -> None:
    assert _episodes(file, players=["m"]) == [
        ("m", "ki_0", "bk_0", 0, "solved", 3, 100),
        ("m", "ki_0", "bk_0", 1, "wrong", 3, 100),
        ("m", "ki_0", "bk_0", 2, "unparsed", 2, 100),
        ("m", "ki_0", "bk_0", 3, "turn_limit", 50, 100),
        ("m", "ki_1", None, 0, "solved", 3, 100),
        ("m", "ki_1", None, 1, "solved", 4, 100),
    ]


def test_fine_tuned_players_have_their_name_and_the_oracle_is_left_out(file: Path) -> None:
    assert {row[0] for row in _episodes(file)} == {"m", "sft/s"}


def test_the_table_names_its_players(file: Path, tmp_path: Path) -> None:
    assert table_players(file) == ["m", "sft/s"]
    (tmp_path / "broken").write_bytes(b"no table")
    assert table_players(tmp_path / "broken") == []


def test_players_with_files_of_their_own_are_left_out(file: Path) -> None:
    def of_m(setting: Setting) -> SettingFile:
        return SettingFile("MusicEnv", setting, ReleaseFile("m", file), player="m")

    assert {row[0] for row in _episodes(file, files=[of_m(Setting(4, 6))])} == {"sft/s"}
    assert len(_episodes(file, files=[of_m(Setting(12, 16))])) == 7
