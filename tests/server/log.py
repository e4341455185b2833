"""The server's own log: what became of each request, by which a test sees what was asked for twice."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

ANSWERED = "answered"
ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class LogLine:
    """What became of one request, or one thing of it: a slow answer has a line `slow` before the last.

    `outcome` is `answered` (a whole chat completion was written out with status 200), `abandoned` (the
    client was gone before), a transport fault, or why it was refused: unauthorised, bad_request,
    unknown_model, unrecognised, role_failed. `n` counts lines from 1, `attempt` the times that this digest
    was seen; `faults` are the content faults of an answer. `digest` covers model, messages and parameters,
    not the key; a refused request has none.
    """

    n: int
    digest: str | None
    attempt: int
    outcome: str
    role: str | None
    model: str | None
    faults: tuple[str, ...] = ()


class AnswerLog:
    """Keeps lines in memory, and writes each at once to a file where there is one (appending to it)."""

    def __init__(self, path: str | None) -> None:
        # Unbuffered: a line is in the file even if the server is killed.
        self._file: BinaryIO | None = open(path, "ab", buffering=0) if path else None  # noqa: SIM115
        self._lines: list[str] = []
        self.answered = 0

    def add(
        self,
        outcome: str,
        digest: str | None = None,
        attempt: int = 0,
        role: str | None = None,
        model: str | None = None,
        faults: tuple[str, ...] = (),
    ) -> None:
        """Add a line."""
        line = LogLine(len(self._lines) + 1, digest, attempt, outcome, role, model, faults)
        text = json.dumps(asdict(line)) + "\n"
        self._lines.append(text)
        self.answered += outcome == ANSWERED
        if self._file is not None:
            self._file.write(text.encode())

    def text(self) -> str:
        """Return the log of this server's life as JSON Lines."""
        return "".join(self._lines)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def parse_log(text: str) -> list[LogLine]:
    """Return the lines of a log in the order in which they were written."""
    found = (json.loads(line) for line in text.splitlines())
    return [LogLine(**{**line, "faults": tuple(line["faults"])}) for line in found]


def read_log(path: str | Path) -> list[LogLine]:
    """Return the lines of a log file."""
    return parse_log(Path(path).read_text(encoding="utf-8"))


def answers_by_digest(lines: Iterable[LogLine]) -> Counter[str]:
    """Return how often each request was answered; five runs that ask the same make five of one digest."""
    return Counter(line.digest for line in lines if line.outcome == ANSWERED and line.digest is not None)
