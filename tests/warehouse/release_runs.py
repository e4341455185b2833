"""The released instances as the import of trajectories takes them, read plainly, and made-up runs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from perennial.schemas.kumo.things import Setting
from perennial.schemas.tables import TABLES
from perennial.tasks.kumo.configuration import parse_config
from perennial.warehouse.kumo.release.layout import ReleaseFile, SettingFile
from perennial.warehouse.kumo.release.trajectories import (
    TRAJECTORY_TABLES,
    ImportedTrajectories,
    RunInstance,
    import_trajectories,
    merge_parts,
)
from perennial.warehouse.kumo.rows import observation_text

EASY, HARD = Setting(4, 6), Setting(12, 16)
INSTANCE = RunInstance(
    instance_id="ki_weather",
    book_id="bk_weather",
    truths=("snow", "sun", "rain", "hail"),
    valid_truths=("rain", "hail"),
    observation_of={"look up": "grey", "measure": "4.5", "listen": "Donner – ⛈"},
    state_of={"look up": 1, "measure": 0, "listen": None},
)
ON_WEATHER = {("WeatherEnv", EASY): {0: INSTANCE}}
Rows = dict[str, list[dict[str, Any]]]
RAW = {"look up": "grey", "measure": 4.5, "listen": "Donner – ⛈"}


def setting_folder(setting: Setting) -> str:
    return f"truth_num={setting.n_truths}+action_num={setting.n_actions}+valid_truth_num={setting.n_valid}"


def read_released_instances(release: Path, domains: Iterable[str], setting: Setting) -> dict[Any, Any]:
    """Return the domains' instances by place and seed, with our reading of their observations."""
    return {
        (domain, setting): {
            record["seed"]: _board(record, config, domain, setting)
            for record in map(json.loads, instances.read_text(encoding="utf-8").splitlines())
        }
        for domain in domains
        for instances in [release / "instances" / domain / f"{setting_folder(setting)}.jsonl"]
        for config in [release / "domains" / f"{domain}.json"]
        if instances.is_file() and config.is_file()
    }


def _board(record: dict[str, Any], config_file: Path, domain: str, setting: Setting) -> RunInstance:
    config = parse_config(config_file.read_text(encoding="utf-8"), domain)
    outcomes = {outcome.action: outcome for outcome in config.outcomes}
    observations = [record["observations"][action] for action in record["actions"]]
    states = [
        outcomes[action].state_of(seen if isinstance(seen, str | int | float) else str(seen))
        for action, seen in zip(record["actions"], observations, strict=True)
    ]
    excluded = {
        truth
        for action, state in zip(record["actions"], states, strict=True)
        if state is not None
        for truth in outcomes[action].states[state].rules_out
    }
    return RunInstance(
        instance_id=f"ki_{domain}_{setting.name}_{record['seed']}",
        book_id=f"bk_{domain}_{setting.name}_{record['seed']}",
        truths=tuple(record["truths"]),
        observation_of=dict(zip(record["actions"], map(observation_text, observations), strict=True)),
        state_of=dict(zip(record["actions"], states, strict=True)),
        valid_truths=tuple(truth for truth in record["truths"] if truth not in excluded),
    )


def trajectory_file(
    path: Path, player: str, domain: str = "WeatherEnv", setting: Setting = EASY
) -> SettingFile:
    return SettingFile(domain, setting, ReleaseFile(path.name, path), player=player, runs=5)


def a_run(tests: Sequence[str], end: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a run as the authors store it; it ends with the prediction of `end`, or at the turn limit."""
    moves = [*tests, *([] if end is None else [end])]
    run = {
        "actions": [*moves, *([] if end is None else [{"predicted_truth": end}])],
        "generated_text": [f"<ANSWER> {move} </ANSWER>" for move in moves],
        "consumed_tokens": 100 * len(moves),
        "observations": [
            None,
            *({"action": test, "observation": RAW[test]} for test in tests[: len(moves) - 1]),
        ],
        "successful": end in INSTANCE.valid_truths,
        "parse_error": False,
    }
    return {**run, **changes}


def an_unparsed_run(tests: Sequence[str], last: str | None, reply: str | None) -> dict[str, Any]:
    """Return a run that a reply without a move ends; `last` is what the authors store as that move."""
    run = a_run(tests, "rain", successful=False, parse_error=True)
    return {**run, "actions": [*tests, last], "generated_text": [*run["generated_text"][:-1], reply]}


def a_line(*runs: Mapping[str, Any], seed: int = 0) -> str:
    return json.dumps({"trajectories": runs, "seed": seed, "average_actions": 3.0})


def read(
    files: list[SettingFile], instances: Any, folder: Path, **options: Any
) -> tuple[ImportedTrajectories, Rows]:
    """Import the files; return what is printed and the rows of the merged tables."""
    imported = import_trajectories(files, instances, folder, **options)
    tables = {name: pq.read_table(merge_parts(folder, name, "e1@1")) for name in TRAJECTORY_TABLES}
    for name, table in tables.items():
        place = [column.name for column in TABLES[name].unit_columns]
        assert table.column_names[: len(place)] == place
        assert set(table.column("edition").to_pylist()) <= {"e1"}
        assert set(table.column("evaluation").to_pylist()) <= {"1"}
        assert table.drop_columns(place).schema.equals(TABLES[name].arrow_schema())
        assert table.num_rows == imported.counts[name]
        tables[name] = table.drop_columns(place)
    return imported, {name: table.to_pylist() for name, table in tables.items()}


def read_lines(tmp_path: Path, *lines: str, name: str = "runs.jsonl") -> tuple[ImportedTrajectories, Rows]:
    file = tmp_path / name
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return read([trajectory_file(file, "m")], ON_WEATHER, tmp_path / "staged")


def read_one(tmp_path: Path, run: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Return the episode, its turns and the rules of the findings of a line with that run alone.

    The episode and each turn have the columns of their KUMO rows too.
    """
    imported, rows = read_lines(tmp_path, a_line(run))
    assert imported.skipped == []
    (episode,) = whole_episodes(rows)
    turns = whole_turns(rows)
    assert episode["score"] == float(episode["success"])
    assert episode["turns"] == len(turns)
    return episode, turns, [finding.rule for finding in imported.findings]


def whole_episodes(rows: Rows) -> list[dict[str, Any]]:
    """Return the rows of `episodes`, each with its row of `kumo_episodes`."""
    own = {row["episode_id"]: row for row in rows["kumo_episodes"]}
    assert len(own) == len(rows["kumo_episodes"]) == len(rows["episodes"])
    return [{**row, **own[row["episode_id"]]} for row in rows["episodes"]]


def whole_turns(rows: Rows) -> list[dict[str, Any]]:
    """Return the rows of `turns`, each with its row of `kumo_moves`."""
    moves = {(row["episode_id"], row["turn"]): row for row in rows["kumo_moves"]}
    assert len(moves) == len(rows["kumo_moves"]) == len(rows["turns"])
    return [{**row, **moves[row["episode_id"], row["turn"]]} for row in rows["turns"]]
