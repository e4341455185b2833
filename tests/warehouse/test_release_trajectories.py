"""The import of the authors' trajectories: the real ones' figures, and every kind of run on made-up files."""

import json
import time
from collections import Counter
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.schemas.errors import PerennialError
from perennial.schemas.game import Episode, Result, Turn
from perennial.schemas.kumo.things import Step
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.release.layout import SettingFile
from perennial.warehouse.kumo.release.trajectories import (
    ImportProgress,
    import_trajectories,
    merge_parts,
    write_part,
)
from perennial.warehouse.kumo.rows import episode_id, kumo_episode_row, move_rows, observation_text
from perennial.warehouse.staging import episode_row, turn_rows
from tests.warehouse.release_runs import (
    EASY,
    HARD,
    INSTANCE,
    ON_WEATHER,
    a_line,
    a_run,
    an_unparsed_run,
    read,
    read_lines,
    read_one,
    read_released_instances,
    setting_folder,
    trajectory_file,
    whole_episodes,
    whole_turns,
)

# The real trajectories


@pytest.mark.parametrize("setting", [EASY, HARD], ids=lambda setting: setting.name)
@pytest.mark.slow
def test_counts_of_each_model_and_domain_are_the_published_ones(
    release: Path, tmp_path: Path, setting
) -> None:
    files = [
        trajectory_file(path, path.parts[-5], path.parts[-3], setting)
        for path in (release / "results").glob(f"*/VanillaAgent/*/{setting_folder(setting)}/*.jsonl")
    ]
    domains = {file.domain for file in files}
    imported, rows = read(files, read_released_instances(release, domains, setting), tmp_path)
    assert imported.skipped == []
    assert imported.findings == []
    domain_of = {
        key.instance_id: place[0]
        for place, keys in read_released_instances(release, domains, setting).items()
        for key in keys.values()
    }

    counted: Counter[tuple[str, ...]] = Counter()
    for row in whole_episodes(rows):
        group = row["player"], domain_of[row["instance_id"]]
        counted[*group, "runs"] += 1
        counted[*group, "solved"] += row["success"]
        counted[*group, "unparsed"] += row["status"] == "unparsed"
        counted[*group, "tokens"] += row["tokens"]
        # Their count has every stored entry: the tests, and what ends a run once or twice.
        counted[*group, "actions"] += row["tests"] + {"unparsed": 1, "turn_limit": 0}.get(row["status"], 2)
    assert counted == published_counts(release, {(file.player, file.domain) for file in files}, setting)


def published_counts(release: Path, played: set[tuple[str, str]], setting: Any) -> Counter[Any]:
    """Return the counts of the authors' table of runs, of these players and domains."""
    counted: Counter[tuple[str, ...]] = Counter()
    for row in pq.read_table(release / "trajectories.parquet").to_pylist():
        group = row["model"], row["domain"]
        if group in played and row["n_truths"] == setting.n_truths:
            counted[*group, "runs"] += 1
            counted[*group, "solved"] += row["success"]
            counted[*group, "unparsed"] += row["parse_error"]
            counted[*group, "tokens"] += int(row["tokens"])
            counted[*group, "actions"] += row["published_action_count"]
    return counted


@pytest.mark.slow
def test_the_oracles_published_failures_are_kept_and_found(release: Path, tmp_path: Path) -> None:
    paths = {
        path.parts[-3]: path for path in release.glob(f"search_results/*/{setting_folder(EASY)}/*.jsonl")
    }
    files = [trajectory_file(path, "oracle", domain) for domain, path in paths.items()]
    imported, rows = read(files, read_released_instances(release, paths, EASY), tmp_path)
    assert Counter(row["success"] for row in rows["episodes"]) == {True: 65 * 50 - 7, False: 7}
    assert {row["tokens"] for row in rows["episodes"]} == {None}
    differing = [finding for finding in imported.findings if finding.rule == "success_differs"]
    failures = [finding for finding in differing if finding.message.startswith("published as a failure")]
    assert "oracle FungalEnv easy seed=36" in {finding.subject for finding in failures}
    assert len(failures) <= 7


# Made-up runs, by how they end


def test_a_run_gives_the_rows_that_the_same_episode_of_ours_gives(tmp_path: Path) -> None:
    _, rows = read_lines(tmp_path, a_line(a_run(["measure", "listen", "measure"], "rain")))
    steps = (
        Step(1, "action", "measure", 4.5, 0),
        Step(2, "action", "listen", "Donner – ⛈", None),
        Step(3, "action", "measure", 4.5, 0),
        Step(4, "truth", "rain", None, None),
    )
    turns = tuple(
        Turn(step.number, f"<ANSWER> {step.move} </ANSWER>", None if seen is None else observation_text(seen))
        for step in steps
        for seen in [step.observation]
    )
    ours = Episode("m", 0, turns, Result("solved", True, 1.0), None, tokens=400)
    identity = episode_id(INSTANCE.book_id, INSTANCE.instance_id, "m", 0)
    assert rows == {
        "episodes": [episode_row(ours, identity, INSTANCE.instance_id, seconds=0.0)],
        "turns": turn_rows(ours, identity),
        "kumo_episodes": [kumo_episode_row(identity, INSTANCE.book_id, 3)],
        "kumo_moves": move_rows(identity, "m", steps),
    }


@pytest.mark.parametrize(
    ("tests", "end", "published", "status", "rules"),
    [
        ([], "snow", False, "wrong", []),
        (["listen"], "rain", False, "wrong", ["success_differs"]),
        (["listen"], "snow", True, "solved", ["success_differs"]),
    ],
    ids=["ruled out", "published as a failure", "published as a success"],
)
def test_published_success_is_kept_where_our_grader_differs(
    tmp_path: Path, tests: list[str], end: str, published: bool, status: str, rules: list[str]
) -> None:
    episode, turns, findings = read_one(tmp_path, a_run(tests, end, successful=published))
    assert (episode["status"], episode["success"], episode["tests"]) == (status, published, len(tests))
    assert (turns[-1]["kind"], turns[-1]["move"]) == ("truth", end)
    assert findings == rules


@pytest.mark.parametrize("last", [None, "thunder"], ids=["null", "the text"])
def test_a_reply_without_a_move_is_unparsed_however_it_is_stored(tmp_path: Path, last: str | None) -> None:
    run = an_unparsed_run(["look up", "measure"], last, "It may be <ANSWER> thunder </ANSWER>")
    episode, turns, findings = read_one(tmp_path, run)
    assert (episode["status"], episode["success"], episode["tests"]) == ("unparsed", False, 2)
    assert [turn["kind"] for turn in turns] == ["action", "action", "none"]
    assert (turns[-1]["move"], turns[-1]["feedback"]) == (None, None)
    assert turns[-1]["reply"] == "It may be <ANSWER> thunder </ANSWER>"
    assert findings == []


def test_a_call_without_a_reply_counts_as_published_and_is_found(tmp_path: Path) -> None:
    run = {**an_unparsed_run([], None, None), "consumed_tokens": 0}
    episode, turns, findings = read_one(tmp_path, run)
    assert (episode["status"], episode["tests"], episode["tokens"]) == ("unparsed", 0, 0)
    assert [(turn["kind"], turn["reply"]) for turn in turns] == [("none", None)]
    assert findings == ["reply_missing"]


@pytest.mark.parametrize(
    ("tests", "rules"), [(50, []), (53, ["turn_limit_differs"]), (2, ["turn_limit_differs"])]
)
def test_a_run_without_a_prediction_ended_at_the_turn_limit(
    tmp_path: Path, tests: int, rules: list[str]
) -> None:
    episode, turns, findings = read_one(tmp_path, a_run(["measure"] * tests))
    assert (episode["status"], episode["success"], episode["tests"]) == ("turn_limit", False, tests)
    assert [turn["turn"] for turn in turns] == list(range(1, tests + 1))
    # The observation of the last one is not stored: it is the instance's, as every other.
    assert {(turn["kind"], turn["feedback"], turn["state"]) for turn in turns} == {("action", "4.5", 0)}
    assert findings == rules


def test_a_prediction_that_is_no_truth_is_unparsed_and_found(tmp_path: Path) -> None:
    episode, turns, findings = read_one(tmp_path, a_run(["measure"], "fog"))
    assert (episode["status"], episode["success"], episode["tests"]) == ("unparsed", False, 1)
    assert (turns[-1]["kind"], turns[-1]["move"]) == ("none", None)
    assert turns[-1]["reply"] == "<ANSWER> fog </ANSWER>"
    assert findings == ["prediction_unlisted"]


def test_an_observation_that_is_not_the_instances_is_found_once_a_line(tmp_path: Path) -> None:
    other = a_run(["measure"], "rain", observations=[None, {"action": "measure", "observation": 4.6}])
    imported, rows = read_lines(tmp_path, a_line(a_run(["measure"], "rain"), other, other))
    assert {turn["feedback"] for turn in whole_turns(rows) if turn["kind"] == "action"} == {"4.5"}
    (finding,) = imported.findings
    assert (finding.stage, finding.subject, finding.rule) == (
        "import",
        "m WeatherEnv easy seed=0",
        "observation_differs",
    )
    assert (
        finding.message == "'measure' showed 4.6, where the instance has '4.5'; kept as published (run 1, 2)"
    )


def test_the_oracles_form_is_read_too(tmp_path: Path) -> None:
    run = a_run(["look up", "measure"], "rain", observations=[None, "grey", 4.5], action_num=4)
    del run["consumed_tokens"], run["parse_error"]
    episode, turns, findings = read_one(tmp_path, run)
    assert (episode["status"], episode["tests"], episode["tokens"]) == ("solved", 2, None)
    assert len(turns) == 3
    assert findings == []


def test_runs_of_a_seed_that_comes_again_are_numbered_on(tmp_path: Path) -> None:
    line = a_line(a_run(["measure"], "rain"), a_run(["listen"], "snow"))
    imported, rows = read_lines(tmp_path, line, line)
    assert sorted(row["run"] for row in rows["episodes"]) == [0, 1, 2, 3]
    assert len({row["episode_id"] for row in rows["episodes"]}) == 4
    assert [finding.rule for finding in imported.findings] == ["instance_repeated"]


def test_text_of_any_script_comes_through(tmp_path: Path) -> None:
    text = "Größe 大きさ \u2028\u0000\t<ANSWER> listen </ANSWER> 🌩️"
    run = a_run(["listen"], "rain", generated_text=[text, "<ANSWER> rain </ANSWER>"])
    for name, ensure_ascii in (("escaped", True), ("plain", False)):
        line = json.dumps({"trajectories": [run], "seed": 0}, ensure_ascii=ensure_ascii)
        _, rows = read_lines(tmp_path, line, name=f"{name}.jsonl")
        assert rows["turns"][0]["reply"] == text


# Trajectory files that are something else, and what parts, chunks and processes must not change.


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
