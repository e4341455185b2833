"""What the Batch API of the server can do badly, by name."""

import json
from collections.abc import Callable, Iterable, Mapping

from perennial.schemas.ids import derive_seed

# Drawn again at each attempt of the same input file, so that a later one may be served.
UPLOAD_FAULTS = {
    "batch_upload_429": "POST /files answers 429, with Retry-After",
    "batch_upload_500": "POST /files answers 500",
    "batch_bad_file": "POST /files answers an id that leads out of its path",
    "batch_bad_id": "POST /batches makes the batch, and answers another id than GET does",
    "batch_bad_output": "a batch that has ended, and whose output file has an id that leads out of its path",
    "batch_create_lost": "POST /batches makes the batch, then answers 500",
    "batch_failed": "a batch that fails its validation",
    "batch_full": "a batch that fails as the limit of waiting tokens is reached",
    "batch_expired": "a batch that expires when half of its lines are answered",
    "batch_cancelled": "a batch that is cancelled when half of its lines are answered",
}
# Drawn for each line at each attempt.
LINE_FAULTS = {
    "line_missing": "a line that is answered, and missing in the output",
    "line_cut": "a line that is cut in the middle",
    "line_garbled": "a line that is no JSON, without an id",
    "line_twice": "a line that comes twice, the second time with another answer",
    "line_unknown": "beside the line another one, of an unknown custom_id",
    "line_huge": "a line of 8 MB",
}
BATCH_FAULTS = {**UPLOAD_FAULTS, **LINE_FAULTS}
HALVED = ("expired", "cancelled")
_HUGE = 8_000_000


class BatchDraws:
    """Draws faults from the seed and what they strike; after `most` bad attempts of a thing it is served."""

    def __init__(self, seed: int, rate: Callable[[str], float], most: int) -> None:
        self._seed = seed
        self._rates = {name: rate(name) for name in BATCH_FAULTS}
        self._most = most
        self._attempts: dict[tuple[str, str], int] = {}

    def strikes(self, name: str, digest: str) -> bool:
        """Count an attempt, and say whether the fault strikes it."""
        if not self._rates[name]:
            return False
        number = self._attempts[name, digest] = self._attempts.get((name, digest), 0) + 1
        draw = derive_seed(self._seed, f"{name}/{digest}", number) / 2**64
        return number <= self._most and draw < self._rates[name]

    def first(self, names: Iterable[str], digest: str) -> str | None:
        """Return the first of these faults that strikes."""
        return next((name for name in names if self.strikes(name, digest)), None)


def change_line(fault: str | None, line: Mapping[str, object]) -> list[str]:
    """Return the lines that stand in a file in place of one, with this fault."""
    text = json.dumps(line)
    if fault == "line_missing":
        return []
    if fault == "line_cut":
        return [text[: len(text) // 2]]
    if fault == "line_garbled":
        return ["<html>busy</html>"]
    if fault == "line_twice":
        return [text, text.replace("It is", "It was")]
    if fault == "line_unknown":
        return [text, json.dumps({**line, "custom_id": "call_of_nobody"})]
    if fault == "line_huge":
        return [json.dumps({**line, "padding": "x" * _HUGE})]
    return [text]
