"""Runs of a domain and setting without instances: their outcomes alone, as rows of `kumo_outcome_runs`.

The checkpoints' MedicalINDEnv and MedicalOODEnv are such domains (the paper's figure 5). Success needs no
instance; the seed says which runs are on the same one, so that intervals can cluster by it.
"""

import json
from collections.abc import Mapping
from typing import Any

from perennial.schemas.kumo.things import Setting
from perennial.schemas.rows import Row
from perennial.warehouse.kumo.release.files import Skipped, read_lines
from perennial.warehouse.kumo.release.layout import SettingFile

_MAX_LINE_BYTES = 100_000_000


def read_outcome_rows(file: SettingFile) -> list[Row] | None:
    """Return a row per instance of the file; None where a line holds no outcomes."""
    rows = []
    for seed, trajectories in read_outcomes(file).items():
        if trajectories is None:
            return None
        if trajectories:
            solved = sum(run["successful"] for run in trajectories)
            rows.append(outcome_row(file.player, file.domain, file.setting, seed, len(trajectories), solved))
    return rows or None


def outcome_row(player: str, domain: str, setting: Setting, seed: int, runs: int, solved: int) -> Row:
    """Return the row of table `kumo_outcome_runs`."""
    place = {"player": player, "domain": domain, "setting": setting.name, "seed": seed}
    return {**place, "runs": runs, "solved": solved}


def read_outcomes(file: SettingFile) -> Mapping[int, list[dict[str, Any]] | None]:
    """Return the runs of the file by seed, None for a line that holds none."""
    found: dict[int, list[dict[str, Any]] | None] = {}
    for entry in read_lines(file.file, _MAX_LINE_BYTES):
        number, runs = -1 - len(found), None
        if not isinstance(entry, Skipped):
            try:
                record = json.loads(entry[1])
                if all(isinstance(run["successful"], bool) for run in record["trajectories"]):
                    number, runs = int(record["seed"]), record["trajectories"]
            except (ValueError, KeyError, TypeError):
                pass
        found[number] = runs
    return found
