"""How far a participant is, from the stored events alone: which task is open, and how each one ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perennial.flows.study.opened import OpenedStudy
from perennial.schemas.game import Episode, Game, Result, Seat, Sheet, Turn
from perennial.schemas.people import TUTORIAL, Study, person_name
from perennial.schemas.text import ListedChoice, Observation, Screen, ScreenKind, TaskView
from perennial.warehouse.study.ledger import StudyEvent

_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task of a participant: its clock's start, its moves, and the game after them.

    `ended`: "answered", or "time" where its own time or that of the whole ran out before an answer.
    """

    task: str
    seat: Seat
    game: Game
    sheet: Sheet
    turns: tuple[Turn, ...]
    moves: tuple[str, ...]
    started_at: float | None
    ends_at: float
    ended: Literal["", "answered", "time"]
    ended_at: float | None

    @property
    def actions(self) -> int:
        """How many actions were taken, an answer not among them."""
        return sum(turn.feedback is not None for turn in self.turns)

    @property
    def is_right(self) -> bool:
        """Whether it was answered, and rightly."""
        result = self.game.result()
        return result is not None and result.success

    @property
    def seconds(self) -> float:
        """How long it took from its start to its end."""
        return 0.0 if self.ended_at is None or self.started_at is None else self.ended_at - self.started_at

    def as_episode(self, player: str) -> Episode:
        """Return the run of a task that was started as an episode.

        One without an answer ends, by a turn with an empty reply, as `turn_limit`, and its game with it.
        """
        turns = self.turns
        result = self.game.result()
        if result is None:
            self.game.end("turn_limit")
            turns = (*turns, Turn(len(turns) + 1, "", None))
            result = self.game.result()
        assert isinstance(result, Result)
        return Episode(player, 0, turns, result, self.game)


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A participant's way through the study: the tasks in order, the tutorial first.

    `total_ends_at` is when the time of the whole ends, None before the first task that counts.
    """

    has_consented: bool
    profile: str | None
    tasks: tuple[TaskRun, ...]
    total_ends_at: float | None
    is_over: bool

    @property
    def counted(self) -> tuple[TaskRun, ...]:
        """The tasks that count."""
        return tuple(task for task in self.tasks if task.task != TUTORIAL)

    @property
    def current(self) -> TaskRun | None:
        """The first task that has not ended, None where the run is over."""
        return None if self.is_over else next((task for task in self.tasks if not task.ended), None)

    @property
    def solved(self) -> int:
        """How many of the tasks that count were answered rightly."""
        return sum(task.is_right for task in self.counted)

    @property
    def actions(self) -> int:
        """How many actions were taken in the tasks that count."""
        return sum(task.actions for task in self.counted)


def replay(opened: OpenedStudy, participant: int, events: Sequence[StudyEvent], now: float) -> StudyRun:
    """Return how far the participant is at this time."""
    study = opened.study
    starts = {event.task: event.at for event in events if event.kind == "start"}
    counted = [at for task, at in starts.items() if task != TUTORIAL]
    total_ends_at = min(counted) + study.total_minutes * _MINUTE_S if counted else None
    tasks = []
    for task, instance_id in opened.tasks_of(participant).items():
        moves = [event for event in events if event.kind == "move" and event.task == task]
        ends_at = float("inf")
        if task != TUTORIAL and task in starts:
            ends_at = starts[task] + study.task_minutes * _MINUTE_S
            ends_at = min(ends_at, total_ends_at or ends_at)
        tasks.append(_replay_task(opened, task, instance_id, moves, starts.get(task), ends_at, now))
    is_over = (total_ends_at is not None and now >= total_ends_at) or all(task.ended for task in tasks)
    profile = next((event.value for event in events if event.kind == "profile"), None)
    has_consented = any(event.kind == "consent" for event in events)
    return StudyRun(has_consented, profile, tuple(tasks), total_ends_at, is_over)


def _replay_task(
    opened: OpenedStudy,
    task: str,
    instance_id: str,
    moves: Sequence[StudyEvent],
    started_at: float | None,
    ends_at: float,
    now: float,
) -> TaskRun:
    seat = opened.seats[instance_id]
    game = seat.start()
    sheet = opened.sheet(game)
    turns = []
    for number, move in enumerate(moves, 1):
        reply = sheet.reply(move.value)
        turns.append(Turn(number, reply, game.take(reply)))
    ended: Literal["", "answered", "time"] = ""
    ended_at = None
    if game.result() is not None:
        ended, ended_at = "answered", moves[-1].at
    elif started_at is not None and now >= ends_at:
        ended, ended_at = "time", ends_at
    names = tuple(move.value for move in moves)
    return TaskRun(task, seat, game, sheet, tuple(turns), names, started_at, ends_at, ended, ended_at)


# What a participant is shown, from how far the participant is.


def draw_screen(opened: OpenedStudy, public: str, run: StudyRun, now: float, notice: str = "") -> Screen:
    """Return the participant's screen at this time."""
    study = opened.study
    common = {"title": study.title, "participant": person_name(public), "notice": notice, "of": study.tasks}
    if not run.has_consented:
        return Screen("consent", texts=_texts(study), **common)  # type: ignore[arg-type]
    if run.profile is None:
        bands = {name: getattr(study, name) for name in ("age_bands", "education", "genders", "majors")}
        return Screen("profile", texts=_texts(study), **common, **bands)  # type: ignore[arg-type]
    done = sum(bool(task.ended) for task in run.counted)
    current = run.current
    if current is None:
        earned = study.earnings.compute(run.solved, study.tasks, run.actions)
        return Screen(
            "end",
            texts=_texts(study),
            done=done,
            earnings=earned,
            currency=study.currency,
            solved=run.solved,
            actions=run.actions,
            **common,  # type: ignore[arg-type]
        )
    kind: ScreenKind = "tutorial" if current.task == TUTORIAL else "task"
    is_started = current.started_at is not None
    limit = None if kind == "tutorial" else study.task_minutes * 60.0
    return Screen(
        kind,
        texts=_texts(study),
        done=done,
        task=current.task,
        is_started=is_started,
        seconds_left=limit if limit is None or not is_started else max(0.0, current.ends_at - now),
        total_seconds_left=None if run.total_ends_at is None else max(0.0, run.total_ends_at - now),
        view=draw_task(current) if is_started else None,
        last="" if is_started else _how_the_last_ended(run, current),
        **common,  # type: ignore[arg-type]
    )


def closed_screen(study: Study, why: str) -> Screen:
    """Return the screen of somebody who plays no more."""
    return Screen("closed", study.title, {**_texts(study), "closed": why})


def draw_task(task: TaskRun) -> TaskView:
    """Return what the participant sees of a task whose clock runs: no observation that was not asked for."""
    sheet = task.sheet
    seen = [
        Observation(move, turn.feedback)
        for move, turn in zip(task.moves, task.turns, strict=True)
        if turn.feedback is not None
    ]
    return TaskView(
        turn=len(task.moves) + 1,
        goal=sheet.goal,
        book=sheet.book,
        truths=tuple(ListedChoice(name, name in task.moves) for name in sheet.truths),
        actions=tuple(ListedChoice(name, name in task.moves) for name in sheet.actions),
        observations=tuple(seen),
        truth_noun=sheet.truth_noun,
        action_noun=sheet.action_noun,
        is_typed=not sheet.truths,
        n_valid=sheet.n_valid,
    )


def _how_the_last_ended(run: StudyRun, current: TaskRun) -> str:
    index = run.tasks.index(current)
    if not index:
        return ""
    last = run.tasks[index - 1]
    return ("right" if last.is_right else "wrong") if last.task == TUTORIAL else last.ended


def _texts(study: Study) -> dict[str, str]:
    texts = {"consent": study.consent, "instructions": study.instructions, "contact": study.contact}
    return {name: text for name, text in texts.items() if text}
