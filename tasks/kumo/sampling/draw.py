"""Candidates: for each index its next draw that is an instance of the request and not taken.

A draw is a function of (seed, index, attempt), so candidates may be looked for in any order, in batches
and in several processes. Import this module lazily: it loads numpy and numba.
"""

from dataclasses import dataclass

import numpy as np

from perennial.schemas.disclosure import is_public
from perennial.schemas.ids import derive_rng, derive_seed, derive_seeds
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance
from perennial.tasks.kumo.sampling.balanced.boards import complete_boards
from perennial.tasks.kumo.sampling.balanced.lists import CALLS, DISAGREED, REFUSED, ListSource
from perennial.tasks.kumo.sampling.construct import (
    CANDIDATE,
    NEEDS_SOLVER,
    TOO_EASY,
    UNSATISFIABLE,
    Array,
    Draws,
    draw,
)
from perennial.tasks.kumo.sampling.decided import find_decided, rules_of_states
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.solver import can_differ, select_states
from perennial.tasks.kumo.sampling.tables import SamplingTables

PURPOSE = "kumo sampling"

# An index that finds nothing new in so many attempts is left to the enumeration of `rest`: then
# less than about 2% of what is drawn is new (0.98**256 = 0.6%), and enumeration, which proves when nothing
# is left, costs an index less than further draws. Reached only where instances run out or are very rare.
MAX_ATTEMPTS = 256

# Algorithm 3's normaliser makes two certain steps 2 - 8e-11.
_ROUNDING = 1e-6

# Columns of `Candidates.tallies`: what was judged (`balanced.lists`), then what an index skipped.
TOO_EASY_ONES, DUPLICATES = DISAGREED + 1, DISAGREED + 2
TALLIES = DUPLICATES + 1
_TALLIED = {REFUSED: UNSATISFIABLE, TOO_EASY_ONES: TOO_EASY}
# Up to so many rows a compiled call costs more than its draws: it makes several attempts of each at once.
_FEW = 64
_LOOK_AHEAD = 16


@dataclass(frozen=True, slots=True)
class Candidates:
    """For each index the attempt that gave its candidate (-1: none), the candidate's id and draw.

    `tallies[i]` counts what was judged for index i and what it skipped.
    """

    attempts: Array
    ids: Array
    draws: Draws
    tallies: Array


class CandidateSource:
    """Draws for one request; `make` gives their instances, or of balanced ones the lines of a file."""

    def __init__(self, encoded: EncodedConfig, request: SamplingRequest, as_lines: bool = False) -> None:
        setting = request.setting
        self.tables = SamplingTables(encoded)
        self.make = self.tables.lines if as_lines else self.tables.instances
        self._encoded, self._request = encoded, request
        self._size = (setting.n_truths, setting.n_actions, setting.n_valid)
        self._purpose = f"{PURPOSE}/{encoded.config.config_id}/{setting.name}"
        self._rules = rules_of_states(encoded)
        self.lists = ListSource(encoded, self.tables, request, self._seeds, self._purpose)

    def next_candidates(self, indices: Array, start: int | Array = 0, stop: int | None = None) -> Candidates:
        """For each index its first candidate among the attempts from its start to `stop - 1`."""
        if self._request.is_balanced:
            return self._next_balanced(indices, start, stop)
        start, stop = int(np.min(start)), MAX_ATTEMPTS if stop is None else stop
        result = self._empty(len(indices))
        pending = np.arange(len(indices))
        while pending.size and start < stop:
            look_ahead = 1 if pending.size > _FEW or self._request.is_searched else _LOOK_AHEAD
            width = min(look_ahead, stop - start)
            rows = np.repeat(pending, width)
            attempts = np.tile(np.arange(start, start + width), pending.size)
            draws, by_solver = self._resolve(indices[rows], attempts)
            ids = self._ids_of_candidates(draws)
            statuses = draws.status.reshape(-1, width)
            found = (statuses == CANDIDATE).any(axis=1)
            column = np.where(found, (statuses == CANDIDATE).argmax(axis=1), width)
            looked_at = np.arange(width) <= column[:, None]
            for tally, status in _TALLIED.items():
                result.tallies[pending, tally] += (looked_at & (statuses == status)).sum(axis=1)
            result.tallies[pending, CALLS] += (looked_at & by_solver.reshape(-1, width)).sum(axis=1)
            chosen = np.flatnonzero(found) * width + column[found]
            result.attempts[pending[found]] = attempts[chosen]
            result.ids[pending[found]] = ids[chosen]
            for target, drawn in zip(result.draws, draws, strict=True):
                target[pending[found]] = drawn[chosen]
            pending = pending[~found]
            start += width
        return result

    def _next_balanced(self, indices: Array, start: int | Array, stop: int | None) -> Candidates:
        result = self._empty(len(indices))
        pending = np.arange(len(indices))
        starts = np.full(len(indices), start, np.int64)
        for _ in range(MAX_ATTEMPTS):  # balanced lists that are too easy
            counts = np.zeros((len(pending), DISAGREED + 1), np.int64)
            truths, actions, attempts = self.lists.next_lists(indices[pending], starts[pending], stop, counts)
            result.tallies[pending, : DISAGREED + 1] += counts
            found = attempts >= 0
            pending, attempts = pending[found], attempts[found]
            if not pending.size:
                break
            draws = self.complete(truths[found], actions[found])
            if self._request.is_filtered:
                draws.status[self.too_easy(draws)] = TOO_EASY
            ids = self._ids_of_candidates(draws)
            result.tallies[pending, TOO_EASY_ONES] += draws.status == TOO_EASY
            done = draws.status == CANDIDATE
            result.attempts[pending[done]], result.ids[pending[done]] = attempts[done], ids[done]
            for target, drawn in zip(result.draws, draws, strict=True):
                target[pending[done]] = drawn[done]
            starts[pending] = attempts + 1
            pending = pending[~done]
            if not pending.size:
                break
        return result

    def complete(self, truths: Array, actions: Array) -> Draws:
        """Balanced boards as draws: each with its valid truth and its observations.

        These depend on the seed and on what is listed, not on the order, the index or the attempt: drawn
        again a board gives the same instance, so that skipping duplicates cannot favour any truth.
        """
        digests = self.tables.board_digests(truths, actions)
        purposes = [f"{self._purpose}/{digest}" for digest in digests]
        by_truth, by_action = np.argsort(truths, axis=1), np.argsort(actions, axis=1)
        draws = complete_boards(
            self.tables.kernel,
            np.take_along_axis(truths, by_truth, axis=1),
            np.take_along_axis(actions, by_action, axis=1),
            np.frombuffer(derive_seeds(self._request.seed, purposes), "<u8").astype(np.uint64),
        )
        for columns, order in (
            ((draws.truths, draws.valid), by_truth),
            ((draws.states, draws.uniforms, draws.selected), by_action),
        ):
            for column in columns:
                np.put_along_axis(column, order, column.copy(), axis=1)
        return draws

    def too_easy(self, draws: Draws) -> Array:
        """For each draw whether it needs no test, or its expected steps miss the minimum above 1.

        Exact search decides. An instance that passes its limit of work is taken to miss the minimum.
        """
        easy = np.zeros(len(draws.status), np.bool_)
        if self._request.is_undecided and self._size[2] > 1:
            easy[:] = [not can_differ(board) for board in self._boards(draws)]
        elif self._request.is_undecided:
            actions = self.tables.kernel.state_action[draws.states]
            find_decided(*self._rules, draws.truths, draws.valid, actions, easy)
        if self._request.is_searched and not easy.all():
            rows = np.flatnonzero(~easy)
            easy[rows] = self._misses_minimum(draws.rows(rows))
        return easy

    def _misses_minimum(self, draws: Draws) -> Array:
        from perennial.tasks.kumo.search.solve import solve_exactly

        solutions = solve_exactly(self._boards(draws), is_balanced=False, node_limit=0)
        least = self._request.min_expected_steps - _ROUNDING
        return np.array([s.expected_steps is None or s.expected_steps < least for s in solutions], np.bool_)

    def _boards(self, draws: Draws) -> list[EncodedInstance]:
        instances = self.tables.instances(draws, 0, range(len(draws.status)))
        return [encode_instance(self._encoded, instance) for instance in instances]

    def _empty(self, rows: int) -> Candidates:
        n_truths, n_actions, _ = self._size
        return Candidates(
            attempts=np.full(rows, -1, np.int64),
            ids=np.full(rows, "", object),
            draws=Draws.empty(rows, n_truths, n_actions),
            tallies=np.zeros((rows, TALLIES), np.int64),
        )

    def _resolve(self, indices: Array, attempts: Array) -> tuple[Draws, Array]:
        """Finished draws, none of which needs the solver any more, and which of them did."""
        draws = self._draw(indices, attempts, np.full((len(indices), self._size[1]), -1, np.int32))
        by_solver = draws.status == NEEDS_SOLVER
        if by_solver.any():
            self._select(draws, np.flatnonzero(by_solver), indices, attempts)
        if self._request.is_filtered and (draws.status == CANDIDATE).any():
            rows = np.flatnonzero(draws.status == CANDIDATE)
            draws.status[rows[self.too_easy(draws.rows(rows))]] = TOO_EASY
        return draws, by_solver

    def _draw(self, indices: Array, attempts: Array, forced: Array) -> Draws:
        all_related = self._request.min_expected_steps > 0
        seeds = self._seeds(indices)
        return draw(self.tables.kernel, self._size, all_related, seeds, indices, attempts, forced)

    def _seeds(self, indices: Array) -> Array:
        """The 64-bit seed of each row's draws.

        splitmix64 can be run backwards: from one published instance its 64 bits can be found. Of a secret
        seed each index therefore has bits of its own, by a hash that tells nothing of the seed or of other
        indices. With a public seed, from which everybody can draw all of them, one serves them all.
        """
        seed = self._request.seed
        if is_public(seed):
            return np.full(len(indices), derive_seed(seed, PURPOSE, 0), np.uint64)
        found, places = np.unique(indices, return_inverse=True)
        derived = [derive_seed(seed, self._purpose, index) for index in found.tolist()]
        return np.array(derived, np.uint64)[places]

    def _select(self, draws: Draws, rows: Array, indices: Array, attempts: Array) -> None:
        """Let the solver select the states of these rows, and put the finished draws in their places."""
        forced = np.full((len(rows), self._size[1]), -1, np.int32)
        for place, row in enumerate(rows):
            rng = derive_rng(self._request.seed, f"{PURPOSE} by solver {attempts[row]}", int(indices[row]))
            truths, valid = draws.truths[row], draws.valid[row]
            states = select_states(
                self.tables.states, truths.tolist(), truths[valid].tolist(), self._size[1], rng
            )
            forced[place, : len(states or ())] = states or ()
        selected = forced[:, 0] >= 0
        draws.status[rows[~selected]] = UNSATISFIABLE
        if selected.any():
            redone = self._draw(indices[rows[selected]], attempts[rows[selected]], forced[selected])
            for target, drawn in zip(draws, redone, strict=True):
                target[rows[selected]] = drawn

    def _ids_of_candidates(self, draws: Draws) -> Array:
        ids = np.full(len(draws.status), "", object)
        rows = np.flatnonzero(draws.status == CANDIDATE)
        if rows.size:
            ids[rows] = self.tables.ids(draws.rows(rows))
        return ids
