"""A sample of any size in bounded memory: chunk after chunk, the instances of one large request."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

from perennial.schemas.errors import PerennialError
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.warehouse.editions.issued_ids import EitherSet, IdSet

# Large enough that starting worker processes for each costs little beside it.
CHUNK = 50_000


class SampleStream:
    """The instances of a request, one by one; of those handed out, the ids alone are held.

    They are those that `sample_instances` returns for the whole request. `yielded`, `counts` (those of
    `SamplingCounts`, summed over chunks) and `shortfall` are complete once the stream is at its end.
    """

    def __init__(
        self,
        encoded: EncodedConfig,
        request: SamplingRequest,
        issued: IdSet,
        workers: int,
        progress: Callable[[int], None],
    ) -> None:
        self._encoded, self._request, self._issued = encoded, request, issued
        self._workers, self._progress = workers, progress
        self._drawn = IdSet()
        self.yielded = 0
        self.counts: Counter[str] = Counter()
        self.shortfall: PerennialError | None = None

    def __iter__(self) -> Iterator[Instance]:
        while self.shortfall is None and self.yielded < self._request.count:
            yield from self._next_chunk()

    def _next_chunk(self) -> tuple[Instance, ...]:
        before = self.yielded
        request = replace(
            self._request,
            count=min(CHUNK, self._request.count - before),
            first_index=self._request.first_index + before,
            asked_in_all=self._request.count,
            found_before=before,
        )
        sample = sample_instances(
            self._encoded,
            request,
            known_ids=EitherSet(self._issued, self._drawn),
            workers=self._workers,
            progress=lambda done: self._progress(before + done),
        )
        self._drawn.update(sample.ids)
        self.yielded += len(sample.ids)
        self.counts.update(asdict(sample.counts))
        self.shortfall = sample.shortfall
        return sample.instances
