"""The time of a study: the date of the machine can be set, and the machine restarted, without changing it."""

import pytest

from perennial.warehouse.study.ledger import Clocks, StudyLedger, StudyTime, read_clocks
from tests.study.study_root import Clock, Lab

_HOUR = 3600.0


@pytest.fixture
def lab(small_lab: Lab) -> Lab:
    """The small study."""
    return small_lab


def _start(lab: Lab) -> None:
    desk = lab.desk()
    lab.begin(desk, lab.codes[0])
    assert desk.start(lab.codes[0], "1").seconds_left == 600
    desk.close()


@pytest.mark.parametrize("hours", [-5, 5, -24 * 365, 24 * 365])
def test_a_date_that_is_set_gives_and_takes_no_time(lab: Lab, hours: float) -> None:
    _start(lab)
    running = lab.desk()
    lab.clock.at += 10
    lab.clock.set_by = hours * _HOUR
    # In the process that was running, and in one that starts now.
    assert running.screen(lab.codes[0]).seconds_left == pytest.approx(590)
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(590)
    lab.clock.at += 589
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(1)
    lab.clock.at += 1
    late = lab.desk().move(lab.codes[0], "1", 1, lab.truth(running, lab.codes[0], "1", rightly=True))
    assert (late.last, "was over" in late.notice) == ("time", True)


def test_a_restart_of_the_machine_counts_with_what_it_was_off(lab: Lab) -> None:
    _start(lab)
    lab.clock.at += 100
    lab.clock.restart()
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(500)
    lab.clock.at += 100
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(400)


def test_a_date_set_back_over_a_restart_gives_no_time_that_was_stored_as_gone(lab: Lab) -> None:
    _start(lab)
    ledger = StudyLedger(lab.ledger_file, clocks=lab.clock)
    lab.clock.at += 100
    ledger.note_time()
    ledger.close()
    lab.clock.at += 7
    lab.clock.set_by = -5 * _HOUR
    lab.clock.restart()
    # The 7 s since the time was stored are lost; five hours are not won.
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(500)
    lab.clock.at += 20
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(480)
    # Back to the right date while it runs: five hours are not lost either.
    lab.clock.set_by = 0
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(480)


def test_a_date_set_back_before_the_restart_is_what_the_next_boot_counts_from(lab: Lab) -> None:
    _start(lab)
    lab.clock.set_by = -5 * _HOUR
    ledger = StudyLedger(lab.ledger_file, clocks=lab.clock)
    ledger.note_time()
    ledger.close()
    lab.clock.at += 30
    lab.clock.restart()
    assert lab.desk().screen(lab.codes[0]).seconds_left == pytest.approx(570)


def test_times_of_moves_never_go_back(lab: Lab) -> None:
    _start(lab)
    desk, code = lab.desk(), lab.codes[0]
    view = desk.screen(code).view
    assert view is not None
    for turn, choice in enumerate(view.actions[:2], 1):
        lab.clock.at += 5
        lab.clock.set_by -= _HOUR
        assert not desk.move(code, "1", turn, choice.name).notice
    ledger = StudyLedger(lab.ledger_file, clocks=lab.clock)
    times = [event.at for event in ledger.events(0)]
    assert times == sorted(times)
    assert times[-1] - times[-3] == pytest.approx(10)  # two moves after the start


def test_where_no_boot_is_known_each_process_goes_by_the_date_and_never_back() -> None:
    clock = Clock(boot_id="")
    begun = StudyTime.begin(clock())
    clock.at += 50
    again = begun.resume(clock())
    assert again.now(clock()) - begun.at == pytest.approx(50)
    clock.set_by = -_HOUR
    assert again.now(clock()) == pytest.approx(begun.at + 50)
    assert again.resume(clock()).now(clock()) == pytest.approx(begun.at + 50)


def test_a_clock_that_is_behind_in_the_same_boot_takes_nothing_back() -> None:
    # A container may see a clock of its own.
    time = StudyTime("b", 1_000.0, 1_500.0, 1_500.0)
    assert time.now(Clocks("b", 100.0, 9_999.0)) == 1_500.0


def test_the_machines_clocks_go_on() -> None:
    one, other = read_clocks(), read_clocks()
    assert one.boot_id == other.boot_id
    assert one.since_boot <= other.since_boot
