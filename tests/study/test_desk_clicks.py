"""What the desk keeps of each click, and what it says to those that are no moves, or nothing more."""

from dataclasses import replace

import pytest

from perennial.flows.study.opened import OpenedStudy
from perennial.schemas.errors import InvalidOption, LimitReached
from perennial.schemas.people import TUTORIAL
from perennial.warehouse.study.ledger import StudyEvent, StudyLedger
from perennial.warehouse.study.schema import Pending
from tests.study.study_root import Lab

STALE = "that click was made on an earlier view of the task and does not count: this is the current one"
UNKNOWN = "that is not a choice of this task, and does not count"


def _events(lab: Lab) -> list[StudyEvent]:
    return StudyLedger(lab.ledger_file, clocks=lab.clock).events(0)


def test_each_click_is_kept_once_with_its_time(small_lab: Lab) -> None:
    lab = small_lab
    desk, code, begun = lab.desk(), lab.codes[0], lab.clock.at
    refused = desk.consent(code, False)
    assert refused.notice == "without your agreement nothing is kept, and you may close this page"
    assert _events(lab) == []
    for _ in range(2):
        desk.consent(code, True)
    lab.clock.at += 1
    for band, education in (("18-25", "school"), ("over 25", "university")):
        desk.describe(code, band, education)
    lab.clock.at += 1
    for _ in range(2):
        assert desk.start(code, TUTORIAL).notice == ""
    action = lab.board(desk, code, TUTORIAL).instance.actions[0]
    lab.clock.at += 1
    assert desk.move(code, TUTORIAL, 1, action).notice == ""
    at = _events(lab)[0].at
    assert at == pytest.approx(begun, abs=1)
    assert _events(lab) == [
        StudyEvent("consent", "", 0, "", at),
        StudyEvent("profile", "", 0, '{"age_band": "18-25", "education": "school"}', at + 1),
        StudyEvent("start", TUTORIAL, 0, "", at + 2),
        StudyEvent("move", TUTORIAL, 1, action, at + 3),
    ]


def test_what_is_not_in_the_lists_is_told_with_the_list(small_lab: Lab) -> None:
    desk, code = small_lab.desk(), small_lab.codes[0]
    for given, told in (
        (("18", "school"), "'18' is not in the list: choose one of 18-25, over 25"),
        (("18-25", "none"), "'none' is not in the list: choose one of school, university"),
        (("18-25", "school", "male"), "'male' is not in the list: this study asks for none"),
    ):
        with pytest.raises(InvalidOption) as caught:
            desk.describe(code, *given)
        assert str(caught.value) == told


def test_clicks_that_are_no_moves_say_why(small_lab: Lab) -> None:
    lab = small_lab
    desk, code = lab.desk(), lab.codes[0]
    lab.begin(desk, code)
    truth = lab.truth(desk, code, "1", rightly=True)
    assert desk.start(code, "2").notice == STALE
    assert desk.start(code, "1").notice == ""
    action, other = lab.board(desk, code, "1").instance.actions[:2]
    assert desk.move(code, "1", 2, action).notice == STALE
    now = desk.move(code, "1", 1, action)
    assert now.notice == ""
    moves = (
        (task, turn, name)
        for task, turn in (("1", 1), ("1", 3), ("2", 1), (TUTORIAL, 1))
        for name in (action, other)
    )
    for screen, notice in (
        *((desk.move(code, *move), STALE) for move in moves),
        (desk.start(code, "2"), STALE),
        (desk.move(code, "7", 1, other), UNKNOWN),
        (desk.move(code, "1", 2, "rubbish"), UNKNOWN),
        (
            desk.move(code, "1", 2, action),
            "that action was taken before: its result is among the observations",
        ),
    ):
        assert screen == replace(now, notice=notice)
    lab.clock.at += 601
    assert desk.move(code, "1", 2, truth).notice.startswith("the time for that task was over ")
    assert [event.value for event in _events(lab) if event.task == "1"] == ["", action]


def test_in_a_closed_study_nothing_is_kept(small_lab: Lab) -> None:
    lab = small_lab
    desk = lab.desk()
    playing, agreed, new = lab.codes[:3]
    lab.begin(desk, playing)
    desk.start(playing, "1")
    desk.consent(agreed, True)
    ledger = StudyLedger(lab.ledger_file, clocks=lab.clock)
    before = [ledger.events(number) for number in range(3)]
    ledger.close_study(lab.clock.at)
    truth = lab.truth(desk, playing, "1", rightly=True)
    for code, screen in (
        (new, desk.consent(new, True)),
        (agreed, desk.describe(agreed, "18-25", "school")),
        (playing, desk.start(playing, "1")),
        (playing, desk.move(playing, "1", 1, truth)),
        (playing, desk.screen(playing)),
    ):
        assert (screen.kind, screen.notice) == ("closed", "")
        assert screen.texts["closed"] == "The study is closed. Thank you for your interest."
        with pytest.raises(InvalidOption) as caught:
            desk.enter(code, "here")
        assert str(caught.value) == "the study is closed: nothing more can be played"
    assert [ledger.events(number) for number in range(3)] == before


def test_a_code_that_opens_nothing_is_told_why(small_lab: Lab) -> None:
    desk, code = small_lab.desk(), small_lab.codes[0]
    unknown = "this code is not of this study: check it, or ask those who run the study for yours"
    other = code[:-1] + ("0" if code[-1] != "0" else "1")
    with pytest.raises(InvalidOption) as caught:
        desk.screen(other)
    assert str(caught.value) == unknown
    screen = desk.withdraw(code)
    assert (screen.title, screen.texts["closed"]) == (
        desk.study.title,
        "You have withdrawn: what you did has been deleted.",
    )
    with pytest.raises(InvalidOption) as caught:
        desk.screen(code)
    assert str(caught.value) == "this code was withdrawn: what was done with it has been deleted"


@pytest.mark.parametrize(
    ("pending", "is_told"),
    [(None, False), (Pending((0, 2), "later"), True), (Pending((2,), "later"), False), ("fails", True)],
)
def test_a_withdrawal_is_told_as_pending_where_it_is(
    small_lab: Lab,
    pending: Pending | str | None,
    is_told: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk, waited = small_lab.desk(), []

    def erase(_ledger: StudyLedger, wait_s: float) -> Pending | str | None:
        waited.append(wait_s)
        if pending == "fails":
            raise LimitReached("the disk is full")
        return pending

    monkeypatch.setattr(StudyLedger, "erase", erase)
    screen = desk.withdraw(small_lab.codes[0])
    told = screen.texts["closed"]
    assert (screen.kind, screen.title) == ("closed", "A study of <b>weather</b>")
    assert ("Its deletion from the disk is pending" in told, "has been deleted" in told) == (
        is_told,
        not is_told,
    )
    assert waited == [1.0]
    logged = [(record.name, record.levelname, record.message) for record in caplog.records]
    expected = [("perennial.flows.study.desk", "ERROR", "the disk is full")] if pending == "fails" else []
    assert [one for one in logged if one[0] == "perennial.flows.study.desk"] == expected


def test_a_typed_answer_is_a_text_of_at_most_2000_characters(
    small_lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = small_lab
    desk, code = lab.desk(), lab.codes[0]
    lab.begin(desk, code)
    desk.start(code, "1")
    draw = OpenedStudy.sheet
    monkeypatch.setattr(
        OpenedStudy, "sheet", lambda opened, game: replace(draw(opened, game), truths=(), actions=())
    )
    for wrong in ("", " \n", "a" * 2_001, "a\x00b"):
        screen = desk.move(code, "1", 1, wrong)
        assert screen.notice == "an answer has 1 to 2,000 characters: this one does not count"
    assert desk.move(code, "1", 1, "a" * 2_000).notice == ""
    assert _events(lab)[-1].value == "a" * 2_000
