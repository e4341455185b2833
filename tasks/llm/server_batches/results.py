"""Give the calls of a batch that has ended what its files say, line by line."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from perennial.tasks.llm.retry_policy import Received
from perennial.tasks.llm.server_batches.api import BatchApi, LostFile
from perennial.tasks.llm.server_batches.forms import ServerBatch
from perennial.tasks.llm.server_batches.output import LineCounts, read_line
from perennial.tasks.llm.server_batches.patience import Patience

_LINES_A_TURN = 100

Give = Callable[[str, Received], None]


@dataclass
class Results:
    """What a batch has for its calls.

    `known` are all calls of the batch, `asked` those that wait, which `give` removes as it gives each what
    it receives; `counts` are of the lines that were dropped. `name` is the batch in words.
    """

    api: BatchApi
    batch: ServerBatch
    name: str
    known: set[str]
    asked: set[str]
    give: Give
    patience: Patience
    counts: LineCounts = field(default_factory=LineCounts)

    async def hand_out(self) -> None:
        """Give every call that waits its line, or why it has none.

        Raises EndpointFailed where a file cannot be read: then the rest waits on.
        """
        rest = _without_a_line(self.batch)
        seen: set[str] = set()
        if self.batch.status != "failed":
            for file_id in (self.batch.output_file_id, self.batch.error_file_id):
                if file_id is not None:
                    rest = await self._read_file(file_id, seen) or rest
        for call_id in sorted(self.asked):
            self._give(call_id, rest)

    async def _read_file(self, file_id: str, seen: set[str]) -> Received | None:
        """Read a file whole; return what the rest receives where it is too much to be read."""
        from perennial.tasks.llm.http.bounded_lines import TooMuch

        why = None
        while True:
            counts, in_file = LineCounts(), set(seen)
            try:
                await self._read_lines(file_id, in_file, counts)
            except LostFile as error:
                self.patience.fail(f"the file {file_id} of {self.name}", str(error), error.http_status)
                await self.patience.pause()
                continue
            except TooMuch as error:
                why = f"of {self.name} {error}"
            self.patience.succeed()
            self.counts.add(counts)
            seen |= in_file
            return None if why is None else Received(200, why_cut=why, batch_id=self.batch.id)

    async def _read_lines(self, file_id: str, seen: set[str], counts: LineCounts) -> None:
        number = 0
        async for text, is_cut in self.api.lines(file_id):
            number += 1
            if number % _LINES_A_TURN == 0:
                # So that replies are stored meanwhile.
                await asyncio.sleep(0)
            if not text.strip():
                continue
            line = read_line(text, is_cut, self.api.max_line_bytes, self.batch)
            call_id = line.call_id
            if call_id is None:
                counts.unreadable += 1
            elif call_id not in self.known:
                counts.unknown += 1
            elif call_id in seen:
                counts.duplicate += 1
            elif call_id in self.asked:
                self._give(call_id, line.received)
            if call_id in self.known:
                seen.add(call_id)

    def _give(self, call_id: str, received: Received) -> None:
        self.asked.discard(call_id)
        self.give(call_id, received)


def _without_a_line(batch: ServerBatch) -> Received:
    """Return what a call receives for which the batch has no line."""
    if batch.status == "failed":
        body = json.dumps({"error": {"message": f"batch {batch.id} failed: {batch.describe_problems()}"}})
        return Received(429 if batch.waits_for_room else 400, body, batch_id=batch.id)
    problem = f"batch {batch.id} is {batch.status}, and has no line for the call"
    return Received(None, latency_s=batch.seconds, problem=problem, batch_id=batch.id)
