"""The desk: what participants see and do, from stored events alone."""

from dataclasses import asdict, replace

import pytest

from perennial.flows.study.desk import MOST_IN_TOTAL, MOST_OF_AN_ORIGIN, WINDOW_S
from perennial.schemas.errors import InvalidOption, LimitReached
from perennial.schemas.people import TUTORIAL
from perennial.schemas.text import Screen
from perennial.warehouse.study.ledger import StudyLedger, study_file
from tests.study.study_root import TASKS, Lab, open_lab


def test_a_participant_goes_from_consent_to_earnings(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]
    desk.enter(code, "here")
    assert desk.screen(code).kind == "consent"
    assert desk.consent(code, True).kind == "profile"
    first = desk.describe(code, "18-24", "school", "female", "other")
    assert (first.kind, first.is_started, first.view) == ("tutorial", False, None)
    after = lab.answer(desk, code, TUTORIAL, rightly=True, actions=1)
    assert (after.kind, after.task, after.last, after.done, after.of) == ("task", "1", "right", 0, TASKS)
    lab.answer(desk, code, "1", rightly=True, actions=2)
    lab.answer(desk, code, "2", rightly=False, actions=3)
    lab.answer(desk, code, "3", rightly=True)
    assert desk.screen(code).earnings is None
    end = lab.answer(desk, code, "4", rightly=True, actions=1)
    # 25 + 15 x 3/4 - 0.1 x (2 + 3 + 0 + 1); the tutorial's action and the answers do not count.
    assert (end.kind, end.done, end.solved, end.actions, end.earnings) == ("end", TASKS, 3, 6, 35.65)


def test_a_view_holds_the_book_of_models_and_no_more_than_was_asked_for(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]
    lab.begin(desk, code)
    view = desk.start(code, "1").view
    board = lab.board(desk, code, "1")
    assert view is not None
    assert view.book == board.book.strip("\n")
    assert [choice.name for choice in view.truths] == list(board.instance.truths)
    assert [choice.name for choice in view.actions] == list(board.instance.actions)
    assert view.observations == ()
    chosen = view.actions[2].name
    seen = desk.move(code, "1", 1, chosen).view
    assert seen is not None
    from perennial.schemas.kumo.things import observation_text

    shown = observation_text(board.instance.observations[2])
    assert [(one.action, one.text) for one in seen.observations] == [(chosen, shown)]
    assert [choice.used for choice in seen.actions].count(True) == 1
    names = set(asdict(seen))
    assert names == {
        *("turn", "goal", "book", "truths", "actions", "observations", "truth_noun", "action_noun"),
        *("is_typed", "n_valid"),
    }
    ids = set(desk.opened.seats)
    assert not any(identity in str(desk.screen(code)) for identity in ids)


def test_a_screen_is_the_same_after_a_restart_and_in_another_tab(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]

    def same(screen: Screen) -> None:
        clean = replace(screen, notice="")
        assert clean == desk.screen(code) == lab.desk().screen(code)

    same(desk.screen(code))
    same(desk.consent(code, True))
    same(desk.describe(code, "18-24", "school", "female", "other"))
    same(lab.answer(desk, code, TUTORIAL, rightly=True))
    same(desk.start(code, "1"))
    same(desk.move(code, "1", 1, lab.board(desk, code, "1").instance.actions[0]))
    same(desk.move(code, "1", 2, lab.truth(desk, code, "1", rightly=True)))


def test_nothing_is_played_before_consent_and_profile(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]
    assert desk.start(code, TUTORIAL).kind == "consent"
    assert desk.describe(code, "18-24", "school", "female", "other").kind == "consent"
    desk.consent(code, True)
    assert desk.start(code, TUTORIAL).kind == "profile"
    assert desk.move(code, TUTORIAL, 1, "x").kind == "profile"
    ledger = StudyLedger(study_file(lab.store, "pilot"), clocks=lab.clock)
    assert [event.kind for event in ledger.events(0)] == ["consent"]


@pytest.mark.parametrize("task", [TUTORIAL, "1"])
def test_a_move_before_the_clock_starts_is_no_move(small_lab: Lab, task: str) -> None:
    lab = small_lab
    desk, code = lab.desk(), lab.codes[0]
    desk.consent(code, True)
    desk.describe(code, "18-25", "school")
    if task != TUTORIAL:
        lab.answer(desk, code, TUTORIAL, rightly=False)
    before = desk.screen(code)
    assert (before.task, before.is_started) == (task, False)
    board = lab.board(desk, code, task)
    for name in (board.instance.actions[0], lab.truth(desk, code, task, rightly=True)):
        refused = desk.move(code, task, 1, name)
        assert "does not count" in refused.notice
        assert replace(refused, notice="") == before
    ledger = StudyLedger(lab.ledger_file, clocks=lab.clock)
    assert not [event for event in ledger.events(0) if (event.kind, event.task) == ("move", task)]


def test_a_task_ends_when_its_time_is_over(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]
    lab.begin(desk, code)
    truth = lab.truth(desk, code, "1", rightly=True)
    assert desk.start(code, "1").seconds_left == 600
    lab.clock.at += 599
    assert desk.screen(code).seconds_left == 1
    lab.clock.at += 1
    late = desk.move(code, "1", 1, truth)
    assert (late.task, late.last, late.done, "was over" in late.notice) == ("2", "time", 1, True)
    # 30 minutes in all: the third task ends with the whole.
    desk.start(code, "2")
    lab.clock.at += 590
    desk.move(code, "2", 1, lab.truth(desk, code, "2", rightly=True))
    lab.clock.at += 300
    assert desk.start(code, "3").seconds_left == pytest.approx(1800 - 600 - 590 - 300)
    lab.clock.at += 311
    end = desk.screen(code)
    assert (end.kind, end.solved, end.done) == ("end", 1, 3)


def test_codes_that_are_not_right_are_limited_by_origin(lab: Lab) -> None:
    desk = lab.desk()
    wrong = lab.codes[0][:-1] + ("0" if lab.codes[0][-1] != "0" else "1")
    for _ in range(MOST_OF_AN_ORIGIN):
        with pytest.raises(InvalidOption):
            desk.enter(wrong, "a")
    with pytest.raises(LimitReached, match="wait"):
        desk.enter(lab.codes[0], "a")
    desk.enter(lab.codes[0], "b")
    lab.clock.at += WINDOW_S + 1
    desk.enter(lab.codes[0], "a")


def test_codes_that_are_not_right_are_limited_in_total(lab: Lab) -> None:
    desk = lab.desk()
    for number in range(MOST_IN_TOTAL):
        with pytest.raises(InvalidOption):
            desk.enter("x", f"origin {number}")
    with pytest.raises(LimitReached):
        desk.enter("x", "another")


def test_withdrawal_deletes_all_rows_and_the_codes_hash(lab: Lab) -> None:
    desk, code = lab.desk(), lab.codes[0]
    lab.begin(desk, code)
    lab.begin(desk, lab.codes[1])
    assert desk.withdraw(code).kind == "closed"
    with pytest.raises(InvalidOption, match="withdrawn"):
        desk.screen(code)
    ledger = StudyLedger(study_file(lab.store, "pilot"), clocks=lab.clock)
    first, second, *_ = ledger.participants()
    assert (first.is_withdrawn, first.secret_hash, ledger.events(0)) == (True, None, [])
    assert (second.is_withdrawn, bool(ledger.events(1))) == (False, True)


def test_more_codes_keep_the_tasks_of_those_who_play(lab: Lab) -> None:
    desk = lab.desk()
    before = [desk.opened.tasks_of(number) for number in range(6)]
    folder = lab.file.parent
    more = open_lab(lab.root, folder, lambda text: text.replace("participants = 6", "participants = 9"))
    assert len(more.codes) == 3
    again = more.desk()
    assert [again.opened.tasks_of(number) for number in range(6)] == before
    again.enter(lab.codes[5], "here")
    tutorial = before[0][TUTORIAL]
    assert all(tutorial not in list(tasks.values())[1:] for tasks in before)
