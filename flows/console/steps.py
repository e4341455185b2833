"""What a command is at while it takes long: a changing line on a terminal, else lines on standard error."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from perennial.flows.console.terminal import Terminal

FIRST_S = 2.0  # what takes less prints nothing
_LONGEST_S = 60.0


@contextmanager
def show_steps(command: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error what the block is at; call what it yields with the name of each step."""
    console = Terminal(stderr=True, soft_wrap=True)
    at = "starting"

    def step(name: str) -> None:
        nonlocal at
        at = name

    # A changing line takes standard output over, which is left alone where it is a file.
    if console.is_terminal and sys.stdout.isatty():
        with console.status(f"{command}: {at}") as status:
            yield lambda name: status.update(f"{command}: {name}")
    else:
        with print_while(lambda seconds: f"{command:<12} {seconds:6.0f} s  {at}", console.print):
            yield step


@contextmanager
def print_while(describe: Callable[[float], str], tell: Callable[[str], None]) -> Iterator[None]:
    """Tell how far the block is, after so many seconds: 2, 4, 8 and so on, later every minute."""
    ended = threading.Event()

    def run() -> None:
        wait, seconds = FIRST_S, 0.0
        while not ended.wait(wait):
            seconds += wait
            tell(describe(seconds))
            wait = min(seconds, _LONGEST_S)

    thread = threading.Thread(target=run, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
