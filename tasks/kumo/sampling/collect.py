"""Acceptance: instances in the order of their indices, none of them known or accepted before.

Import this module lazily: it loads numpy and numba.
"""

import gc
from collections import deque
from collections.abc import Callable, Container, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from random import Random

import numpy as np

from perennial.schemas.errors import InstancesExhausted, PerennialError, UnsatisfiableSetting
from perennial.schemas.ids import derive_rng, which_held
from perennial.schemas.kumo.things import AS_PUBLISHED, Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced
from perennial.tasks.kumo.sampling.balanced.lists import Lists
from perennial.tasks.kumo.sampling.balanced.solver import FoundBoard
from perennial.tasks.kumo.sampling.construct import Array, Draws
from perennial.tasks.kumo.sampling.draw import DUPLICATES, MAX_ATTEMPTS, PURPOSE, Candidates, CandidateSource
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.solver import FoundInstance, UndecidedError, all_instances

# Batches of first candidates, drawn in this process or in several: what comes out is the same.

Batch = tuple[int, Candidates]

# Large enough that the cost of a batch is that of its draws; searched ones are spread over the processes.
_SIZE = 4096
_SEARCHED_SIZE = 64
# Batches in work for each process: finished ones wait in memory for those before them.
_AHEAD = 2

_sources: list[CandidateSource] = []


def batches(
    encoded: EncodedConfig, request: SamplingRequest, workers: int, source: CandidateSource
) -> Generator[Batch, None, None]:
    """(first index, candidates) for all indices of the request, in ascending order.

    Processes are started only where there is more than one batch to draw.
    """
    size = _SEARCHED_SIZE if request.is_searched else _SIZE
    end = request.first_index + request.count
    parts = [(first, min(first + size, end)) for first in range(request.first_index, end, size)]
    if workers == 1 or len(parts) == 1:
        for first, last in parts:
            yield first, source.next_candidates(np.arange(first, last))
    else:
        yield from _in_processes(parts, min(workers, len(parts)), encoded, request)


def _in_processes(
    parts: list[tuple[int, int]], workers: int, encoded: EncodedConfig, request: SamplingRequest
) -> Generator[Batch, None, None]:
    # Spawned, not forked: the caller may run threads.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (encoded, request))
    waiting: deque[Future[Batch]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(_draw_batch, *part))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker(encoded: EncodedConfig, request: SamplingRequest) -> None:
    _sources.append(CandidateSource(encoded, request))


def _draw_batch(first: int, last: int) -> Batch:
    return first, _sources[0].next_candidates(np.arange(first, last))


# What random drawing does not reach: the solver's enumeration, and the proof that nothing is left.
#
# The enumeration of a request is one fixed sequence of all instances, whatever was found or issued before;
# an index takes the first of it that is not taken. So a run that resumes where another stopped finds the
# same instances as one long run, and the sequence's end proves how many exist.

# The solver cannot see which instances reach a minimum above 1, or need a test: so many misses in a row end
# the walk.
_MAX_MISSES = 2_000

Candidate = FoundInstance | FoundBoard


class Remainder:
    """The enumeration of one request, walked as far as it is needed."""

    def __init__(self, encoded: EncodedConfig, request: SamplingRequest, source: CandidateSource) -> None:
        self._encoded, self._request, self._source = encoded, request, source
        self._models = self._enumerate(all_related=request.min_expected_steps > 0)
        self._head: Candidate | None = None
        self._is_undecided = False
        self.walked = 0
        self.too_easy = 0

    def is_empty(self) -> bool:
        """Whether the solver proves that there is no instance; what it cannot see is left aside."""
        try:
            self._head = self._head or self._next_model()
        except UndecidedError:
            return False
        return self._head is None

    def next_instance(self, index: int, is_taken: Callable[[str], bool]) -> tuple[str, Draws] | None:
        """Id and draw of the first instance of the sequence that is not taken, None at its end.

        Raises UndecidedError where the solver's budget, or `_MAX_MISSES`, ends the walk before its end.
        """
        misses = 0
        while (found := self._advance()) is not None:
            draws = self._shuffle(found, index)
            instance_id = self._source.tables.ids(draws)[0]
            if self._request.is_filtered and self._source.too_easy(draws)[0]:
                self.too_easy += 1
                misses += 1
                if misses == _MAX_MISSES:
                    raise UndecidedError
            # A taken one shows that the walk still meets instances: only misses in a row end it.
            elif is_taken(instance_id):
                misses = 0
            else:
                return instance_id, draws
        return None

    def shortfall(self, count: int) -> PerennialError:
        """The error that says how many instances exist, once the sequence is at its end."""
        existing = self.walked - self.too_easy
        what = "balanced lists of truths and actions" if self._request.is_balanced else "distinct instances"
        count += self._request.found_before
        issued_earlier = existing - count
        if existing == 0:
            return self._nothing_exists()
        if issued_earlier < 0:
            raise AssertionError(
                f"{count} distinct instances were drawn, the solver enumerated {existing}: please report this"
            )
        earlier = f" ({issued_earlier:,} of them issued earlier)" if issued_earlier else ""
        return InstancesExhausted(
            f"{self._subject()}: {existing:,} {what} exist{earlier}, {self._count_asked():,} new "
            f"ones were asked for and {count:,} found: ask for {count:,} at most, or use another setting or "
            f"domain"
        )

    def exhaustion_error(self, count: int) -> PerennialError:
        """The error that says that no further instance was found, and that none was excluded."""
        count += self._request.found_before
        return InstancesExhausted(
            f"{self._subject()}: {self._count_asked():,} new instances were asked for and {count:,} found; "
            f"neither drawing nor the solver came upon another within its limits (that there is none is not "
            f"proved): use another seed, a lower min_expected_steps, another setting or another domain"
        )

    def _nothing_exists(self) -> PerennialError:
        least = self._request.min_expected_steps
        if self._request.is_balanced and not self.walked:
            return UnsatisfiableSetting(
                f"{self._subject()}: no balanced instance exists, as was proved: no list of truths and "
                "actions lets every listed truth be the only survivor; use fewer truths, more actions, "
                f"another domain, or --sampler {AS_PUBLISHED}"
            )
        if self._request.is_undecided and not self._request.is_searched and self.walked:
            return UnsatisfiableSetting(
                f"{self._subject()}: lists, rules and the promise give the answer of all "
                f"{self.walked:,} instances without any test, as was proved: use --no-require-test, more "
                f"actions or more truths"
            )
        if least == 0 or self._is_empty_at_zero():
            return UnsatisfiableSetting(
                f"{self._subject()}: no instance exists, as was proved: no selection of truths lets "
                f"{self._request.setting.n_actions} observations leave exactly the valid ones; use fewer "
                f"truths, another number of actions, or another domain"
            )
        return UnsatisfiableSetting(
            f"{self._subject()}: no instance has expected steps of {least:g} or more, as was proved, "
            f"although instances exist: use min_expected_steps 0, more actions or fewer truths"
        )

    def _is_empty_at_zero(self) -> bool:
        try:
            return next(self._enumerate(all_related=False), None) is None
        except UndecidedError:
            return False

    def _count_asked(self) -> int:
        return self._request.asked_in_all or self._request.count

    def _subject(self) -> str:
        return f"domain {self._encoded.config.name!r}, setting {self._request.setting.name}"

    def _enumerate(self, all_related: bool) -> Iterator[Candidate]:
        rng = derive_rng(self._request.seed, f"{PURPOSE} by enumeration", 0)
        states, setting = self._source.tables.states, self._request.setting
        # A generator: most requests end before anything is enumerated, and formulas are costly to write.
        if self._request.is_balanced:
            yield from self._source.lists.formula.boards(rng)
        else:
            yield from all_instances(self._encoded, states, setting, all_related, rng)

    def _advance(self) -> Candidate | None:
        found, self._head = self._head or self._next_model(), None
        self.walked += found is not None
        return found

    def _next_model(self) -> Candidate | None:
        # An iterator that has raised ends at the next call, which must not be taken for a proof.
        if self._is_undecided:
            raise UndecidedError
        try:
            return next(self._models, None)
        except UndecidedError:
            self._is_undecided = True
            raise

    def _shuffle(self, board: Candidate, index: int) -> Draws:
        """The instance as a draw of one row, in random order and with its own observations."""
        rng = derive_rng(self._request.seed, f"{PURPOSE} of an enumerated instance", index)
        if isinstance(board, FoundBoard):
            return self._complete(board, rng)
        truths, states = list(board.truths), list(board.states)
        rng.shuffle(truths)
        rng.shuffle(states)
        draws = Draws.empty(1, len(truths), len(states))
        draws.truths[0], draws.states[0] = truths, states
        draws.valid[0] = [truth in board.valid for truth in truths]
        draws.uniforms[0] = [rng.random() for _ in states]
        return draws

    def _complete(self, board: FoundBoard, rng: Random) -> Draws:
        truths = np.array([rng.sample(board.truths, len(board.truths))], np.int32)
        actions = np.array([rng.sample(board.actions, len(board.actions))], np.int32)
        if not are_balanced(self._source.tables.kernel, truths, actions).all():
            raise AssertionError(
                f"the solver and the compiled draw disagree about truths {board.truths} and actions "
                f"{board.actions}: please report this"
            )
        return self._source.complete(truths, actions)


_LISTED_AT_ONCE = 256

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
        self._taken = set[str]()  # the accepted ones, and those known ones that were met
        self.instances: list[Instance] = []
        self.ids: list[str] = []
        self.tally = np.zeros(DUPLICATES + 1, np.int64)
        self.remainder = Remainder(encoded, request, source)
        self.shortfall: PerennialError | None = None

    def probe(self) -> None:
        """Set the shortfall where the first attempts fail and the solver proves that no instance exists."""
        if self._request.is_balanced:
            lists = self._source.lists
            if lists.all_lists is None and lists.is_rare and self.remainder.is_empty():
                self.shortfall = self.remainder.shortfall(count=0)
            return
        first = np.array([self._request.first_index])
        candidates = self._source.next_candidates(first, stop=_PROBED_ATTEMPTS)
        if candidates.attempts[0] < 0 and self.remainder.is_empty():
            self.tally += candidates.tallies[0]
            self.shortfall = self.remainder.shortfall(count=0)

    def accept_listed(self, all_lists: Lists, progress: Callable[[int], None]) -> None:
        """Accept of all lists, which are few, the first ones that are not taken; their end is the proof."""
        source, request = self._source, self._request
        truths, actions, verdicts = all_lists
        balanced, start = np.flatnonzero(verdicts), 0
        while len(balanced) and (wanted := request.count - len(self.ids)):
            places = balanced[: min(max(wanted, _LISTED_AT_ONCE), _SIZE)]
            draws = source.complete(truths[places], actions[places])
            ids = source.tables.ids(draws)
            self._learn(ids)
            rows = [row for row, text in enumerate(ids) if text not in self._taken][:wanted]
            # The last batch goes on until enough are accepted.
            passed = rows[-1] + 1 if len(rows) == wanted else len(ids)
            first = request.first_index + len(self.ids)
            with _pause_garbage_collection():
                self.instances += source.make(draws.rows(rows), request.seed, range(first, first + len(rows)))
            self.ids += [ids[row] for row in rows]
            self.tally[DUPLICATES] += passed - len(rows)
            self.remainder.walked += passed
            balanced = balanced[passed:]
            stop = int(balanced[0]) if len(balanced) else len(verdicts)
            source.lists.check_listed(all_lists, start, stop, self.tally)
            start = stop
            progress(len(self.ids))
        if len(self.ids) < request.count:
            self.shortfall = self.remainder.shortfall(len(self.ids))

    def accept(self, first_index: int, candidates: Candidates) -> None:
        """Accept for each index, from the first on, its candidate or else the next that is not taken."""
        spent = np.zeros(len(candidates.ids), np.int64)
        if not (is_usual := self._are_new(candidates)):
            self._redraw_together(first_index, candidates, spent)
            is_usual = self._are_new(candidates)
        rows, ids = np.flatnonzero(candidates.attempts >= 0), candidates.ids.tolist()
        # A copy of all rows would be one for nothing.
        draws = candidates.draws if is_usual else candidates.draws.rows(rows)
        with _pause_garbage_collection():
            made = self._source.make(draws, self._request.seed, (first_index + rows).tolist())
        if is_usual:
            self._taken.update(ids)
            self.ids += ids
            self.instances += made
            self.tally += candidates.tallies.sum(axis=0)
            return
        instances, attempts = iter(made), candidates.attempts.tolist()
        looked_at = 0
        for index, (attempt, instance_id) in enumerate(zip(attempts, ids, strict=True), first_index):
            looked_at += 1
            instance = next(instances) if attempt >= 0 else None
            if instance is not None and instance_id not in self._taken:
                self._add(instance_id, instance)
            elif not self._replace(index, attempt, MAX_ATTEMPTS - spent[index - first_index]):
                break
        self.tally += candidates.tallies[:looked_at].sum(axis=0)

    def _is_taken(self, instance_id: str) -> bool:
        return instance_id in self._taken or instance_id in self._known_ids

    def _learn(self, ids: list[str]) -> None:
        # All at once, which is many times faster than one by one.
        held = zip(ids, which_held(self._known_ids, ids), strict=True)
        self._taken.update(instance_id for instance_id, is_held in held if is_held)

    def _are_new(self, candidates: Candidates) -> bool:
        """Whether each index has a candidate, all of them new, as is usual; the ids are learned."""
        self._learn(ids := candidates.ids.tolist())
        return candidates.attempts.min() >= 0 and len({*ids}) == len(ids) and self._taken.isdisjoint(ids)

    def _add(self, instance_id: str, instance: Instance) -> None:
        self._taken.add(instance_id)
        self.ids.append(instance_id)
        self.instances.append(instance)

    def _redraw_together(self, first_index: int, candidates: Candidates, spent: Array) -> None:
        # Taken candidates are redrawn in place; `spent` is how often those of each index were.
        # As if each index had its turn: what is taken stays taken, by the same index or a smaller one.
        attempts, ids, holders = candidates.attempts, candidates.ids, dict[str, int]()
        asking = np.flatnonzero(attempts >= 0).tolist() if self._request.is_balanced else []
        while asking:
            taken = []
            for row, instance_id in zip(asking, ids[asking].tolist(), strict=True):
                holder = holders.setdefault(instance_id, row)
                if instance_id in self._taken:
                    taken.append(row)
                elif holder != row:
                    holders[instance_id] = min(holder, row)
                    taken.append(max(holder, row))
            rows = np.array([row for row in taken if spent[row] < MAX_ATTEMPTS - 1], np.int64)
            if not len(rows) or len(taken) > 0.9 * len(asking):  # one by one, or nothing may be left
                break
            drawn = self._source.next_candidates(first_index + rows, start=attempts[rows] + 1)
            attempts[rows], ids[rows] = drawn.attempts, drawn.ids
            for column, drawn_column in zip(candidates.draws, drawn.draws, strict=True):
                column[rows] = drawn_column
            candidates.tallies[rows] += drawn.tallies
            candidates.tallies[rows, DUPLICATES] += 1
            spent[rows] += 1
            self._learn(drawn.ids.tolist())
            asking = rows[drawn.attempts >= 0].tolist()

    def _replace(self, index: int, attempt: int, most: int) -> bool:
        """Accept another instance for the index, whose candidate at this attempt (-1: none) is taken."""
        # An index without a candidate has used all its attempts: only the enumeration is left.
        replacement = self._redraw(index, attempt, most) if attempt >= 0 else None
        if replacement is None:
            replacement = self._enumerate(index)
        if replacement is None:
            return False
        instance_id, draws = replacement
        self._add(instance_id, self._source.make(draws, self._request.seed, [index])[0])
        return True

    def _redraw(self, index: int, attempt: int, most: int) -> tuple[str, Draws] | None:
        self.tally[DUPLICATES] += 1
        for _ in range(most):
            drawn = self._source.next_candidates(np.array([index]), start=attempt + 1)
            self.tally += drawn.tallies[0]
            attempt = int(drawn.attempts[0])
            if attempt < 0 or not self._is_taken(drawn.ids[0]):
                return (drawn.ids[0], drawn.draws) if attempt >= 0 else None
            self.tally[DUPLICATES] += 1
        return None

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
