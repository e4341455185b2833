"""What a participant is shown, from how far the participant is."""

from perennial.flows.study.opened import OpenedStudy
from perennial.flows.study.run import Run, TaskRun
from perennial.schemas.people import TUTORIAL, Study, person_name
from perennial.schemas.text import Choice, Observation, Screen, ScreenKind, TaskView


def draw_screen(opened: OpenedStudy, public: str, run: Run, now: float, notice: str = "") -> Screen:
    """Return the participant's screen at this time."""
    study = opened.study
    shown = {"title": study.title, "participant": person_name(public), "notice": notice, "of": study.tasks}
    if not run.has_consented:
        return Screen("consent", texts=_texts(study), **shown)  # type: ignore[arg-type]
    if run.profile is None:
        bands = {name: getattr(study, name) for name in ("age_bands", "education", "genders", "majors")}
        return Screen("profile", texts=_texts(study), **shown, **bands)  # type: ignore[arg-type]
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
            **shown,  # type: ignore[arg-type]
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
        **shown,  # type: ignore[arg-type]
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
        truths=tuple(Choice(name, name in task.moves) for name in sheet.truths),
        actions=tuple(Choice(name, name in task.moves) for name in sheet.actions),
        observations=tuple(seen),
        truth_noun=sheet.truth_noun,
        action_noun=sheet.action_noun,
        is_typed=not sheet.truths,
        n_valid=sheet.n_valid,
    )


def _how_the_last_ended(run: Run, current: TaskRun) -> str:
    place = run.tasks.index(current)
    if not place:
        return ""
    last = run.tasks[place - 1]
    return ("right" if last.is_right else "wrong") if last.task == TUTORIAL else last.ended


def _texts(study: Study) -> dict[str, str]:
    texts = {"consent": study.consent, "instructions": study.instructions, "contact": study.contact}
    return {name: text for name, text in texts.items() if text}
