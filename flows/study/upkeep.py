"""What goes on beside a page of a study: its time is stored, and pending deletions are tried again."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from perennial.schemas.errors import PerennialError, count
from perennial.warehouse.study.ledger import StudyLedger

_EVERY_S = 1.0
_ROUNDS_BETWEEN_TIMES = 30
_LEAVE_AFTER_S = 2.0
_log = logging.getLogger(__name__)


@contextmanager
def keep_up(path: Path) -> Iterator[None]:
    """Store the study's time twice a minute, and try pending deletions each second, during the block."""
    ledger = StudyLedger(path)  # its own connection: participants wait for none of this
    left = Event()
    thread = Thread(target=_keep_up, args=(ledger, left), daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join(_LEAVE_AFTER_S)


def _keep_up(ledger: StudyLedger, left: Event) -> None:
    rounds, last_state = 0, ""
    try:
        while not left.wait(_EVERY_S):
            rounds += 1
            state = _do_round(ledger, stores_time=rounds % _ROUNDS_BETWEEN_TIMES == 0)
            if state != last_state:
                _log.warning("%s", state or "nobody's withdrawal is pending any more")
                last_state = state
    finally:
        ledger.close()


def _do_round(ledger: StudyLedger, *, stores_time: bool) -> str:
    """Return what is to be said of this round, "" where all is well."""
    try:
        if stores_time:
            ledger.note_time()
        pending = ledger.erase()
    except PerennialError as error:
        return str(error)
    if pending is None:
        return ""
    whose = count(len(pending.participants), "participant")
    return f"the deletion from the disk of what {whose} did is pending until {pending.until}"
