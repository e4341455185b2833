"""How a process of ours begins: what Ctrl-C does to it, and how seldom it looks for cyclic garbage.

Import nothing heavy: `perennial` starts with these lines, and Ctrl-C may come while they are imported.
"""

import gc
import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130
_NEW_OBJECTS = 50_000  # Python's own figure is 700: its searches take a fifth of what importing Prefect does


def collect_seldom() -> None:
    """Raise the garbage collector's thresholds, where imports create a million objects that all stay."""
    gc.set_threshold(_NEW_OBJECTS, 10, 10)


def end_at_once_on_ctrl_c() -> None:
    """End the process at Ctrl-C without unwinding: imports, and the end of Python, cannot be undone in order.

    Nothing is done where Ctrl-C is ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)


def let_ctrl_c_interrupt() -> None:
    """Raise KeyboardInterrupt at Ctrl-C, as Python does: the command cleans up."""
    if signal.getsignal(signal.SIGINT) is end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end_at_once(_number: int = signal.SIGINT, _frame: FrameType | None = None) -> None:
    """Say that the process was interrupted, and end it without unwinding."""
    try:
        os.write(2, b"perennial: interrupted\n")
        # What was printed is complete: a command has not begun, or has ended.
        sys.stdout.flush()
    except (OSError, RuntimeError, ValueError):
        pass
    os._exit(_INTERRUPTED)
