"""Balanced lists by index: random ones that are accepted, or walks where hardly any would be.

Two engines judge, python-sat and the compiled programme, and give the same lists; `engine` says which one
decides. python-sat decides for editions, and the compiled programme judges each of its lists again. The
compiled programme decides for streams, and python-sat judges some of its lists again, refused ones too.

Where too few of 5,000 random lists are accepted, python-sat chooses lists to begin with, and each
instance is some steps further on a walk (`walk`). Index i has the list (i // 8) % 256 of walk
i % 8 + 8 * (i // 2048): a function of seed and index, and few instances come from several walks. Walks begin
at 16 different lists of the solver, since it is not shown that steps lead from one to all others.

Where few lists exist, all are judged, and the balanced ones come in random order to their end: 65,536 at
most, or a million of truths that actions tell apart, where random ones are hardly ever balanced.

Import this module lazily: it loads numpy and numba.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import combinations, islice
from math import comb

import numpy as np

from perennial.schemas.ids import derive_bits, derive_rng
from perennial.schemas.kumo.things import SOLVER
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.balanced import boards
from perennial.tasks.kumo.sampling.balanced.solver import BoardFormula, SolverJudge
from perennial.tasks.kumo.sampling.balanced.walk import Trace, Walked, WalkPace, walk
from perennial.tasks.kumo.sampling.construct import Array
from perennial.tasks.kumo.sampling.decided import rules_of_states
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.solver import UndecidedError
from perennial.tasks.kumo.sampling.tables import SamplingTables

LISTED, REFUSED, CALLS, WALKED, CHECKED, DISAGREED = range(6)  # columns of what is counted per index

_PROBED, _LIKELY = 256, 12
_PROBED_RARE = 5_000
# For each listed truth so many random lists cost what a walk's list does: then too few are accepted.
_RARE = 15
_ATTEMPTS = 20_000  # where 1 in 500 is accepted, all of these fail with a probability of 10**-17
_WALKS = 8
_LANES, _LENGTH = 8, 256
_STARTS = 16
_STEPS = 32  # at least, before a list is judged; each exchanges an action and two truths
_BURN_IN = 8  # lists judged from the solver's to the first instance
_MOST_JUDGED = 20_000
_PACED, _CLOSE = 256, 0.35  # judged lists of a walk, and the share of them that is balanced
_CHECKED_ONE_IN = 100
_WIDTH = 64
_FEW_LISTS = 1 << 16  # judged in a tenth of a second
_MORE_LISTS = 1 << 20  # looked at where random ones hardly ever are balanced: nearly all are soon left out

Lists = tuple[Array, Array, Array]
"""Truths, actions and the attempt that gave them (-1: none), a row per index."""


class ListSource:
    """The balanced lists of one request; `seeds_of` gives the 64-bit seed of each index."""

    def __init__(
        self,
        encoded: EncodedConfig,
        tables: SamplingTables,
        request: SamplingRequest,
        seeds_of: Callable[[Array], Array],
        purpose: str,
    ) -> None:
        self._encoded, self._tables, self._request = encoded, tables, request
        self._size = (request.setting.n_truths, request.setting.n_actions)
        self._seeds_of, self._purpose = seeds_of, purpose

    @cached_property
    def is_rare(self) -> bool:
        """Whether hardly any random list is balanced: a function of configuration and setting."""
        common = _PROBED_RARE / (_RARE * self._request.setting.n_truths)
        return self._count_random(_PROBED) < _LIKELY and self._count_random(_PROBED_RARE) < common

    @cached_property
    def judge(self) -> SolverJudge:
        """python-sat, made ready for the configuration."""
        return SolverJudge(self._encoded, self._tables.states)

    @cached_property
    def formula(self) -> BoardFormula:
        """The formula whose models are all balanced lists."""
        return BoardFormula(self._encoded, self._tables.states, self._request.setting)

    @cached_property
    def all_lists(self) -> Lists | None:
        """All lists in random order, where they are few; the third array says which ones are balanced.

        Where they are few only because actions tell few truths apart, either way, lists that do not are left
        out. None also where no list is balanced: that the solver proves.
        """
        kernel, request = self._tables.kernel, self._request
        usable = np.flatnonzero(np.diff(kernel.action_start))
        n_truths, n_actions = self._size
        number = comb(len(usable), n_actions)
        if not request.is_balanced or request.is_searched or not 0 < number <= _MORE_LISTS:
            return None
        is_small = number * comb(len(self._encoded.truths), n_truths) <= _FEW_LISTS
        if not is_small and not self.is_rare:
            return None
        separable = np.ones((len(self._encoded.truths),) * 2, np.bool_)
        if not is_small:
            rules = rules_of_states(self._encoded)[1].astype(np.int64)
            separable = rules.T @ (1 - rules) > 0
        of_truths = _list_sets(separable & separable.T, n_truths, _MORE_LISTS // number)
        if of_truths is None:
            return None
        of_actions = np.array([*combinations(usable.tolist(), n_actions)], np.int32)
        shape = len(of_truths), len(of_actions)
        is_judged = np.ones(shape) if is_small else boards.are_separable(kernel, of_truths, of_actions)
        rows, columns = np.nonzero(is_judged)
        bits = derive_bits(request.seed, f"{self._purpose} all lists", 8 * len(rows))
        seeds = np.frombuffer(bits, "<u8").astype(np.uint64)
        order = np.argsort(seeds, kind="stable")
        truths, actions = of_truths[rows[order]], of_actions[columns[order]]
        verdicts = boards.are_balanced(kernel, truths, actions)
        balanced = truths[verdicts], actions[verdicts]
        boards.shuffle_boards(*balanced, seeds[order][verdicts])
        truths[verdicts], actions[verdicts] = balanced
        return (truths, actions, verdicts) if verdicts.any() else None

    def check_listed(self, all_lists: Lists, start: int, stop: int, counts: Array) -> None:
        """Count these of all lists, and let python-sat judge again what is to be judged by both."""
        step = 1 if self._request.engine == SOLVER else _CHECKED_ONE_IN
        truths, actions, verdicts = all_lists
        rows, calls = slice(start + -start % step, stop, step), self.judge.calls
        again = self.judge.are_balanced(truths[rows], actions[rows])
        counts[LISTED] += stop - start
        counts[REFUSED] += (~verdicts[start:stop]).sum()
        counts[[CALLS, CHECKED]] += self.judge.calls - calls, len(again)
        counts[DISAGREED] += (again != verdicts[rows]).sum()

    def next_lists(self, indices: Array, starts: Array, stop: int | None, counts: Array) -> Lists:
        """For each index its first balanced list among the attempts from its start to `stop - 1`.

        Adds to `counts`, a row per index, what was judged.
        """
        if self.is_rare:
            return self._walk(indices, starts, min(stop or _WALKS, _WALKS), counts)
        if self._request.engine == SOLVER:
            return self._judge_random(indices, starts, stop or _ATTEMPTS, counts)
        seeds, attempts = self._seeds_of(indices), stop or _ATTEMPTS
        lists = boards.draw_boards(self._tables.kernel, self._size, seeds, indices, starts, attempts)
        self._count_drawn(lists, indices, starts, stop or _ATTEMPTS, counts)
        return lists

    def _count_random(self, number: int) -> int:
        indices, zeros = np.arange(number), np.zeros(number, np.int64)
        drawn = boards.draw_boards(
            self._tables.kernel, self._size, zeros.astype(np.uint64), indices, zeros, 1
        )
        return int((drawn[2] >= 0).sum())

    def _count_drawn(self, lists: Lists, indices: Array, starts: Array, stop: int, counts: Array) -> None:
        """Count what the compiled programme judged, and let python-sat judge some of it again."""
        accepted = lists[2] >= 0
        refused = np.where(accepted, lists[2], stop) - starts
        counts[:, LISTED] += refused + accepted
        counts[:, REFUSED] += refused
        # By index and not at random: any number of processes checks the same ones.
        chosen = indices % _CHECKED_ONE_IN == 0
        self._check(chosen & accepted, lists[0][chosen & accepted], lists[1][chosen & accepted], True, counts)
        chosen &= refused > 0
        seeds = self._seeds_of(indices[chosen])
        listed = boards.list_boards(self._tables.kernel, self._size, seeds, indices[chosen], starts[chosen])
        if len(listed[0]):
            self._check(chosen, *listed, False, counts)

    def _check(self, rows: Array, truths: Array, actions: Array, verdict: bool, counts: Array) -> None:
        """Let python-sat judge the lists of these rows, all of one verdict."""
        for row, of_truths, of_actions in zip(
            np.flatnonzero(rows), truths.tolist(), actions.tolist(), strict=True
        ):
            calls = self.judge.calls
            counts[row, DISAGREED] += self.judge.is_balanced(of_truths, of_actions) != verdict
            counts[row, CHECKED] += 1
            counts[row, CALLS] += self.judge.calls - calls

    def _judge_random(self, indices: Array, starts: Array, stop: int, counts: Array) -> Lists:
        """Let python-sat judge the stream of random lists; the compiled programme judges each again."""
        lists = (
            np.zeros((len(indices), self._size[0]), np.int32),
            np.zeros((len(indices), self._size[1]), np.int32),
            np.full(len(indices), -1, np.int64),
        )
        pending, starts, seeds = np.arange(len(indices)), starts.copy(), self._seeds_of(indices)
        while len(pending := pending[starts[pending] < stop]):
            # With few indices left, several attempts of each at once; those after a success are unused.
            width = int(min(max(1, _WIDTH // len(pending)), stop - starts[pending].max()))
            rows = np.repeat(pending, width)
            attempts = (starts[pending][:, None] + np.arange(width)).ravel()
            listed = boards.list_boards(self._tables.kernel, self._size, seeds[rows], indices[rows], attempts)
            if not len(listed[0]):
                break
            again = boards.are_balanced(self._tables.kernel, *listed).tolist()
            for row, attempt, of_truths, of_actions, verdict in zip(
                rows.tolist(), attempts.tolist(), *(column.tolist() for column in listed), again, strict=True
            ):
                if lists[2][row] < 0:
                    calls = self.judge.calls
                    is_balanced = self.judge.is_balanced(of_truths, of_actions)
                    calls = self.judge.calls - calls
                    counts[row] += (1, not is_balanced, calls, 0, 1, is_balanced != verdict)
                    if is_balanced:
                        lists[0][row], lists[1][row], lists[2][row] = of_truths, of_actions, attempt
            starts[pending] += width
            pending = pending[lists[2][pending] < 0]
        return lists

    def _walk(self, indices: Array, starts: Array, stop: int, counts: Array) -> Lists:
        truths = np.zeros((len(indices), self._size[0]), np.int32)
        actions = np.zeros((len(indices), self._size[1]), np.int32)
        attempts = np.where(starts < stop, starts, -1)
        chains = indices % _LANES + _LANES * (indices // (_LANES * _LENGTH))
        # A later attempt is a walk of its own.
        keys = np.where(starts == 0, chains, -1 - np.arange(len(indices)))
        for key in np.unique(keys[attempts >= 0]).tolist():
            rows = np.flatnonzero(keys == key)
            attempt, last = int(starts[rows[0]]), int(indices[rows].max())
            of_walk = np.array([last]) if attempt else np.arange(_first_of(last), last + 1, _LANES)
            walked = self._walk_to(of_walk, attempt, counts[rows[0]])
            if walked is None:
                attempts[rows] = -1
                continue
            places = np.searchsorted(of_walk, indices[rows])
            attempts[rows[places >= len(walked.judged)]] = -1
            rows, places = rows[attempts[rows] >= 0], places[attempts[rows] >= 0]
            truths[rows], actions[rows] = walked.truths[places], walked.actions[places]
            counts[rows, WALKED] += 1
        return truths, actions, attempts

    def _walk_to(self, indices: Array, attempt: int, counts: Array) -> Walked | None:
        """The lists of a walk's indices, from its first on; None where the solver finds no start."""
        first = self._start(int(indices[0]) + attempt)
        if first is None:
            return None
        walked, trace = self._step(first, indices, attempt, self._pace, self._request.engine == SOLVER)
        judged, verdicts = len(trace.verdicts), trace.verdicts
        if judged:
            calls = self.judge.calls
            verdicts = self.judge.are_balanced(trace.truths, trace.actions)
            counts[CHECKED] += judged
            counts[CALLS] += self.judge.calls - calls
            counts[DISAGREED] += int((verdicts != trace.verdicts).sum())
            counts[REFUSED] += int((~verdicts).sum())
        counts[LISTED] += judged or walked.judged[-1:].sum()
        return walked

    @cached_property
    def _pace(self) -> WalkPace:
        """How long a walk is: a function of what is balanced along the first one."""
        n_actions = self._request.setting.n_actions
        steps = -(-_STEPS // n_actions) * n_actions
        share, first = 0.0, self._start(0)
        if first is not None:
            pace = WalkPace(steps, 1, _PACED)
            walked, _ = self._step(first, np.arange(_PACED), 0, pace, is_traced=False)
            share = len(walked.judged) / max(1, walked.judged[-1:].sum())
        return WalkPace(steps if share > _CLOSE else steps // 2, _BURN_IN, _MOST_JUDGED)

    def _step(
        self, first: tuple[Array, Array], indices: Array, attempt: int, pace: WalkPace, is_traced: bool
    ) -> tuple[Walked, Trace]:
        """Walk through the lists of these indices; with a trace twice, the first time to know its length."""
        seeds, trace = self._seeds_of(indices), Trace.empty(0, *self._size)
        walked = walk(self._tables.kernel, first, seeds, indices, attempt, pace, trace)
        if is_traced and len(walked.judged):
            trace = Trace.empty(int(walked.judged[-1]), *self._size)
            walk(self._tables.kernel, first, seeds, indices, attempt, pace, trace)
        return walked, trace

    @cached_property
    def _starts(self) -> list[tuple[Array, Array]]:
        """The solver's lists, in random order; fewer where it finds no other within its limit."""
        rng = derive_rng(self._request.seed, f"{self._purpose} starts of walks", 0)
        starts: list[tuple[Array, Array]] = []
        # Of one solver: clauses take longer than solutions.
        try:
            for board in islice(self.formula.boards(rng), _STARTS):
                truths, actions = (rng.sample(part, len(part)) for part in (board.truths, board.actions))
                starts.append((np.array(truths, np.int32), np.array(actions, np.int32)))
        except UndecidedError:
            return starts
        return starts

    def _start(self, number: int) -> tuple[Array, Array] | None:
        return self._starts[number % len(self._starts)] if self._starts else None


def _first_of(index: int) -> int:
    """The first index of the walk that the index belongs to."""
    return index - _LANES * (index // _LANES % _LENGTH)


def _list_sets(compatible: Array, size: int, most: int) -> Array | None:
    """All sets of so many truths of which each two are compatible; None where they are too many."""
    truths = np.arange(len(compatible))
    sets = truths[:, None]
    for _ in range(size - 1):
        further = compatible[sets].all(axis=1) & (truths > sets[:, -1:])
        rows, added = np.nonzero(further)
        if len(rows) > max(most, _FEW_LISTS):
            return None
        sets = np.column_stack((sets[rows], added))
    return sets.astype(np.int32) if len(sets) <= most else None
