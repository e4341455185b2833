"""What random drawing does not reach: the solver's enumeration, and the proof that nothing is left.

The enumeration of a request is one fixed sequence of all instances, whatever was found or issued before;
an index takes the first of it that is not taken. So a run that resumes where another stopped finds the
same instances as one long run, and the sequence's end proves how many exist.
"""

from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from perennial.schemas.errors import InstancesExhausted, PerennialError, UnsatisfiableSetting
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import AS_PUBLISHED
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced
from perennial.tasks.kumo.sampling.balanced.solver import FoundBoard
from perennial.tasks.kumo.sampling.construct import Draws
from perennial.tasks.kumo.sampling.draw import PURPOSE, CandidateSource
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.solver import FoundInstance, UndecidedError, all_instances

# The solver cannot see which instances reach a minimum above 1, or need a test: so many misses in a row end
# the walk.
_MAX_MISSES = 2_000

Found = FoundInstance | FoundBoard


class Remainder:
    """The enumeration of one request, walked as far as it is needed."""

    def __init__(self, encoded: EncodedConfig, request: SamplingRequest, source: CandidateSource) -> None:
        self._encoded, self._request, self._source = encoded, request, source
        self._models = self._enumerate(all_related=request.min_expected_steps > 0)
        self._head: Found | None = None
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
        """Return id and draw of the first instance of the sequence that is not taken, None at its end.

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
            elif is_taken(instance_id):
                misses = 0
            else:
                return instance_id, draws
        return None

    def shortfall(self, count: int) -> PerennialError:
        """Return the error that says how many instances exist, once the sequence is at its end."""
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
        """Return the error that says that no further instance was found, and that none was excluded."""
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

    def _enumerate(self, all_related: bool) -> Iterator[Found]:
        rng = derive_rng(self._request.seed, f"{PURPOSE} by enumeration", 0)
        states, setting = self._source.tables.states, self._request.setting
        # A generator: most requests end before anything is enumerated, and formulas are costly to write.
        if self._request.is_balanced:
            yield from self._source.lists.formula.boards(rng)
        else:
            yield from all_instances(self._encoded, states, setting, all_related, rng)

    def _advance(self) -> Found | None:
        found, self._head = self._head or self._next_model(), None
        self.walked += found is not None
        return found

    def _next_model(self) -> Found | None:
        # An iterator that has raised ends at the next call, which must not be taken for a proof.
        if self._is_undecided:
            raise UndecidedError
        try:
            return next(self._models, None)
        except UndecidedError:
            self._is_undecided = True
            raise

    def _shuffle(self, board: Found, index: int) -> Draws:
        """Return the instance as a draw of one row, in random order and with its own observations."""
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
