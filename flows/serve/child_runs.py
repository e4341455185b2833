"""A run that `perennial serve` started ends with it, however that ends.

A process that was killed cannot end its children. So each run watches who its parent is: a dead one's
children are given to another. A process that lives ends them, and leaves within a time limit.
"""

import multiprocessing
import os
import signal
import threading
import time

PARENT_VARIABLE = "PERENNIAL__SERVE_PID"
DOCS_VARIABLE, DOCS_FOLDER = "PERENNIAL__DATA_DOCS", "data-docs"
_POLL_S = 0.5
_GRACE_S = 15.0


def end_with_parent() -> None:
    """Watch the serving process, where one started this one; with it gone, end as by SIGTERM."""
    parent = os.environ.get(PARENT_VARIABLE, "")
    if parent:
        threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def leave_after(seconds: float) -> None:
    """Leave for good after so many seconds, unless this process has ended by then."""
    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()


def leave(exit_code: int = 1) -> None:
    """End this process's runs, then itself, whatever else still waits."""
    end_runs()
    os._exit(exit_code)


def end_runs() -> None:
    """End the runs that this process has started: asked to first, killed where they do not."""
    runs = multiprocessing.active_children()
    for run in runs:
        run.terminate()
    deadline = time.monotonic() + _GRACE_S
    for run in runs:
        run.join(max(deadline - time.monotonic(), 0.1))
        if run.is_alive():
            run.kill()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_S)
    os.kill(os.getpid(), signal.SIGTERM)
    # Its server is gone too: reporting the end to it may take longer than anybody waits.
    time.sleep(_GRACE_S)
    os._exit(1)
