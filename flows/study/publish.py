"""Publish what people did as an evaluation of the edition, and take one person out of it again."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from perennial.flows.editions.withdraw import withdraw_unit
from perennial.flows.refresh.evaluation import choose_evaluation_name, read_staged_plans
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.code_version import code_version
from perennial.flows.stages.play_episodes import PEOPLE
from perennial.flows.stages.workspace import open_workspace
from perennial.flows.study.opened import OpenedStudy, open_study, require_same_study
from perennial.flows.study.run import StudyRun, replay
from perennial.schemas.errors import InvalidOption, UnreadableInput, count
from perennial.schemas.ids import content_id
from perennial.schemas.people import Study, person_name
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import Row, Rows
from perennial.warehouse.catalog.catalog import visible_editions, visible_evaluations
from perennial.warehouse.editions.publish import evaluation_plan, read_published_plan
from perennial.warehouse.lock import lock_root
from perennial.warehouse.staging import Staging, episode_row, turn_rows
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import (
    Participant,
    ReadClocks,
    StudyEvent,
    StudyLedger,
    read_clocks,
    study_file,
)

# What participants did, as rows of the published tables.


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of a study, the players whose episodes are among them, and the content id of it all."""

    tables: dict[str, Rows]
    players: tuple[str, ...]
    digest: str


def collect_results(opened: OpenedStudy, ledger: StudyLedger, at: float) -> StudyTables:
    """Return the results at that time: of every participant who agreed and has not withdrawn.

    A task that was begun and has no answer ends as `turn_limit`; one that was not begun has no episode. Who
    is excluded has a row in `participants` alone.
    """
    tables: dict[str, Rows] = defaultdict(list, participants=[], episodes=[])
    players = []
    kept = []
    for participant, events, run in _replay_all(opened, ledger, at):
        if participant.is_withdrawn or not run.has_consented:
            continue
        player = person_name(participant.public)
        kept.append((player, [(e.kind, e.task, e.turn, e.value, e.at) for e in events]))
        row = participant_row(opened, player, run)
        tables["participants"].append(row)
        if not row["excluded"] and row["started"]:
            players.append(player)
            _add_episodes(tables, player, run)
    return StudyTables(
        dict(tables), tuple(sorted(players)), content_id("people", opened.study.name, sorted(kept))
    )


def _replay_all(
    opened: OpenedStudy, ledger: StudyLedger, at: float
) -> Iterator[tuple[Participant, list[StudyEvent], StudyRun]]:
    """Yield each participant with the events, and how far they lead by that time."""
    for participant in ledger.participants():
        events = ledger.events(participant.number)
        yield participant, events, replay(opened, participant.number, events, at)


def participant_row(opened: OpenedStudy, player: str, run: StudyRun) -> Row:
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


def _add_episodes(tables: dict[str, Rows], player: str, run: StudyRun) -> None:
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
    for participant, _, run in _replay_all(opened, ledger, at):
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


def state_of(run: StudyRun) -> str:
    """Return how far a participant is, in a word or two."""
    if not run.has_consented:
        return "not begun"
    if run.current is None:
        return "ended"
    return "playing" if is_playing(run) else "paused"


def is_playing(run: StudyRun) -> bool:
    """Whether the clock of a task that counts is running."""
    current = run.current
    return current is not None and current.started_at is not None and current in run.counted


MOVE_COLUMNS = ("participant", "task", "instance_id", "turn", "choice", "shown", "seconds", "ended", "right")


def list_moves(opened: OpenedStudy, ledger: StudyLedger, at: float) -> list[tuple[object, ...]]:
    """Return every move of those who have not withdrawn; `seconds` are since the task's start."""
    rows: list[tuple[object, ...]] = []
    for participant, events, run in _replay_all(opened, ledger, at):
        at_of = {(event.task, event.turn): event.at for event in events if event.kind == "move"}
        for task in run.tasks:
            for turn, move in zip(task.turns, task.moves, strict=True):
                where = (person_name(participant.public), task.task, task.seat.instance_id, turn.number)
                seconds = at_of[task.task, turn.number] - (task.started_at or 0.0)
                rows.append((*where, move, turn.feedback or "", round(seconds, 3), task.ended, task.is_right))
    return rows


Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """The evaluation that holds a study's answers, the rows of its tables, and evaluations it stands for now.

    `unit` is "" where nobody's answers are left; `counts` are empty where it was published before.
    """

    unit: str
    counts: dict[str, int]
    withdrawn: tuple[str, ...]


@contextmanager
def open_ledger(
    study: Study, store: Store, file: Path, clocks: ReadClocks = read_clocks
) -> Iterator[StudyLedger]:
    """Yield the ledger of the study that the file describes; raise PerennialError where it does not fit."""
    ledger = StudyLedger(study_file(store, study.name), clocks=clocks)
    try:
        require_same_study(ledger, study, file)
        yield ledger
    finally:
        ledger.close()


def publish_study(
    study: Study,
    store: Store,
    file: Path,
    tell: Tell,
    *,
    name: str = "",
    close: bool = False,
    clocks: ReadClocks = read_clocks,
) -> PublishedStudy:
    """Close the study, and publish what its participants did as an evaluation of its edition.

    Published again, it is the same evaluation, or, once somebody withdrew, a new one without that person, and
    the earlier one is withdrawn. Raises InvalidOption where somebody is playing, unless told to `close`, and
    where nobody has played.
    """
    with (
        lock_root(store, f"publish study {study.name}", tell),
        open_ledger(study, store, file, clocks) as ledger,
    ):
        opened = open_study(study, store)
        if ledger.closed_at() is None:
            if not close:
                _refuse_while_playing(opened, ledger, ledger.now())
            ledger.close_study(ledger.now())
        return _publish(opened, ledger, store, name)


def withdraw_participant(
    study: Study, store: Store, file: Path, public: str, tell: Tell, clocks: ReadClocks = read_clocks
) -> PublishedStudy | None:
    """Delete what is kept of a participant; where answers are published, publish those of the others again.

    Returns None where nothing is published. `public` is the public part of the code. A second time it only
    finishes what an interruption left. The deletion on disk may be pending afterwards (`StudyLedger.erase`).
    """
    with (
        lock_root(store, f"withdraw from study {study.name}", tell),
        open_ledger(study, store, file, clocks) as ledger,
    ):
        participant = ledger.find_participant(public)
        if participant is None:
            raise InvalidOption(
                f"{public!r} is the code of no participant of study {study.name!r}: `perennial study status "
                "FILE` lists them"
            )
        if not participant.is_withdrawn:
            ledger.withdraw(participant.number)
            ledger.erase()
        published = _published_answers(store, study)
        if ledger.closed_at() is None or not published:
            return None
        if study.edition not in visible_editions(store):
            _withdraw_units(store, study, published)
            return PublishedStudy("", {}, tuple(published))
        return _publish(open_study(study, store), ledger, store, "")


def find_stale(opened: OpenedStudy, ledger: StudyLedger, store: Store) -> list[str]:
    """Return the visible evaluations that hold somebody who withdrew since."""
    closed_at = ledger.closed_at()
    if closed_at is None:
        return []
    moves = collect_results(opened, ledger, closed_at).digest
    return [unit for unit, published in _published_answers(store, opened.study).items() if published != moves]


def _refuse_while_playing(opened: OpenedStudy, ledger: StudyLedger, at: float) -> None:
    playing = sum(is_playing(run) for _, _, run in _replay_all(opened, ledger, at))
    if playing:
        raise InvalidOption(
            f"study {opened.study.name!r} has {count(playing, 'participant')} in the middle of a task, and "
            "publishing closes the study for all: wait, or give --close to end their tasks"
        )


def _publish(opened: OpenedStudy, ledger: StudyLedger, store: Store, name: str) -> PublishedStudy:
    study = opened.study
    closed_at = ledger.closed_at()
    assert closed_at is not None
    results = collect_results(opened, ledger, closed_at)
    published = _published_answers(store, study)
    same = next((unit for unit, moves in published.items() if moves == results.digest), "")
    stale = [unit for unit, moves in published.items() if moves != results.digest]
    if not results.players and not stale:
        raise InvalidOption(
            f"nobody's answers can be published: no participant of study {study.name!r} has begun a task, or "
            "all are excluded or withdrew"
        )
    # First, so that nobody is ever seen twice; the same command continues after an interruption.
    _withdraw_units(store, study, stale)
    if same or not results.players:
        return PublishedStudy(same, {}, tuple(stale))
    for left in read_staged_plans(store, study.edition):
        if left.people.get("study") == study.name:
            Staging(store, left.unit).remove()
    plan = _plan(opened, store, results, name)
    counts = _stage_and_publish(store, plan, results)
    return PublishedStudy(plan.unit, counts, tuple(stale))


def _withdraw_units(store: Store, study: Study, units: Iterable[str]) -> None:
    for unit in units:
        withdraw_unit(store, unit, f"a participant of study {study.name} withdrew")


def _published_answers(store: Store, study: Study) -> dict[str, str]:
    """Return the visible evaluations that hold the study's answers, each with the id of what they hold."""
    plans = (evaluation_plan(store, unit) for unit in visible_evaluations(store, study.edition))
    return {plan.unit: plan.people["moves"] for plan in plans if plan.people.get("study") == study.name}


def _plan(opened: OpenedStudy, store: Store, results: StudyTables, name: str) -> EvaluationPlan:
    edition = opened.study.edition
    growth = read_published_plan(store, edition)
    if growth.imported_from:
        raise UnreadableInput(
            f"edition {edition!r} was imported, and its questions passed no gate here: name an edition that "
            "`perennial refresh` grew"
        )
    return EvaluationPlan(
        edition,
        name=choose_evaluation_name(store, edition, name),
        benchmark=growth.benchmark,
        players=results.players,
        runs=1,
        seed=growth.public_seed,
        code_version=code_version(),
        canary=growth.canary,
        people={"study": opened.study.name, "moves": results.digest},
    )


def _stage_and_publish(store: Store, plan: EvaluationPlan, results: StudyTables) -> dict[str, int]:
    staging = Staging(store, plan.unit)
    staging.write_plan(plan)
    workspace = open_workspace(store.root, plan.unit)
    staging.write_batch(workspace.key(PEOPLE), results.tables)
    counts = audit_and_publish(store.root, plan.unit)
    staging.remove()
    return counts
