"""Find an answer in the lines of a text: the last lines in a row that read as one."""

from collections.abc import Callable

from schemas.beyondbench.things import Answer


def find_last_lines(text: str, read: Callable[[str], Answer | None]) -> Answer | None:
    """Return what the last lines read together, each of which is accepted; empty lines do not part them."""
    runs: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            continue
        if read(line) is not None:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    last = next((run for run in reversed(runs) if run), None)
    return read("\n".join(last)) if last else None
