"""The first code of `perennial`: Ctrl-C ends it quietly from here on, while the rest is being imported.

Import nothing but `os`, `signal` and `sys` above: whatever is imported takes time in which Ctrl-C may come.
"""

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    # Threads for matrices cost more than they save: they wait for each other where other work runs beside.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    end_at_once_on_ctrl_c()
    from perennial.flows.seldom_collected import collect_seldom
    from perennial.schemas.errors import UnusableBenchmark

    collect_seldom()

    try:
        from perennial.flows.cli.app import main as run
    except UnusableBenchmark as error:
        sys.exit(f"perennial: error: {error}")
    try:
        run()
    except KeyboardInterrupt:
        _end(signal.SIGINT, None)
    except RuntimeError as error:
        # What Python 3.11 makes of Ctrl-C while it creates a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            _end(signal.SIGINT, None)
        raise
    finally:
        end_at_once_on_ctrl_c()


def end_at_once_on_ctrl_c() -> None:
    """End the process at Ctrl-C without unwinding: imports, and the end of Python, cannot be undone in order.

    Nothing is done where Ctrl-C is ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def let_ctrl_c_interrupt() -> None:
    """Raise KeyboardInterrupt at Ctrl-C, as Python does: the command cleans up."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    try:
        os.write(2, b"perennial: interrupted\n")
        # What was printed is complete: a command has not begun, or has ended.
        sys.stdout.flush()
    except (OSError, RuntimeError, ValueError):
        pass
    os._exit(_INTERRUPTED)
