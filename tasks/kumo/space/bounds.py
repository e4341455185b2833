"""Bounds of how many observations leave exactly the valid truths: inclusion and exclusion, cut off.

Let W(S) be the number of ways to choose `n_actions` actions and a state of each that rule out no truth of S:
a coefficient of the product over the actions of 1 + g z, with g the action's states that rule out none of S.
Take N truths, selections of n of them, v of these valid, and observations that rule out none of the valid
ones but leave i of the k = n - v invalid ones. The sum

    L_j = C(v + j, v) C(N - v - j, n - v - j) sum of W(S) over all sets S of v + j truths

counts each of these C(i, j) times: S has C(v + j, v) choices of the valid truths in it, and is part of
C(N - v - j, n - v - j) selections. Wanted are those with i = 0. For each i from 0 to k

    sum of (-1)^j C(i, j) over j to k = [i = 0], which is exact;
    the same sum, ended after an odd j, <= [i = 0], after an even j, >= [i = 0]  (Bonferroni);
    1 - i + 2/k C(i, 2) = (1 - i)(1 - i/k) <= [i = 0]  (Kwerel), and 1 - i/k >= [i = 0].
"""

from collections.abc import Sequence
from itertools import combinations, islice
from math import ceil, comb, floor, isfinite
from typing import Any

import numpy as np

# Of an action: a row a state, a column a truth, whether the state rules it out.
Rules = np.ndarray[Any, np.dtype[np.bool_]]
Bounds = tuple[int, int]

_BLOCK = 4_096
_EXACT_FLOAT = 1 << 53
_ROUNDING = 1e-9  # above what 10^5 additions and 10^3 multiplications of positive floats may lose


def bounds(
    rules: Sequence[Rules], truths: Sequence[int], n_truths: int, n_valid: int, n_actions: int, most_sets: int
) -> Bounds:
    """Return the least and the largest number there may be; sets of a size of which are more are left out."""
    n_invalid = n_truths - n_valid
    if len(truths) < n_truths or len(rules) < n_actions:
        return 0, 0
    levels: list[Bounds] = []
    for j in range(n_invalid + 1):
        if comb(len(truths), n_valid + j) > most_sets:
            break
        level = _level(rules, truths, n_truths, n_valid, n_actions, j)
        if level is None:
            break
        levels.append(level)
    if not levels:
        return 0, _choices(rules, n_actions) * comb(len(truths), n_truths) * comb(n_truths, n_valid)
    return _combine(levels, n_invalid)


def _choices(rules: Sequence[Rules], n_actions: int) -> int:
    """Return the number of ways to choose so many actions and any state of each, exactly."""
    ways = [1] + [0] * n_actions
    for states in rules:
        for k in range(n_actions, 0, -1):
            ways[k] += len(states) * ways[k - 1]
    return ways[n_actions]


def _combine(levels: Sequence[Bounds], n_invalid: int) -> Bounds:
    """Return the best bounds that the levels give: see above."""
    low, high = 0, levels[0][1]
    least = most = 0
    for j, (level_low, level_high) in enumerate(levels):
        if j % 2:
            least, most = least - level_high, most - level_low
            low = max(low, least)
        else:
            least, most = least + level_low, most + level_high
            high = min(high, most)
    if len(levels) > n_invalid:
        low, high = max(low, least), min(high, most)
    if len(levels) > 1:
        high = min(high, levels[0][1] - levels[1][0] // n_invalid)
    if len(levels) > 2:
        low = max(low, levels[0][0] - levels[1][1] + 2 * levels[2][0] // n_invalid)
    return low, high


def _level(
    rules: Sequence[Rules], truths: Sequence[int], n_truths: int, n_valid: int, n_actions: int, j: int
) -> Bounds | None:
    """Return L_j within its rounding; None where it is beyond floats."""
    size = n_valid + j
    total = 0.0
    sets = combinations(truths, size)
    while block := list(islice(sets, _BLOCK)):
        total += _ways(rules, np.array(block, np.int64).reshape(len(block), size), n_actions)
    if not isfinite(total):
        return None
    times = comb(size, n_valid) * comb(len(truths) - size, n_truths - size)
    if total < _EXACT_FLOAT:
        return times * int(total), times * int(total)
    return times * floor(total * (1 - _ROUNDING)), times * ceil(total * (1 + _ROUNDING))


def _ways(rules: Sequence[Rules], sets: "np.ndarray[Any, np.dtype[np.int64]]", n_actions: int) -> float:
    """Return the sum of W over the sets, a row each."""
    ways = np.zeros((n_actions + 1, len(sets)))
    ways[0] = 1.0
    columns = [np.ascontiguousarray(column) for column in sets.T]
    with np.errstate(over="ignore", invalid="ignore"):
        for number, states in enumerate(rules, start=1):
            left = np.ones((len(states), len(sets)), np.bool_)
            for column in columns:
                left &= ~states.take(column, axis=1)
            free = np.add.reduce(left, axis=0, dtype=np.int16)
            top = min(number, n_actions)
            ways[1 : top + 1] += ways[:top] * free
    return float(ways[n_actions].sum())
