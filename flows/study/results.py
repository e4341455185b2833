"""What participants did, as rows of the published tables."""

import json
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from perennial.flows.study.opened import OpenedStudy
from perennial.flows.study.run import Run, replay
from perennial.schemas.ids import content_id
from perennial.schemas.people import person_name
from perennial.schemas.rows import Row, Rows
from perennial.warehouse.staging import episode_row, turn_rows
from perennial.warehouse.study.ledger import Participant, StudyLedger


@dataclass(frozen=True, slots=True)
class Results:
    """The tables of a study, the players whose episodes are among them, and the content id of it all."""

    tables: dict[str, Rows]
    players: tuple[str, ...]
    digest: str


def collect_results(opened: OpenedStudy, ledger: StudyLedger, at: float) -> Results:
    """Return the results at that time: of every participant who agreed and has not withdrawn.

    A task that was begun and has no answer ends as `turn_limit`; one that was not begun has no episode. Who
    is excluded has a row in `participants` alone.
    """
    tables: dict[str, Rows] = defaultdict(list, participants=[], episodes=[])
    players = []
    kept = []
    for participant in ledger.participants():
        events = ledger.events(participant.number)
        run = replay(opened, participant.number, events, at)
        if participant.is_withdrawn or not run.has_consented:
            continue
        player = person_name(participant.public)
        kept.append((player, [(e.kind, e.task, e.turn, e.value, e.at) for e in events]))
        row = participant_row(opened, player, run)
        tables["participants"].append(row)
        if not row["excluded"] and row["started"]:
            players.append(player)
            _add_episodes(tables, player, run)
    return Results(
        dict(tables), tuple(sorted(players)), content_id("people", opened.study.name, sorted(kept))
    )


def participant_row(opened: OpenedStudy, player: str, run: Run) -> Row:
    """Return the row of `participants`."""
    study = opened.study
    profile = json.loads(run.profile) if run.profile else {}
    answered = [task for task in run.counted if task.ended == "answered"]
    seconds = median([task.seconds for task in answered]) if answered else None
    exclusion = study.quality.why_excluded(seconds, run.solved / study.tasks)
    earned = study.earnings.compute(run.solved, study.tasks, run.actions)
    return {
        "participant": player,
        "consented": run.has_consented,
        "age_band": profile.get("age_band"),
        "education": profile.get("education"),
        "gender": profile.get("gender"),
        "major": profile.get("major"),
        "assigned": study.tasks,
        "started": sum(task.started_at is not None for task in run.counted),
        "answered": len(answered),
        "solved": run.solved,
        "actions": run.actions,
        "median_seconds": seconds,
        "earnings": 0.0 if exclusion else earned,
        "excluded": exclusion is not None,
        "exclusion": exclusion,
    }


def _add_episodes(tables: dict[str, Rows], player: str, run: Run) -> None:
    for task in run.counted:
        if task.started_at is None:
            continue
        episode = task.as_episode(player)
        identity = task.seat.episode_id(player, 0)
        tables["episodes"].append(episode_row(episode, identity, task.seat.instance_id, task.seconds))
        tables["turns"] += turn_rows(episode, identity)
        for name, rows in task.seat.own_rows(identity, episode).items():
            tables[name] += rows


def count_states(opened: OpenedStudy, ledger: StudyLedger, at: float) -> Rows:
    """Return how far each participant is, without anything that says who it is."""
    rows = []
    for participant in ledger.participants():
        run = replay(opened, participant.number, ledger.events(participant.number), at)
        rows.append(
            {
                "participant": person_name(participant.public),
                "state": _withdrawn(participant) if participant.is_withdrawn else state_of(run),
                "ended": sum(bool(task.ended) for task in run.counted),
                "of": opened.study.tasks,
            }
        )
    return rows


def _withdrawn(participant: Participant) -> str:
    return "withdrawn, deletion pending" if participant.is_on_disk else "withdrawn"


def state_of(run: Run) -> str:
    """Return how far a participant is, in a word or two."""
    if not run.has_consented:
        return "not begun"
    if run.current is None:
        return "ended"
    return "playing" if is_playing(run) else "paused"


def is_playing(run: Run) -> bool:
    """Whether the clock of a task that counts is running."""
    current = run.current
    return current is not None and current.started_at is not None and current in run.counted


MOVE_COLUMNS = (
    "participant",
    "task",
    "instance_id",
    "turn",
    "choice",
    "shown",
    "seconds",
    "ended",
    "right",
)


def list_moves(opened: OpenedStudy, ledger: StudyLedger, at: float) -> list[tuple[object, ...]]:
    """Return every move of those who have not withdrawn; `seconds` are since the task's start."""
    rows: list[tuple[object, ...]] = []
    for participant in ledger.participants():
        events = ledger.events(participant.number)
        at_of = {(event.task, event.turn): event.at for event in events if event.kind == "move"}
        for task in replay(opened, participant.number, events, at).tasks:
            for turn, move in zip(task.turns, task.moves, strict=True):
                place = (person_name(participant.public), task.task, task.seat.instance_id, turn.number)
                seconds = at_of[task.task, turn.number] - (task.started_at or 0.0)
                rows.append((*place, move, turn.feedback or "", round(seconds, 3), task.ended, task.is_right))
    return rows
