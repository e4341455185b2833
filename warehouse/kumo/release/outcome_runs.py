"""Runs of a domain and setting without instances: their outcomes alone, as a count in `rejections`.

The checkpoints' MedicalINDEnv and MedicalOODEnv are such domains (the paper's figure 5). Success needs no
instance, so that `N of M runs succeeded` is kept a player, domain and setting, under rule `outcome-only`.
"""

import json
from collections.abc import Mapping
from typing import Any

from schemas.kumo.things import Rejection, Setting
from warehouse.kumo.release.files import Skipped, read_lines
from warehouse.kumo.release.layout import SettingFile

_MAX_LINE_BYTES = 100_000_000


def count_file_outcomes(file: SettingFile) -> tuple[int, int] | None:
    """Return how many of the file's runs succeeded, and all; None where a line holds no outcomes."""
    solved = runs = 0
    for trajectories in read_outcomes(file).values():
        if trajectories is None:
            return None
        solved += sum(run["successful"] for run in trajectories)
        runs += len(trajectories)
    return (solved, runs) if runs else None


def outcome_finding(player: str, domain: str, setting: Setting, solved: int, runs: int) -> Rejection:
    """Return what is kept of runs without an instance."""
    message = f"{solved} of {runs} runs succeeded; the release has no instances of them: outcomes only"
    return Rejection("import", f"{player} {domain} {setting.name}", "outcome-only", message)


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
