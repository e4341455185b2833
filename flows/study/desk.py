"""Where participants of a study are received: each click is stored before its screen comes back.

A desk keeps nothing between two calls but what never changes (the questions) and failed attempts to enter: a
screen comes from the stored events alone, the same one after a reload, after a crash and in another tab.
"""

import json
import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from perennial.flows.study.opened import open_study, require_same_study
from perennial.flows.study.run import StudyRun, TaskRun, closed_screen, draw_screen, replay
from perennial.flows.study.study_file import read_study
from perennial.schemas.errors import InvalidOption, LimitReached, PerennialError, quote
from perennial.schemas.text import Screen
from perennial.tasks.study import parse_code
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import (
    Participant,
    ReadClocks,
    StudyEvent,
    StudyLedger,
    read_clocks,
    study_file,
)

# How often somebody may enter a code that is not right: by origin, and in total.

WINDOW_S = 600.0
MOST_OF_AN_ORIGIN = 20
MOST_IN_TOTAL = 500


class FailedCodes:
    """The failed attempts of the last ten minutes; none is kept longer, and nothing is written."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failed: deque[tuple[float, str]] = deque()

    def refuse_too_many(self, origin: str) -> None:
        """Raise LimitReached where too many attempts failed, from this origin or in total."""
        with self._lock:
            self._forget_old()
            failures = sum(failed_origin == origin for _, failed_origin in self._failed)
            if failures >= MOST_OF_AN_ORIGIN or len(self._failed) >= MOST_IN_TOTAL:
                raise LimitReached(
                    f"too many codes that were not right in the last {WINDOW_S / 60:.0f} minutes: wait as "
                    "long, then try again"
                )

    def note_failure(self, origin: str) -> None:
        """Note that an attempt failed."""
        with self._lock:
            self._forget_old()
            self._failed.append((self._now(), origin))

    def _forget_old(self) -> None:
        oldest = self._now() - WINDOW_S
        while self._failed and self._failed[0][0] < oldest:
            self._failed.popleft()


_LONGEST_ANSWER = 2_000
_STALE = "that click was made on an earlier view of the task and does not count: this is the current one"
_TIME = "the time for that task was over before the click, which does not count"
_USED = "that action was taken before: its result is among the observations"
_UNKNOWN = "that is not a choice of this task, and does not count"
_CLOSED = "The study is closed. Thank you for your interest."
_WITHDRAWN = "You have withdrawn: what you did has been deleted."
_PENDING = (
    "You have withdrawn: what you did is no longer part of the study. Its deletion from the disk is "
    "pending until no other program reads the study's file, and then finishes without you."
)
_ERASE_S = 1.0  # for how long one who withdraws waits for the deletion on disk; nobody else does


class StudyDesk:
    """The desk of one study in one process; any number of threads, and other processes, use it at once."""

    def __init__(self, file: Path, store: Store, clocks: ReadClocks = read_clocks) -> None:
        """Open the study that the file describes.

        Raises PerennialError, in one line, where file, edition or ledger cannot be used.
        """
        self.study = read_study(file)
        self._ledger = StudyLedger(study_file(store, self.study.name), clocks=clocks)
        require_same_study(self._ledger, self.study, file)
        self.opened = open_study(self.study, store)
        self._attempts = FailedCodes(self._ledger.now)

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()

    def enter(self, code: str, origin: str) -> None:
        """Let a participant in.

        Raises LimitReached after too many codes that were not right, from this origin or in total,
        InvalidOption for a code that is unknown or withdrawn, or where the study is closed.
        """
        self._attempts.refuse_too_many(origin)
        try:
            self._find(code)
        except InvalidOption:
            self._attempts.note_failure(origin)
            raise
        if self._ledger.closed_at() is not None:
            raise InvalidOption("the study is closed: nothing more can be played")

    def screen(self, code: str) -> Screen:
        """Return what the participant is shown now; raise InvalidOption for an unknown code."""
        return self._draw(self._find(code))

    def consent(self, code: str, agree: bool) -> Screen:
        """Keep that the participant agreed; without agreement nothing is kept."""
        if not agree:
            return self._draw(
                self._find(code), "without your agreement nothing is kept, and you may close this page"
            )
        with self._ledger.writing():
            participant = self._find(code)
            if self._is_open() and not self._run(participant).has_consented:
                self._keep(participant, "consent")
        return self._draw(participant)

    def describe(self, code: str, age_band: str, education: str, gender: str = "", major: str = "") -> Screen:
        """Keep what the participant says, each one of those that the file lists ("" where it lists none)."""
        self._find(code)
        study = self.study
        answers = {
            "age_band": (age_band, study.age_bands),
            "education": (education, study.education),
            "gender": (gender, study.genders),
            "major": (major, study.majors),
        }
        for answer, choices in answers.values():
            if answer not in (choices or ("",)):
                remedy = f"choose one of {', '.join(choices)}" if choices else "this study asks for none"
                raise InvalidOption(f"{quote(answer)} is not in the list: {remedy}")
        with self._ledger.writing():
            participant = self._find(code)
            run = self._run(participant)
            if self._is_open() and run.has_consented and run.profile is None:
                given_answers = {name: answer for name, (answer, choices) in answers.items() if choices}
                profile = json.dumps(given_answers, ensure_ascii=False)
                self._keep(participant, "profile", value=profile)
        return self._draw(participant)

    def start(self, code: str, task: str) -> Screen:
        """Start the clock of the task that is next; a second click starts nothing."""
        notice = ""
        with self._ledger.writing():
            participant = self._find(code)
            run = self._run(participant)
            if not self._is_open() or run.profile is None:
                pass
            elif run.current is None or run.current.task != task:
                notice = _STALE
            elif run.current.started_at is None:
                self._keep(participant, "start", task)
        return self._draw(participant, notice)

    def move(self, code: str, task: str, turn: int, name: str) -> Screen:
        """Make the move and return the next screen; the move is stored durably before this returns.

        `name` is an action, a truth or a typed answer, `turn` that of the view on which it was chosen: where
        another tab moved meanwhile it is no move, and the screen says so.
        """
        notice = ""
        with self._ledger.writing():
            participant = self._find(code)
            run = self._run(participant)
            if self._is_open() and run.profile is not None:
                notice = _refuse_move(run, task, turn, name)
                if not notice:
                    self._keep(participant, "move", task, turn, name)
        return self._draw(participant, notice)

    def withdraw(self, code: str) -> Screen:
        """Delete all that is kept of the participant; the code opens nothing afterwards.

        The screen says so once the deletion on disk is done, and that it is pending before.
        """
        participant = self._find(code)
        self._ledger.withdraw(participant.number)
        try:
            pending = self._ledger.erase(_ERASE_S)
        except PerennialError as error:
            logging.getLogger(__name__).error("%s", error)
            return closed_screen(self.study, _PENDING)
        is_pending = pending is not None and participant.number in pending.participants
        return closed_screen(self.study, _PENDING if is_pending else _WITHDRAWN)

    def _find(self, code: str) -> Participant:
        parsed = parse_code(code)
        participant = self._ledger.find_participant(parsed.public)
        if participant is not None and participant.is_withdrawn:
            raise InvalidOption(
                "this code was withdrawn: the deletion from the disk of what was done with it is pending "
                "until no other program reads the study's file"
                if participant.is_on_disk
                else "this code was withdrawn: what was done with it has been deleted"
            )
        if participant is None or not parsed.fits(self.study.name, participant.secret_hash or ""):
            raise InvalidOption(
                "this code is not of this study: check it, or ask those who run the study for yours"
            )
        return participant

    def _is_open(self) -> bool:
        return self._ledger.closed_at() is None

    def _run(self, participant: Participant) -> StudyRun:
        return replay(
            self.opened, participant.number, self._ledger.events(participant.number), self._ledger.now()
        )

    def _keep(
        self, participant: Participant, kind: str, task: str = "", turn: int = 0, value: str = ""
    ) -> None:
        self._ledger.add_event(participant.number, StudyEvent(kind, task, turn, value, self._ledger.now()))  # type: ignore[arg-type]

    def _draw(self, participant: Participant, notice: str = "") -> Screen:
        run = self._run(participant)
        if run.current is not None and not self._is_open():
            return closed_screen(self.study, _CLOSED)
        return draw_screen(self.opened, participant.public, run, self._ledger.now(), notice)


def _refuse_move(run: StudyRun, task: str, turn: int, name: str) -> str:
    """Return why this is no move, "" where it is one."""
    named = next((task_run for task_run in run.tasks if task_run.task == task), None)
    if named is None:
        return _UNKNOWN
    if named.ended == "time":
        return _TIME
    if named is not run.current or named.started_at is None or turn != len(named.moves) + 1:
        return _STALE
    return _refuse_name(named, name)


def _refuse_name(task: TaskRun, name: str) -> str:
    sheet = task.sheet
    if not sheet.truths:
        is_text = bool(name.strip()) and len(name) <= _LONGEST_ANSWER and "\x00" not in name
        return (
            "" if is_text else f"an answer has 1 to {_LONGEST_ANSWER:,} characters: this one does not count"
        )
    if name in sheet.actions:
        return _USED if name in task.moves else ""
    return "" if name in sheet.truths else _UNKNOWN
