"""Find an answer in the lines of a text: the last lines in a row that read as one, rows of tables."""

import re
from collections.abc import Callable

from perennial.schemas.beyondbench.things import Answer

_RULE_OF_TABLE = re.compile(r"[|:\-+\s]*")


def flatten_tables(text: str) -> str:
    """Return the text with Markdown tables without their heads, and rows of two cells as `first: second`."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.count("|") < 2:
            lines.append(line)
        elif "-" in line[line.index("|") :] and _RULE_OF_TABLE.fullmatch(line):
            if lines and "|" in lines[-1]:
                lines.pop()
        else:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            lines.append(": ".join(cells) if len(cells) == 2 else line)
    return "\n".join(lines)


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
