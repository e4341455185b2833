"""Acceptance: instances in the order of their indices, none of them known or accepted before.

Import this module lazily: it loads numpy and numba.
"""

import gc
from collections.abc import Container, Iterator
from contextlib import contextmanager

import numpy as np

from perennial.schemas.errors import PerennialError
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.construct import Draws
from perennial.tasks.kumo.sampling.draw import DUPLICATES, TALLIES, Candidates, CandidateSource
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.rest import Remainder
from perennial.tasks.kumo.sampling.solver import UndecidedError

# So many failed attempts before anything was found are reason enough to ask the solver whether there is
# anything to find: it costs milliseconds, and an impossible setting is then refused in no time.
_PROBED_ATTEMPTS = 32


class Collection:
    """The instances accepted so far; `shortfall` is set once no index can find another.

    `tally` sums up `Candidates.tallies`.
    """

    def __init__(
        self,
        encoded: EncodedConfig,
        request: SamplingRequest,
        known_ids: Container[str],
        source: CandidateSource,
    ) -> None:
        self._request, self._known_ids, self._source = request, known_ids, source
        self._accepted: set[str] = set()
        self.instances: list[Instance] = []
        self.ids: list[str] = []
        self.tally = np.zeros(TALLIES, np.int64)
        self.remainder = Remainder(encoded, request, source)
        self.shortfall: PerennialError | None = None

    def probe(self) -> None:
        """Set the shortfall where the first attempts fail and the solver proves that no instance exists."""
        if self._request.is_balanced:
            if self._source.lists.is_rare and self.remainder.is_empty():
                self.shortfall = self.remainder.shortfall(count=0)
            return
        first = np.array([self._request.first_index])
        candidates = self._source.next_candidates(first, stop=_PROBED_ATTEMPTS)
        if candidates.attempts[0] < 0 and self.remainder.is_empty():
            self.tally += candidates.tallies[0]
            self.shortfall = self.remainder.shortfall(count=0)

    def accept(self, first_index: int, candidates: Candidates) -> None:
        """Accept for each index, from the first on, its candidate or else the next that is not taken."""
        with _pause_garbage_collection():
            made = self._make_instances(first_index, candidates)
        ids = candidates.ids.tolist()
        if len(made) == len({*ids}) == len(ids) and not any(map(self._is_taken, ids)):
            # The usual batch: an instance per index, all of them new.
            self._accepted.update(ids)
            self.ids += ids
            self.instances += made
            self.tally += candidates.tallies.sum(axis=0)
            return
        instances, attempts = iter(made), candidates.attempts.tolist()
        looked_at = 0
        for index, (attempt, instance_id) in enumerate(
            zip(attempts, candidates.ids, strict=True), first_index
        ):
            looked_at += 1
            instance = next(instances) if attempt >= 0 else None
            if instance is not None and not self._is_taken(instance_id):
                self._add(instance_id, instance)
            elif not self._replace(index, attempt):
                break
        self.tally += candidates.tallies[:looked_at].sum(axis=0)

    def _make_instances(self, first_index: int, candidates: Candidates) -> list[Instance]:
        rows = np.flatnonzero(candidates.attempts >= 0)
        draws = candidates.draws if len(rows) == len(candidates.ids) else candidates.draws.rows(rows)
        return self._source.tables.instances(draws, self._request.seed, (first_index + rows).tolist())

    def _is_taken(self, instance_id: str) -> bool:
        return instance_id in self._accepted or instance_id in self._known_ids

    def _add(self, instance_id: str, instance: Instance) -> None:
        self._accepted.add(instance_id)
        self.ids.append(instance_id)
        self.instances.append(instance)

    def _replace(self, index: int, attempt: int) -> bool:
        """Accept another instance for the index, whose candidate at this attempt (-1: none) is taken."""
        replacement = self._redraw(index, attempt + 1) if attempt >= 0 else None
        if replacement is None:
            replacement = self._enumerate(index)
        if replacement is None:
            return False
        instance_id, draws = replacement
        self._add(instance_id, self._source.tables.instances(draws, self._request.seed, [index])[0])
        return True

    def _redraw(self, index: int, start: int) -> tuple[str, Draws] | None:
        self.tally[DUPLICATES] += 1
        found = self._source.next_candidates(np.array([index]), start=start, is_taken=self._is_taken)
        self.tally += found.tallies[0]
        return (found.ids[0], found.draws) if found.attempts[0] >= 0 else None

    def _enumerate(self, index: int) -> tuple[str, Draws] | None:
        try:
            found = self.remainder.next_instance(index, self._is_taken)
        except UndecidedError:
            self.shortfall = self.remainder.exhaustion_error(len(self.ids))
            return None
        if found is None:
            self.shortfall = self.remainder.shortfall(len(self.ids))
        return found


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Build a batch of objects without the collector, which would go through all of them again and again.

    They form no cycles, and it took half of the time at 100,000 instances.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
