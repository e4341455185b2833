"""Exact expected steps (Algorithm 3 of the KUMO paper), the golden play of its policy, and the optimum.

Where K truths are valid, a state with K truths left or fewer is a base case of Algorithm 3.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from math import inf, log2
from threading import Lock
from time import perf_counter
from typing import Any, Literal

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import Instance
from perennial.schemas.rows import Row
from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.optimum import NODE_LIMIT, fits_tables

MASK_BITS = 64
WORK_LIMIT = 400  # slices of work, some 20 seconds per instance: for results that no clock may change
_SLICE_BUDGET = 1_000_000  # work between two looks at the clock: under 0.1 seconds
_EXACT_BITS = 52  # numbers of completions are whole numbers in floats
_LEAST_WORK_LIMIT = 2  # an instance may finish in one slice and a part of another before it is counted


@dataclass(frozen=True, slots=True)
class Optimum:
    """The optimum under the promise of how many truths survive, by prior (t) or the balanced sampler's.

    `steps` are its expected tests where the status is `exact`, else those of the best policy known, and
    `least_steps` a bound that no policy is below. `policy_steps` are those of Algorithm 3's policy under the
    same prior. `actions` and `answer` are its play on the instance's own observations, where it is exact.
    """

    status: Literal["exact", "bounds"]
    steps: float
    least_steps: float
    policy_steps: float
    actions: tuple[int, ...]
    answer: int | None


@dataclass(frozen=True, slots=True)
class Solution:
    """What the search found of one instance.

    `expected_steps` is Algorithm 3's E[S], under its own model of outcomes; None past the time limit.
    `golden_actions` are indices into the instance's actions: the policy's play on the instance's own
    observations. `golden_answer` is the index of the truth that it names at the end, None where the
    observations rule out every truth. `optimum` is None where it was not asked for or does not apply.
    """

    status: Literal["solved", "time_limit"]
    expected_steps: float | None
    golden_actions: tuple[int, ...]
    golden_answer: int | None
    optimum: Optimum | None = None

    @property
    def optimal_tests(self) -> int | None:
        """Number of actions of the golden play, None past the time limit."""
        return len(self.golden_actions) if self.status == "solved" else None

    def golden_moves(self, instance: Instance) -> list[str]:
        """The golden play by name: its actions, and the truth that it names, "" alone where there is none."""
        if self.golden_answer is None:
            return [""]
        actions = [instance.actions[action] for action in self.golden_actions]
        return [*actions, instance.truths[self.golden_answer]]


TIMED_OUT = Solution("time_limit", None, (), None)


@cache
def prepare() -> bool:
    """Make the kernels ready, once a process; whether they were compiled, as numba's cache had none."""
    from perennial.tasks.kumo.search.kernel import solve_slice

    _PackedInstances([], 0).solve_slice(0)
    return bool(solve_slice.stats.cache_misses)


def solve_instances(
    batch: Sequence[EncodedInstance],
    time_limit: float = 60.0,
    progress: Callable[[int], None] | None = None,
    *,
    work_limit: int | None = None,
    threads: int = 1,
    node_limit: int = 0,
    is_balanced: bool = False,
) -> list[Solution]:
    """One solution per instance, in the same order (Algorithm 3).

    With a `node_limit` also the optimum under the promise, where `has_promise` holds: past so many states its
    bounds are given. `is_balanced` weighs truths and observations as the balanced sampler draws them; else
    prior (t) does.

    `time_limit` is in seconds per instance; an instance past it has status `time_limit` and no value.
    `work_limit` does the same in millions of search steps, which no clock and no neighbour in the batch
    changes. `threads` share the batch and change nothing. `progress` is called now and then with the number
    of instances finished so far. Of equally good actions (within 1e-9) the golden play takes the first.
    Raises InvalidOption where an instance has more truths or actions than a mask has bits, where the time
    limit is not a positive number, or the work limit below 2.
    """
    if not time_limit > 0:
        raise InvalidOption(f"time limit {time_limit!r}: expected a positive number of seconds per instance")
    if work_limit is not None and work_limit < _LEAST_WORK_LIMIT:
        raise InvalidOption(f"work limit {work_limit}: expected {_LEAST_WORK_LIMIT} million steps or more")
    if not 0 <= node_limit <= NODE_LIMIT:
        raise InvalidOption(f"node limit {node_limit}: expected at most {NODE_LIMIT:,}")
    for instance in batch:
        _check_size("truths", instance.n_truths)
        _check_size("actions", len(instance.masks))
    prepare()
    limits = _Limits(time_limit, work_limit, node_limit, is_balanced)
    shares = [batch[first::threads] for first in range(min(threads, len(batch)) or 1)]
    tell = _Tally(progress)
    with ThreadPoolExecutor(len(shares)) as pool:
        solved = list(pool.map(lambda share: _solve_share(share, limits, tell), shares))
    return [solved[i % len(shares)][i // len(shares)] for i in range(len(batch))]


def solve_exactly(
    batch: Sequence[EncodedInstance], is_balanced: bool, threads: int = 1, node_limit: int = NODE_LIMIT
) -> list[Solution]:
    """The solutions within WORK_LIMIT: no clock has a part in them."""
    return solve_instances(
        batch, inf, work_limit=WORK_LIMIT, threads=threads, node_limit=node_limit, is_balanced=is_balanced
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    """When an instance is given up: seconds, slices of work, nodes of the optimum's search; and the prior."""

    seconds: float
    slices: int | None
    nodes: int
    is_balanced: bool


class _Tally:
    """Adds up what the threads have finished and reports it."""

    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self._progress = progress
        self._finished = 0
        self._lock = Lock()

    def add(self, finished: int) -> None:
        with self._lock:
            self._finished += finished
            if self._progress is not None:
                self._progress(self._finished)


def _solve_share(share: Sequence[EncodedInstance], limits: _Limits, tally: _Tally) -> list[Solution]:
    packed = _PackedInstances(share, limits.nodes, limits.is_balanced)
    late = _work(packed, len(share), limits, tally)
    return [TIMED_OUT if i in late else packed.solution(i) for i in range(len(share))]


def has_promise(instance: EncodedInstance) -> bool:
    """Whether the optimum applies: the size fits, and completions can be counted exactly in floats."""
    size = instance.n_truths, len(instance.masks), instance.valid.bit_count()
    return fits_tables(*size) and sum(log2(len(states)) for states in instance.masks) <= _EXACT_BITS


def _check_size(what: str, n: int) -> None:
    if n > MASK_BITS:
        raise InvalidOption(f"an instance of {n} {what}: the exact search takes {MASK_BITS} at most")


def _work(packed: "_PackedInstances", n: int, limits: _Limits, tally: _Tally) -> set[int]:
    """Solve the batch slice by slice; return the instances that were given up.

    An instance may begin anywhere in a slice. One that a whole slice did not finish is begun again at the
    start of the next, so that its work is counted alike whatever stands before it in the batch; one that
    finishes without that has taken less than two slices, which no limit forbids.
    """
    late = set()
    at, begun, slices = 0, perf_counter(), 0
    while at < n:
        reached = packed.solve_slice(at)
        now = perf_counter()
        finished = reached - at
        if finished:
            at, begun, slices = reached, now, 0
        else:
            slices += 1
            counted = slices - 1
            if now - begun > limits.seconds or (limits.slices is not None and counted >= limits.slices):
                late.add(at)
                packed.give_up()
                at, begun, slices, finished = at + 1, now, 0, 1
            elif slices == 1 and limits.slices is not None:
                packed.give_up()
        tally.add(finished)
    return late


class _PackedInstances:
    """Instances packed for the kernel, the workspace, and the results that the kernel writes."""

    def __init__(self, batch: Sequence[EncodedInstance], node_limit: int, is_balanced: bool = False) -> None:
        import numpy as np

        from perennial.tasks.kumo.optimum.tables import WORDS

        states = list(chain.from_iterable(instance.masks for instance in batch))
        observed = chain.from_iterable(instance.observed for instance in batch)
        n_truths = np.array([instance.n_truths for instance in batch], dtype=np.int64)
        n_valid = np.array([max(instance.valid.bit_count(), 1) for instance in batch], dtype=np.int64)
        first_action = _running_total(len(instance.masks) for instance in batch)
        first_state = _running_total(map(len, states))
        ruled_out = [masks[state] if state >= 0 else 0 for masks, state in zip(states, observed, strict=True)]
        self.first_action = first_action
        self.values = np.zeros(len(batch))
        self.lengths, self.answers = np.zeros((2, len(batch)), dtype=np.int64)
        self.golden = np.zeros(len(states), dtype=np.int64)
        self.statuses, self.played, self.named = np.zeros((3, len(batch)), dtype=np.int64)
        self.figures = np.zeros((len(batch), 3))
        self.moves = np.zeros(len(states), dtype=np.int64)
        limits = np.array([node_limit if has_promise(instance) else 0 for instance in batch], dtype=np.int64)
        self.workspace = _workspace(first_action, first_state)
        self.optimum_workspace = np.zeros(WORDS if limits.any() else 1, dtype=np.int64)
        self.inputs = (
            n_truths,
            n_valid,
            first_action,
            first_state,
            _words(chain.from_iterable(states)),
            _words(ruled_out),
            limits,
            is_balanced,
        )

    def solve_slice(self, at: int) -> int:
        """Work on the instances from `at` on for a while; return the first one not finished."""
        from perennial.tasks.kumo.search.kernel import solve_slice

        results = (self.values, self.lengths, self.answers, self.golden)
        optima = (self.statuses, self.figures, self.played, self.named, self.moves)
        workspaces = [self.workspace, self.workspace.view("f8")]
        workspaces += [self.optimum_workspace, self.optimum_workspace.view("f8")]
        return int(solve_slice(*workspaces, at, _SLICE_BUDGET, self.inputs, results, optima))

    def give_up(self) -> None:
        """Drop the instance that is being worked on."""
        from perennial.tasks.kumo.search.tables import STARTED

        self.workspace[STARTED] = 0

    def solution(self, i: int) -> Solution:
        first = self.first_action[i]
        actions = tuple(self.golden[first : first + self.lengths[i]].tolist())
        answer = int(self.answers[i])
        named = answer if answer >= 0 else None
        return Solution("solved", float(self.values[i]), actions, named, self._optimum(i))

    def _optimum(self, i: int) -> Optimum | None:
        from perennial.tasks.kumo.search.kernel import EXACT

        if not self.statuses[i]:
            return None
        first = self.first_action[i]
        steps, least, policy = self.figures[i].tolist()
        moves = tuple(self.moves[first : first + self.played[i]].tolist())
        named = int(self.named[i]) if self.statuses[i] == EXACT else -1
        status: Literal["exact", "bounds"] = "exact" if self.statuses[i] == EXACT else "bounds"
        return Optimum(status, steps, least, policy, moves, named if named >= 0 else None)


def _running_total(numbers: Iterable[int]) -> Any:
    import numpy as np

    return np.array(list(accumulate(numbers, initial=0)), dtype=np.int64)


def _words(masks: Iterable[int]) -> Any:
    """Masks as signed words, the 64th bit being the sign."""
    import numpy as np

    return np.array(list(masks), dtype=np.uint64).view(np.int64)


def _workspace(first_action: Any, first_state: Any) -> Any:
    """A workspace large enough for every instance of the batch."""
    import numpy as np

    from perennial.tasks.kumo.search.kernel import stack_words
    from perennial.tasks.kumo.search.tables import MASKS, SCRATCH, STACK

    n_actions = int(np.diff(first_action).max(initial=0))
    n_states = int(np.diff(first_state[first_action]).max(initial=0))
    masks = STACK + stack_words(n_actions, n_states)
    scratch = masks + n_states
    workspace = np.zeros(scratch + 2 * n_actions + n_states, dtype=np.int64)
    workspace[MASKS], workspace[SCRATCH] = masks, scratch
    return workspace


def optimum_columns(instance: Instance, optimum: Optimum | None) -> Row:
    """The columns of the optimum under the promise; status `none` where it does not apply."""
    if optimum is None:
        return {"promise_status": "none"}
    figures: Row = {
        "promise_status": optimum.status,
        "promise_steps": optimum.steps,
        "promise_steps_low": optimum.least_steps,
        "policy_steps": optimum.policy_steps,
    }
    if optimum.status == "bounds":
        return figures
    moves = [instance.actions[action] for action in optimum.actions]
    golden = [*moves, instance.truths[optimum.answer or 0]]
    return {**figures, "promise_tests": len(moves), "promise_golden": golden}
