"""Counting, compiled: how many instances have a given selection of truths, and how many have four truths.

The observed states must leave exactly the valid truths V. Inclusion and exclusion over sets X of invalid
truths: the sum of (-1)^|X| times the number of ways to observe only states that rule out nothing of V and X.
Such a number is a coefficient of the product of (1 + g z) over the actions, g being an action's number of
states left (Algorithm 1 of Lin et al. admits irrelevant actions only where the related ones are used up, so
that the product is over the related ones). All is counted modulo `modulus`, or 2^64 where that is
None: numba then compiles no division. Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import numpy as np
from numba import njit

from tasks.kumo.space.tables import MAX_STATES

_ZERO, _ONE, _TWO, _FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_FIFTY_SIX, _MINUS_ONE = np.uint64(56), np.uint64(2**64 - 1)
_PAIRS, _NIBBLES = np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_EVEN, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x0101010101010101)


@njit(forceinline=True)
def _size(word):
    """Return how many bits are set."""
    word = word - ((word >> _ONE) & _EVEN)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return np.int64((word * _BYTES) >> _FIFTY_SIX)


@njit(forceinline=True)
def _times(left, right, modulus):
    if modulus is None:
        return left * right
    return (left * right) % modulus


@njit(forceinline=True)
def _plus(left, right, modulus):
    if modulus is None:
        return left + right
    return (left + right) % modulus


@njit(forceinline=True)
def _minus(left, right, modulus):
    if modulus is None:
        return left - right
    return (left + (modulus - right)) % modulus


@njit(forceinline=True)
def _add_up(free, ranks):
    """Return each action's number of free states in binary: the words of its ones, twos and fours."""
    ones = twos = fours = _ZERO
    for rank in range(ranks):
        carry = ones & free[rank]
        ones ^= free[rank]
        fours ^= twos & carry
        twos ^= carry
    return ones, twos, fours


@njit
def _set_numbers(sums, actions, numbers):
    """Set `numbers[g]` to how many of the actions have g free states, for g of 1 to MAX_STATES."""
    ones, twos, fours = sums[0] & actions, sums[1] & actions, sums[2] & actions
    numbers[1] = _size(ones & ~twos & ~fours)
    numbers[2] = _size(~ones & twos & ~fours)
    numbers[3] = _size(ones & twos & ~fours)
    numbers[4] = _size(~ones & ~twos & fours)
    numbers[5] = _size(ones & ~twos & fours)
    numbers[6] = _size(~ones & twos & fours)
    numbers[7] = _size(ones & twos & fours)


@njit
def _product(numbers, powers, modulus, out, work):
    """Set `out[k]` to the coefficient of z^k of the product of (1 + g z)^numbers[g]."""
    degree = len(out) - 1
    out[:] = _ZERO
    out[0] = _ONE
    for g in range(1, MAX_STATES + 1):
        if numbers[g]:
            factor = powers[g, numbers[g]]
            work[:] = out
            for k in range(1, degree + 1):
                total = work[k]
                for i in range(1, k + 1):
                    total = _plus(total, _times(factor[i], work[k - i], modulus), modulus)
                out[k] = total


@njit(forceinline=True)
def _rows(sums, actions, powers):
    """Return the rows of `pairs` whose product is that of (1 + g z) over the actions; -1 for many states."""
    ones, twos, fours = sums[0] & actions, sums[1] & actions, sums[2] & actions
    if fours & (ones | twos):
        return -1, -1
    low = _size(ones & ~twos) * powers.shape[1] + _size(twos & ~ones)
    return low, _size(ones & twos) * powers.shape[1] + _size(fours)


@njit(forceinline=True)
def _coefficient(sums, actions, degree, pairs, powers, modulus, room):
    """Return the coefficient of z^degree of the product of (1 + g z) over the actions."""
    low, high = _rows(sums, actions, powers)
    if low < 0:
        _set_numbers(sums, actions, room.numbers)
        _product(room.numbers, powers, modulus, room.out, room.work)
        return room.out[degree]
    total = _ZERO
    for k in range(degree + 1):
        total = _plus(total, _times(pairs[0, low, k], pairs[1, high, degree - k], modulus), modulus)
    return total


@njit
def _irrelevant(states, ranks, actions, degree, room, pairs, powers, modulus):
    """Return the number of ways to observe any states of `degree` of these actions."""
    if degree == 0:
        return _ONE
    return _coefficient(_add_up(states, ranks), actions, degree, pairs, powers, modulus, room)


@njit
def _count_one(blocks, exists, related, ranks, truths, n_valid, chosen, every_related, room, pairs, powers,
               modulus):  # fmt: skip
    """Return the number of instances with these truths, of which the first n_valid are the valid ones."""
    free = room.free
    everything = _ZERO
    for rank in range(ranks):
        free[0, rank] = exists[rank]
        everything |= exists[rank]
        for i in range(n_valid):
            free[0, rank] &= ~blocks[truths[i], rank]
    consistent = relevant = _ZERO
    for rank in range(ranks):
        consistent |= free[0, rank]
    for truth in truths:
        relevant |= related[truth]
    usable = relevant & consistent
    degree = min(chosen, _size(usable))
    n_invalid = len(truths) - n_valid
    for i in range(n_invalid):
        for subset in range(1 << i):
            for rank in range(ranks):
                free[(1 << i) + subset, rank] = free[subset, rank] & ~blocks[truths[n_valid + i], rank]
    total = _ZERO
    for subset in range(1 << n_invalid):
        sums = _add_up(free[subset], ranks)
        is_odd = _size(np.uint64(subset)) & 1
        for avoided in range(1 << n_valid if every_related else 1):
            actions = usable
            for i in range(n_valid):
                if avoided >> i & 1:
                    actions &= ~related[truths[i]]
            if _size(actions) < degree:
                continue
            ways = _coefficient(sums, actions, degree, pairs, powers, modulus, room)
            if (_size(np.uint64(avoided)) & 1) != is_odd:
                total = _minus(total, ways, modulus)
            else:
                total = _plus(total, ways, modulus)
    if degree < chosen:
        others = _irrelevant(
            exists, ranks, everything & ~relevant, chosen - degree, room, pairs, powers, modulus
        )
        total = _times(total, others, modulus)
    return total


@njit(cache=True)
def count_selections(blocks, exists, related, ranks, selections, n_valid, chosen, every_related, room, pairs,
                     powers, modulus, counts):  # fmt: skip
    """Set `counts[i]` to the number of instances of selection i, a row of truths, the valid ones first.

    `blocks`, `exists` and `related` as in `SpaceTables`, `ranks` the largest number of states; `chosen`
    actions are observed; with `every_related` each truth is related to one of them. `pairs[0]` holds
    the products of any `powers[1, n]` and `powers[2, m]` in row n * len(powers[1]) + m, `pairs[1]` those of
    `powers[3, n]` and `powers[4, m]`.
    """
    for row in range(len(selections)):
        counts[row] = _count_one(
            blocks, exists, related, ranks, selections[row], n_valid, chosen, every_related, room, pairs,
            powers, modulus
        )  # fmt: skip


@njit
def _add_polynomial(sums, actions, sign, pairs, powers, room, out):
    """Add `sign` times the coefficients of the product of (1 + g z) over the actions to `out`."""
    low, high = _rows(sums, actions, powers)
    if low < 0:
        _set_numbers(sums, actions, room.numbers)
        _product(room.numbers, powers, None, room.out, room.work)
        for k in range(len(out)):
            out[k] += sign * room.out[k]
        return
    for i in range(len(out)):
        factor = sign * pairs[0, low, i]
        for k in range(len(out) - i):
            out[i + k] += factor * pairs[1, high, k]


@njit
def _vector(free, ranks, actions, avoided, every_related, room, pairs, powers, out):
    """Set `out` to the polynomial over all actions, less that over those which relate to no valid truth."""
    sums = _add_up(free, ranks)
    out[:] = _ZERO
    _add_polynomial(sums, actions, _ONE, pairs, powers, room, out)
    if every_related:
        _add_polynomial(sums, actions & ~avoided, _MINUS_ONE, pairs, powers, room, out)


@njit(forceinline=True)
def _place(classes, strides, actions):
    """Return the row of `inverses` for the product of (1 + g z) over these actions, g their states."""
    place = 0
    for g in range(len(classes)):
        place += strides[g] * _size(classes[g] & actions)
    return place


@njit(cache=True)
def count_four(blocks, exists, related, ranks, chosen, every_related, room, pairs, powers, inverses, classes,
               strides):  # fmt: skip
    """Return the number of instances of four truths, one of them valid, over all selections, modulo 2^64.

    Sets X of one and two truths occur in many selections: their polynomials are made once over all actions,
    and the few actions that a selection has no relation to are divided out: `inverses` holds the inverse of
    the product over any of them, `classes` the actions with 1, 2, ... states. All else as in
    `count_selections`.
    """
    n_truths, width = len(related), chosen + 1
    single = np.zeros((n_truths, width), np.uint64)
    double = np.zeros((n_truths, n_truths, width), np.uint64)
    none, prefix = np.zeros((2, width), np.uint64)
    base, one, two = np.zeros((3, ranks), np.uint64)
    everything = total = _ZERO
    for rank in range(ranks):
        everything |= exists[rank]
    for valid in range(n_truths):
        avoided, consistent = related[valid], _ZERO
        for rank in range(ranks):
            base[rank] = exists[rank] & ~blocks[valid, rank]
            consistent |= base[rank]
        _vector(base, ranks, everything, avoided, every_related, room, pairs, powers, none)
        for i in range(n_truths):
            for rank in range(ranks):
                one[rank] = base[rank] & ~blocks[i, rank]
            _vector(one, ranks, everything, avoided, every_related, room, pairs, powers, single[i])
            for j in range(i):
                for rank in range(ranks):
                    two[rank] = one[rank] & ~blocks[j, rank]
                _vector(two, ranks, everything, avoided, every_related, room, pairs, powers, double[i, j])
        for i in range(n_truths):
            for j in range(i):
                if valid in (i, j):
                    continue
                for k in range(width):
                    prefix[k] = none[k] - single[i, k] - single[j, k] + double[i, j, k]
                for rank in range(ranks):
                    two[rank] = base[rank] & ~(blocks[i, rank] | blocks[j, rank])
                for h in range(j):
                    if h == valid:
                        continue
                    usable = avoided | related[i] | related[j] | related[h]
                    strange = everything & ~usable
                    degree = min(chosen, _size(usable & consistent))
                    ones = twos = fours = _ZERO
                    for rank in range(ranks):
                        free = two[rank] & ~blocks[h, rank]
                        carry = ones & free
                        ones ^= free
                        fours ^= twos & carry
                        twos ^= carry
                    sums = (ones, twos, fours)
                    found = _ZERO - _coefficient(sums, usable, degree, pairs, powers, None, room)
                    if every_related:
                        found += _coefficient(sums, usable & ~avoided, degree, pairs, powers, None, room)
                    place = _place(classes, strides, strange) if strange else 0
                    for k in range(degree + 1):
                        sets = prefix[k] - single[h, k] + double[i, h, k] + double[j, h, k]
                        found += sets * inverses[place, degree - k]
                    if degree < chosen:
                        found *= _irrelevant(
                            exists, ranks, strange, chosen - degree, room, pairs, powers, None
                        )
                    total += found
    return total
