"""Exact counts by the compiled kernels: residues by several moduli, put together to whole numbers.

Import this module lazily: it loads numpy and numba.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np

from schemas.kumo.things import Setting
from tasks.kumo.space.kernel import count_four, count_selections
from tasks.kumo.space.tables import (
    MAX_STATES,
    PRIMES,
    WRAPPING,
    Array,
    SpaceTables,
    choices,
    powers_table,
)

_MOST_INVERSES = 1_000_000


class _Scratch(NamedTuple):
    """Room to work in: free states by subset and rank, numbers by states, two polynomials."""

    free: Any
    numbers: Any
    out: Any
    work: Any


def _scratch(n_invalid: int, degree: int) -> _Scratch:
    """Return room for selections with so many invalid truths."""
    return _Scratch(
        np.zeros((1 << n_invalid, MAX_STATES), np.uint64),
        np.zeros(MAX_STATES + 1, np.int64),
        np.zeros(degree + 1, np.uint64),
        np.zeros(degree + 1, np.uint64),
    )


@dataclass(frozen=True)
class Counter:
    """Counts instances of one configuration and setting; `every_related` as in `size`."""

    tables: SpaceTables
    setting: Setting
    every_related: bool

    def of_selections(self, selections: Sequence[Sequence[int]]) -> list[int]:
        """Return the number of instances of each selection of truths, the valid ones first in it."""
        valid = {tuple(selection[: self.setting.n_valid]) for selection in selections}
        moduli = moduli_above(max(self.choices_with(truths) for truths in valid))
        rows = np.array(selections, np.int64)
        residues = [self._residues(rows, modulus) for modulus in moduli]
        return [whole_number(values, moduli) for values in zip(*residues, strict=True)]

    def choices_with(self, valid: Iterable[int]) -> int:
        """Return the number of choices of actions and states that rule out none of these truths."""
        mask = sum(1 << truth for truth in valid)
        left = [sum(not state & mask for state in states) for states in self.tables.masks]
        return choices(left, self.setting.n_actions)

    def _residues(self, rows: Array, modulus: int) -> list[int]:
        setting = self.setting
        counts = np.zeros(len(rows), np.uint64)
        powers = powers_table(len(self.tables.n_states), setting.n_actions, modulus)
        count_selections(
            *self._arrays(),
            rows,
            setting.n_valid,
            setting.n_actions,
            self.every_related,
            _scratch(setting.n_truths - setting.n_valid, setting.n_actions),
            _pairs(powers, modulus),
            powers,
            np.uint64(modulus) if modulus else None,
            counts,
        )
        return [int(count) for count in counts]

    @property
    def can_count_four(self) -> bool:
        """Whether `of_all_fours` can: for one valid truth, and as far as 64 bits reach."""
        room = prod(len(actions) + 1 for actions in _classes(self.tables).values())
        most = 4 * comb(len(self.tables.related), 4) * self.choices_with(())
        is_small = room <= _MOST_INVERSES and most < 1 << 64
        return is_small and (self.setting.n_truths, self.setting.n_valid) == (4, 1)

    def of_all_fours(self) -> int:
        """Return the number of all instances of four truths, one of them valid."""
        chosen = self.setting.n_actions
        classes = _classes(self.tables)
        inverses, strides = _inverses({g: len(actions) for g, actions in classes.items()}, chosen)
        powers = powers_table(len(self.tables.n_states), chosen, WRAPPING)
        found = count_four(
            *self._arrays(),
            chosen,
            self.every_related,
            _scratch(3, chosen),
            _pairs(powers, WRAPPING),
            powers,
            inverses,
            np.array([sum(1 << action for action in actions) for actions in classes.values()], np.uint64),
            strides,
        )
        return int(found)

    def _arrays(self) -> tuple[Array, Array, Array, int]:
        tables = self.tables
        return tables.blocks, tables.exists, tables.related, max(tables.n_states, default=0)


def moduli_above(bound: int) -> list[int]:
    """Return moduli whose product is above the bound; raise ValueError where none are."""
    moduli, product = [WRAPPING], 1 << 64
    for prime in PRIMES:
        if product > bound:
            break
        moduli.append(prime)
        product *= prime
    if product <= bound:
        raise ValueError(f"{bound} is beyond the moduli")
    return moduli


def whole_number(residues: Sequence[int], moduli: Sequence[int]) -> int:
    """Return the smallest number with these residues (Chinese remainder theorem)."""
    number, product = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        size = modulus or 1 << 64
        number += product * ((residue - number) * pow(product, -1, size) % size)
        product *= size
    return number


def _pairs(powers: Array, modulus: int) -> Array:
    """Return the products of the polynomials for 1 and 2 states, and for 3 and 4."""
    _, n, width = powers.shape[0], powers.shape[1], powers.shape[2]
    pairs = np.zeros((2, n, n, width), np.uint64)
    for place, (left, right) in enumerate(((1, 2), (3, 4))):
        for k in range(width):
            for i in range(k + 1):
                term = powers[left, :, None, i] * powers[right, None, :, k - i]
                pairs[place, :, :, k] += term % np.uint64(modulus) if modulus else term
            if modulus:
                pairs[place, :, :, k] %= np.uint64(modulus)
    return pairs.reshape(2, n * n, width)


def _classes(tables: SpaceTables) -> dict[int, list[int]]:
    """Return the actions by their number of states."""
    return {
        g: [action for action, states in enumerate(tables.n_states) if states == g]
        for g in range(1, MAX_STATES + 1)
        if g in tables.n_states
    }


def _inverses(sizes: dict[int, int], degree: int) -> tuple[Array, Array]:
    """Return the inverse of the product of (1 + g z)^n_g for all n_g up to the sizes, and the strides."""
    rows = [[1] + [0] * degree]
    strides = []
    for g, size in sizes.items():
        strides.append(len(rows))
        level = rows
        for _ in range(size):
            level = [_divided(row, g) for row in level]
            rows = rows + level
    return np.array(rows, np.uint64), np.array(strides, np.int64)


def _divided(row: list[int], g: int) -> list[int]:
    """Return the power series divided by 1 + g z."""
    out: list[int] = []
    for value in row:
        out.append((value - g * (out[-1] if out else 0)) % (1 << 64))
    return out
