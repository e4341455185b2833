"""`perennial import beyondbench`: the authors' leaderboard as scores of another benchmark."""

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.study_figures import correlation_figures
from perennial.warehouse.beyondbench.release import COLUMNS, parse_leaderboard, same_players
from perennial.warehouse.catalog.scores import load_scores
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import Run, perennial

ENTRY = dict.fromkeys(COLUMNS, 50.0)


def entry(model: Any, **changes: Any) -> dict[str, Any]:
    return {"model": model, **ENTRY, "words": 5.0, **changes}


def content(*entries: Any) -> bytes:
    return json.dumps(entries).encode()


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Commands of `perennial` in this process and an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments)


@pytest.fixture(scope="module")
def leaderboard() -> Path:
    shared = Path(os.environ.get("PERENNIAL_SHARED", REPOSITORY.parent / "shared"))
    file = shared / "beyondbench_release/leaderboard.json"
    if not file.is_file():
        pytest.skip("the leaderboard of BeyondBench's authors is not beside this clone (PERENNIAL_SHARED)")
    return file


def test_each_column_is_a_benchmark_and_the_same_model_has_one_name(give: Run, tmp_path: Path) -> None:
    file = tmp_path / "leaderboard.json"
    file.write_bytes(content(entry("Qwen/Qwen2.5-7B", accuracy=36.03), entry("Own/Model-1", accuracy=0)))
    for _ in range(2):
        done = give("import", "beyondbench", file, "--root", tmp_path / "data")
        assert (done.code, done.err) == (0, "")
        assert "26 scores of 2 models in 13 columns of beyondbench-2025; 1 named as" in done.out
        assert "qwen2.5-7b-instruct" in done.out
        # No edition is published here: `perennial analyse` would fail.
        assert 'next: perennial query "FROM external_scores"' in done.out
    scores = load_scores(Store(str(tmp_path / "data")))
    assert list(scores) == sorted(f"beyondbench-2025 {column}" for column in COLUMNS)
    assert scores["beyondbench-2025 accuracy"] == {"qwen2.5-7b-instruct": 36.03, "Own/Model-1": 0.0}
    file.write_bytes(content(entry("Qwen/Qwen2.5-7B", accuracy=40)))
    done = give("import", "beyondbench", file, "--root", tmp_path / "data", "--json")
    assert json.loads(done.out)["renamed"] == ["qwen2.5-7b-instruct"]
    replaced = load_scores(Store(str(tmp_path / "data")))
    assert replaced["beyondbench-2025 accuracy"] == {"qwen2.5-7b-instruct": 40.0}


@pytest.mark.slow
def test_parameters_and_quantization_are_kept(give: Run, tmp_path: Path) -> None:
    small = entry("Qwen/Qwen2.5-0.5B-Instruct-GPTQ-Int4", params="0.5B", quantization="GPTQ-4-Bit")
    (tmp_path / "l.json").write_bytes(
        content(small, entry("b", params="4B", quantization="None"), entry("c"))
    )
    assert give("import", "beyondbench", "l.json", "--root", "data").code == 0
    asked = "SELECT DISTINCT player, settings FROM external_scores ORDER BY ALL"
    done = give("query", asked, "--root", "data", "--json")
    assert [row["settings"] for row in json.loads(done.out)] == ["0.5B, GPTQ-4-Bit", "4B", None]
    refused = give("query", "FROM leaderboard", "--root", "data")
    assert (refused.code, "no edition is published" in refused.err) == (2, True)


def test_scores_of_other_sources_stay(give: Run, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("benchmark,player,score,source\nOther,m,1,site\n")
    (tmp_path / "leaderboard.json").write_bytes(content(entry("m")))
    assert give("import", "scores", "scores.csv", "--root", "data").code == 0
    assert give("import", "beyondbench", "leaderboard.json", "--root", "data").code == 0
    assert load_scores(Store(str(tmp_path / "data")))["Other"] == {"m": 1.0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"", "not JSON: Expecting value: line 1"),
        (b"model,accuracy\nm,5\n", "not JSON"),
        (b'[{"model": "m",\n', "not JSON"),
        (b"\xff\xfe[\x00]\x00", "not UTF-8 (invalid start byte at byte 0)"),
        (b"{}", "an object, expected a list of models"),
        (b"[]", "an empty list, expected a list of models"),
        (b"null", "null, expected a list of models"),
        (b"[5]", "entry 1 is a single value, expected an object"),
        (b"[{}]", "entry 1: model is None, expected a name on one line"),
        (content(entry("a"), entry("")), "entry 2: model is '', expected a name"),
        (content(entry("a\nb")), r"entry 1: model is 'a\nb', expected a name"),
        (content(entry("x" * 10_000)), "expected a name on one line"),
        (content({"model": "m"}), "'m' has no accuracy, expected a number"),
        (content(entry("m", easy_acc="50")), "'m': easy_acc is '50', expected a number from 0 to 100"),
        (content(entry("m", easy_acc=True)), "'m': easy_acc is True, expected a number from 0 to 100"),
        (content(entry("m", easy_acc=None)), "'m': easy_acc is None, expected a number from 0 to 100"),
        (content(entry("m", hard_acc=100.1)), "'m': hard_acc is 100.1, expected a number from 0 to 100"),
        (content(entry("m", tokens=-1)), "'m': tokens is -1, expected a number that is at least 0"),
        (content(entry("m", tokens=float("nan"))), "NaN is not a JSON number"),
        (content(entry("m", tokens=float("-inf"))), "-Infinity is not a JSON number"),
        (content(entry("m", tokens=0)).replace(b"0,", b"1e999,", 1), "too large for a number"),
        (content(entry("m", params=4)), "'m': params is 4, expected a text on one line"),
        (content(entry("m", quantization="a\nb")), r"'m': quantization is 'a\nb', expected a text"),
        (content(entry("m", tokens=10**400)), "tokens is 1000"),
        (content(entry("m"), entry("m")), "'m' and 'm' are one model; keep one"),
        (
            content(entry("Qwen/Qwen2.5-7B"), entry("qwen2.5-7b-instruct")),
            "'Qwen/Qwen2.5-7B' and 'qwen2.5-7b-instruct' are one model; keep one",
        ),
    ],
)
def test_what_is_no_leaderboard_is_refused_in_one_line(
    give: Run, tmp_path: Path, given: bytes, said: str
) -> None:
    (tmp_path / "bad.json").write_bytes(given)
    done = give("import", "beyondbench", "bad.json", "--root", "data")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("perennial: error: bad.json: ")
    assert said in done.err
    assert len(done.err) < 250
    assert not (tmp_path / "data").exists()


def test_a_missing_and_a_huge_file_are_refused_in_one_line(give: Run, tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(11_000_000)
    for name, said in (("no.json", "no such file"), ("huge.json", "larger than 10,000,000 bytes")):
        done = give("import", "beyondbench", name, "--root", "data")
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert said in done.err


def test_the_published_leaderboard_is_read_whole_and_every_name_of_the_table_is_in_it(
    leaderboard: Path,
) -> None:
    rows = parse_leaderboard(leaderboard.read_bytes(), "leaderboard.json")
    assert len(rows) == 101 * 13
    players = {row["player"] for row in rows}
    assert len(players) == 101
    assert set(same_players().values()) <= players
    assert not set(same_players()) & players
    assert {"Google/Gemma-27B", "Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B-Math"} <= players
    overall = {row["player"]: row["score"] for row in rows if row["benchmark"].endswith(" accuracy")}
    suites = [
        {row["player"]: row["score"] for row in rows if row["benchmark"].endswith(f"{suite}_acc")}
        for suite in ("easy", "medium", "hard")
    ]
    far = [
        player
        for player, score in overall.items()
        if abs(score - sum(suite[player] for suite in suites) / 3) > 0.011
    ]
    assert len(far) == 15
    assert all(player.endswith(("FP8", "AWQ", "Int4", "Int8")) for player in far)


def rates(release: Path) -> Iterator[Statistic]:
    """Yield the success rates of the KUMO authors' release: means over instances of means over runs."""
    found = duckdb.execute(
        "SELECT setting, model, count(*), avg(rate) FROM "
        "(SELECT if(n_truths = 4, 'easy', 'hard') AS setting, "
        "model, domain, seed, avg(success::INT) AS rate FROM read_parquet(?) WHERE agent = 'VanillaAgent' "
        "GROUP BY ALL) GROUP BY ALL",
        [str(release / "trajectories.parquet")],
    ).fetchall()
    for setting, model, n, rate in found:
        yield Statistic("success_rate", setting, ALL, model, n, rate, "made up")


def test_success_in_kumo_correlates_with_the_leaderboard(release: Path, leaderboard: Path) -> None:
    scores: dict[str, dict[str, float]] = {}
    for row in parse_leaderboard(leaderboard.read_bytes(), "leaderboard.json"):
        scores.setdefault(row["benchmark"], {})[row["player"]] = row["score"]
    found = {
        (figure.setting, figure.statistic, figure.other): figure
        for figure in correlation_figures(rates(release), scores, lambda _player: "models")
    }
    accuracy = "benchmark beyondbench-2025 accuracy"
    for setting, statistic, r, low, high, p_value in (
        ("easy", "pearson", 0.910, 0.658, 0.979, 0.000253),
        ("easy", "spearman", 0.758, 0.149, 0.950, 0.0111),
        ("hard", "pearson", 0.929, 0.720, 0.983, 0.0001044),
        ("hard", "spearman", 0.855, 0.386, 0.973, 0.001637),
    ):
        shown = found[setting, statistic, accuracy]
        assert shown.n == len(same_players()) == 10
        assert (shown.value, shown.low, shown.high) == pytest.approx((r, low, high), abs=0.0006)
        assert shown.p_value == pytest.approx(p_value, rel=0.01)


def test_every_player_of_the_table_is_in_the_release_of_kumo(release: Path) -> None:
    assert set(same_players().values()) <= {figure.player for figure in rates(release)}
    text = (REPOSITORY / "warehouse/beyondbench/release/players.csv").read_text("utf-8")
    assert len(list(csv.reader(io.StringIO(text)))) == len(same_players()) + 1
