"""Search for sudoku grids with bit masks, compiled by numba: fill a grid, count solutions, remove givens.

Every cell lies in up to six groups: its row, column, region, the two diagonals and its cage. `allow[group]`
holds the digits that may still go into the group as bits; group 0 allows everything. All randomness comes in
as arrays, so that results depend on nothing else. Import this module late: it loads numba.
"""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

GROUPS = 6
CAGE = 5  # the place of the cage among a cell's groups


@njit(cache=True, error_model="numpy")
def tabulate_cages(n):
    """The digits that may go into a cage by (digits in it, cells left, sum left)."""
    largest = n * (n + 1) // 2
    table = np.zeros((1 << n, 5, largest + 1), np.int64)
    for left in range(1, 5):
        for used in range(1 << n):
            for total in range(1, largest + 1):
                mask = 0
                for digit in range(1, min(n, total) + 1):
                    bit = 1 << (digit - 1)
                    if used & bit:
                        continue
                    rest = total - digit
                    if (left == 1 and rest == 0) or (left > 1 and table[used | bit, left - 1, rest]):
                        mask |= bit
                table[used, left, total] = mask
    return table


@njit(cache=True, error_model="numpy")
def _place(cell, bit, digit, groups, first_cage, allow, used, left, total, table):
    """Put a digit into a cell, or with a negative `digit` take it out again."""
    for k in range(CAGE):
        group = groups[cell, k]
        if group:
            allow[group] ^= bit
    group = groups[cell, CAGE]
    if group:
        cage = group - first_cage
        used[cage] ^= bit
        left[cage] -= 1 if digit > 0 else -1
        total[cage] -= digit
        allow[group] = table[used[cage], left[cage], total[cage]]


@njit(cache=True, error_model="numpy")
def _candidates(cell, groups, allow):
    mask = allow[groups[cell, 0]]
    for k in range(1, GROUPS):
        mask &= allow[groups[cell, k]]
    return mask


@njit(cache=True, error_model="numpy")
def _choose(n, values, groups, units, allow, counts, masks):
    """(cell, its candidates): the fewest candidates, or the only place of a digit in a unit."""
    best, fewest = -1, n + 1
    for cell in range(n * n):
        if values[cell]:
            continue
        mask = _candidates(cell, groups, allow)
        masks[cell] = mask
        if counts[mask] < fewest:
            best, fewest = cell, counts[mask]
            if fewest <= 1:
                return best, mask
    for unit in range(units.shape[0]):
        once = twice = 0
        for k in range(n):
            cell = units[unit, k]
            if values[cell] == 0:
                twice |= once & masks[cell]
                once |= masks[cell]
        if allow[unit + 1] & ~once:
            return best, 0  # a digit has no place left
        single = once & ~twice
        if single:
            for k in range(n):
                cell = units[unit, k]
                if values[cell] == 0 and masks[cell] & single:
                    mask = masks[cell] & single
                    return cell, mask & -mask if counts[mask] == 1 else 0
    return best, masks[best]


@njit(cache=True, error_model="numpy")
def search(
    n, values, groups, units, sizes, sums, table, counts, preference, first, first_mask, limit, budget
):
    """How many solutions were found, up to `limit`; -1 where `budget` nodes were not enough.

    `values` are the givens by cell, 0 for empty cells; the first solution is left in it where there is one.
    `preference[cell]` is the order in which digits are tried. With `first` >= 0 that cell is tried first, and
    only with the digits of `first_mask`.
    """
    cells = n * n
    full = (1 << n) - 1
    first_cage = units.shape[0] + 1
    allow = np.full(first_cage + sizes.size, full, np.int64)
    used = np.zeros(sizes.size, np.int64)
    left = sizes.copy()
    total = sums.copy()
    for cage in range(sizes.size):
        allow[first_cage + cage] = table[0, left[cage], total[cage]]
    empty = 0
    for cell in range(cells):
        digit = values[cell]
        if digit == 0:
            empty += 1
            continue
        bit = 1 << (digit - 1)
        if not _candidates(cell, groups, allow) & bit:
            return 0
        _place(cell, bit, digit, groups, first_cage, allow, used, left, total, table)
    if empty == 0:
        return 1
    masks = np.empty(cells, np.int64)
    path = np.empty(empty, np.int64)
    open_digits = np.empty(empty, np.int64)
    solution = values.copy()
    solutions = nodes = depth = 0
    if first >= 0:
        path[0], open_digits[0] = first, _candidates(first, groups, allow) & first_mask
    else:
        path[0], open_digits[0] = _choose(n, values, groups, units, allow, counts, masks)
    while depth >= 0:
        cell = path[depth]
        digit = values[cell]
        if digit:
            _place(cell, 1 << (digit - 1), -digit, groups, first_cage, allow, used, left, total, table)
            values[cell] = 0
        if open_digits[depth] == 0:
            depth -= 1
            continue
        nodes += 1
        if nodes > budget:
            return -1
        rank = 0
        while not open_digits[depth] >> preference[cell, rank] & 1:
            rank += 1
        digit = preference[cell, rank] + 1
        bit = 1 << (digit - 1)
        open_digits[depth] ^= bit
        _place(cell, bit, digit, groups, first_cage, allow, used, left, total, table)
        values[cell] = digit
        if depth + 1 == empty:
            solutions += 1
            if solutions == 1:
                solution[:] = values
            if solutions == limit:
                break
            continue
        depth += 1
        path[depth], open_digits[depth] = _choose(n, values, groups, units, allow, counts, masks)
    values[:] = solution
    return solutions


@njit(cache=True, error_model="numpy")
def remove_givens(n, grid, order, target, groups, units, sizes, sums, table, counts, preference, budget):
    """Empty cells of a full grid in this order while it stays the only solution; return how many.

    A removal is kept only where the search proves that no other digit fits the cell.
    """
    full = (1 << n) - 1
    removed = 0
    trial = np.empty(n * n, np.int64)
    for k in range(n * n):
        if removed == target:
            break
        cell = order[k]
        other_digits = full ^ (1 << (grid[cell] - 1))
        trial[:] = grid
        trial[cell] = 0
        if (
            search(
                n, trial, groups, units, sizes, sums, table, counts, preference, cell, other_digits, 1, budget
            )
            == 0
        ):
            grid[cell] = 0
            removed += 1
    return removed


@njit(cache=True, error_model="numpy")
def _is_connected(n, region, regions, seen, stack):
    """Whether the cells of a region hang together by their edges."""
    seen[:] = False
    size = members = top = 0
    for cell in range(n * n):
        if regions[cell] == region:
            if members == 0:
                stack[0] = cell
                seen[cell] = True
                top = 1
            members += 1
    while top:
        top -= 1
        cell = stack[top]
        size += 1
        row, column = cell // n, cell % n
        for side in range(4):
            r = row + (side == 0) - (side == 1)
            c = column + (side == 2) - (side == 3)
            if 0 <= r < n and 0 <= c < n and regions[r * n + c] == region and not seen[r * n + c]:
                seen[r * n + c] = True
                stack[top] = r * n + c
                top += 1
    return size == members


@njit(cache=True, error_model="numpy")
def deform_regions(n, regions, swaps):
    """Swap cells of neighbouring regions as long as both stay connected: (cell, side, member) a try."""
    seen = np.empty(n * n, np.bool_)
    stack = np.empty(n * n, np.int64)
    for k in range(swaps.shape[0]):
        cell, side = swaps[k, 0], swaps[k, 1]
        row = cell // n + (side == 0) - (side == 1)
        column = cell % n + (side == 2) - (side == 3)
        if not (0 <= row < n and 0 <= column < n):
            continue
        here, there = regions[cell], regions[row * n + column]
        if here == there:
            continue
        member, other = swaps[k, 2], -1
        for candidate in range(n * n):
            if regions[candidate] == there:
                if member == 0:
                    other = candidate
                    break
                member -= 1
        regions[cell], regions[other] = there, here
        if not (
            _is_connected(n, here, regions, seen, stack) and _is_connected(n, there, regions, seen, stack)
        ):
            regions[cell], regions[other] = here, there
