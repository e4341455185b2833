"""What a participant of a study sees: one screen, and nothing that a participant must not know."""

from dataclasses import dataclass
from typing import Literal

ScreenKind = Literal["consent", "profile", "tutorial", "task", "end", "closed"]


@dataclass(frozen=True, slots=True)
class Choice:
    """An action or a truth by its listed name, and whether the participant has chosen it."""

    name: str
    used: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """An action that was taken, and what it showed, as models see it."""

    action: str
    text: str


@dataclass(frozen=True, slots=True)
class TaskView:
    """What a participant sees of a task once its clock runs.

    `book` is the text as models see it, or the whole question where an answer is typed. `turn` is the number
    of the next move, from 1: a click carries the turn of the screen that it was made on. `is_typed`: the
    answer is typed, and there are no lists. `n_valid` of the truths are right.
    """

    turn: int
    goal: str
    book: str
    truths: tuple[Choice, ...]
    actions: tuple[Choice, ...]
    observations: tuple[Observation, ...]
    truth_noun: str = "truth"
    action_noun: str = "action"
    is_typed: bool = False
    n_valid: int = 1


@dataclass(frozen=True, slots=True)
class Screen:
    """What a participant is shown, from the stored events alone; `notice` says why a click was no move.

    - `texts`: by name, what the study's file says: consent, instructions, contact, closed.
    - `done` of `of` tasks have ended; the tutorial does not count.
    - `task`: the task that is next or open, "tutorial" or its number from "1"; "" elsewhere.
    - `is_started`: its clock runs; `view` is None before. `seconds_left` is None where there is no limit.
    - `last`: how the task before ended, while the next one has not started: "" at the beginning, "answered",
      "time", and of the tutorial "right" or "wrong".
    - `earnings`, `solved`, `actions`: at the end alone, as they would say whether an answer was right.
    """

    kind: ScreenKind
    title: str
    texts: dict[str, str]
    participant: str = ""
    done: int = 0
    of: int = 0
    task: str = ""
    is_started: bool = False
    seconds_left: float | None = None
    total_seconds_left: float | None = None
    view: TaskView | None = None
    last: str = ""
    notice: str = ""
    age_bands: tuple[str, ...] = ()
    education: tuple[str, ...] = ()
    genders: tuple[str, ...] = ()
    majors: tuple[str, ...] = ()
    earnings: float | None = None
    currency: str = ""
    solved: int | None = None
    actions: int | None = None
