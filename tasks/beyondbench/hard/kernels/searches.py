"""Searches of boards of queens, cryptarithms and logic grids, by numba. Import it late: it loads numba."""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

# The completions of a board of queens, row by row.


@njit(cache=True, error_model="numpy")
def find_boards(placed, is_torus, needs_long, limit, boards):
    """How many boards complete `placed`, up to `limit`; the first ones are written to `boards`.

    `placed` has a column for each row, -1 where none is given. With `is_torus` a diagonal is all squares of
    one sum, or difference, of row and column modulo the size; with `needs_long` both long diagonals hold a
    queen.
    """
    size = placed.size
    n_lines = size if is_torus else 2 * size - 1
    columns = np.zeros(size, np.bool_)
    rising, falling = np.zeros(n_lines, np.bool_), np.zeros(n_lines, np.bool_)
    board = placed.copy()
    for row in range(size):
        if placed[row] >= 0:
            sums, steps = _lines(row, placed[row], size, is_torus)
            if columns[placed[row]] or rising[sums] or falling[steps]:
                return 0
            columns[placed[row]] = rising[sums] = falling[steps] = True
    free = np.flatnonzero(placed < 0)
    count = depth = 0
    while depth >= 0:
        if depth == free.size:
            if not needs_long or (rising[size - 1] and falling[size - 1]):
                if count < boards.shape[0]:
                    boards[count] = board
                count += 1
                if count == limit:
                    return count
            depth -= 1
            continue
        row = free[depth]
        if board[row] >= 0:
            sums, steps = _lines(row, board[row], size, is_torus)
            columns[board[row]] = rising[sums] = falling[steps] = False
        board[row] += 1
        while board[row] < size:
            sums, steps = _lines(row, board[row], size, is_torus)
            if not (columns[board[row]] or rising[sums] or falling[steps]):
                break
            board[row] += 1
        if board[row] == size:
            board[row] = -1
            depth -= 1
            continue
        columns[board[row]] = rising[sums] = falling[steps] = True
        depth += 1
    return count


@njit(cache=True, error_model="numpy")
def _lines(row, column, size, is_torus):
    """The numbers of a square's two diagonals."""
    sums, steps = row + column, row - column + size - 1
    return (sums % size, (steps + 1) % size) if is_torus else (sums, steps)


# Count the solutions of a cryptarithm, column by column from the right.
#
# At each column the letters of both operands take digits, and the digit of the result follows from them: the
# lowest i + 1 digits of a sum or product depend on those of the operands only.

FREE, RESULT = 0, 1
LAST = 10  # a step that has no digit left to try


@njit(cache=True, error_model="numpy")
def _lowest(word, digits, places):
    """The number that the lowest `places` letters of a word make."""
    value, weight = 0, 1
    for index in range(min(places, word.size)):
        value += digits[word[index]] * weight
        weight *= 10
    return value


@njit(cache=True, error_model="numpy")
def count_solutions(first, second, result, is_product, leading, limit, solution):
    """How many assignments solve first + second = result, or first * second = result, up to `limit`.

    Words are numbers of letters, the lowest place first; `leading` says which letters cannot be 0. The first
    solution is written to `solution`.
    """
    steps = np.empty((first.size + second.size + result.size, 3), np.int64)
    n_steps = 0
    for column in range(max(first.size, second.size, result.size)):
        for word in (first, second):
            if column < word.size:
                steps[n_steps] = word[column], FREE, column
                n_steps += 1
        if column < result.size:
            steps[n_steps] = result[column], RESULT, column
            n_steps += 1
    digits = np.full(leading.size, -1, np.int64)
    tried = np.full(n_steps + 1, -1, np.int64)
    is_owner = np.zeros(n_steps + 1, np.bool_)
    used = solutions = depth = 0
    while depth >= 0:
        if depth == n_steps:
            a, b = _lowest(first, digits, n_steps), _lowest(second, digits, n_steps)
            if (a * b if is_product else a + b) == _lowest(result, digits, n_steps):
                solutions += 1
                if solutions == 1:
                    solution[:] = digits
                if solutions == limit:
                    return solutions
            depth -= 1
            continue
        letter, kind, column = steps[depth, 0], steps[depth, 1], steps[depth, 2]
        if is_owner[depth]:
            used ^= 1 << digits[letter]
            digits[letter] = -1
            is_owner[depth] = False
        digit = -1
        if kind == RESULT:
            if tried[depth] < 0:
                a, b = _lowest(first, digits, column + 1), _lowest(second, digits, column + 1)
                digit = (a * b if is_product else a + b) // 10**column % 10
                tried[depth] = LAST
        elif digits[letter] >= 0:
            if tried[depth] < 0:
                digit = digits[letter]
                tried[depth] = LAST
        else:
            candidate = tried[depth] + 1
            while candidate < LAST and (used >> candidate & 1 or (candidate == 0 and leading[letter])):
                candidate += 1
            tried[depth] = candidate
            digit = candidate if candidate < LAST else -1
        if digit < 0:
            depth -= 1
            continue
        if digits[letter] < 0:
            if used >> digit & 1 or (digit == 0 and leading[letter]):
                depth -= 1
                continue
            digits[letter] = digit
            used |= 1 << digit
            is_owner[depth] = True
        elif digits[letter] != digit:
            depth -= 1
            continue
        depth += 1
        tried[depth] = -1
    return solutions


# Count the assignments that satisfy clues: domains are narrowed, then the smallest is split.
#
# `domains[c, v]` is a set of bits: the people who may have value v of category c. Category 0 are the people
# themselves, and the last one holds numbers, of which the value's place is the rank. A clue is a row: whether
# its first two items belong to one person (SAME) or not (DIFFERENT), or ranks that rise (RISING) along its
# items, two of them or three (CHAIN, where the second and the fourth belong to one person).

SAME, DIFFERENT, RISING, CHAIN = range(4)
WIDTH = 9  # the kind, then four items of category and value


@njit(cache=True, error_model="numpy")
def _is_single(people):
    return people != 0 and people & (people - 1) == 0


@njit(cache=True, error_model="numpy")
def _narrow_category(values, n):
    """Leave each person to one value: a value's only person to no other, a person's only value to it."""
    for value in range(n):
        if _is_single(values[value]):
            for other in range(n):
                if other != value:
                    values[other] &= ~values[value]
    for person in range(n):
        bit, holders, last = 1 << person, 0, 0
        for value in range(n):
            if values[value] & bit:
                holders, last = holders + 1, value
        if holders == 0:
            values[0] = 0  # nobody can be left without a value
        elif holders == 1:
            values[last] = bit


@njit(cache=True, error_model="numpy")
def _narrow_rising(domains, first, second, n):
    """Leave people to two items whose ranks can rise: the first's least below the second's highest."""
    numbers = domains[-1]
    low, high = np.full(n, n, np.int64), np.full(n, -1, np.int64)
    for person in range(n):
        for rank in range(n):
            if numbers[rank] >> person & 1:
                low[person] = min(low[person], rank)
                high[person] = rank
    ranks, other = domains[first[0], first[1]], domains[second[0], second[1]]
    least, most = n, -1
    for person in range(n):
        if ranks >> person & 1:
            least = min(least, low[person])
        if other >> person & 1:
            most = max(most, high[person])
    for person in range(n):
        if low[person] >= most:
            ranks &= ~(1 << person)
        if high[person] <= least:
            other &= ~(1 << person)
    domains[first[0], first[1]] = ranks
    domains[second[0], second[1]] = other
    for rank in range(n):
        if _is_single(ranks) and rank >= most:
            numbers[rank] &= ~ranks
        if _is_single(other) and rank <= least:
            numbers[rank] &= ~other


@njit(cache=True, error_model="numpy")
def _narrow_by_clue(domains, clue, n):
    kind, first, second = clue[0], clue[1:3], clue[3:5]
    if kind == DIFFERENT:
        if _is_single(domains[first[0], first[1]]):
            domains[second[0], second[1]] &= ~domains[first[0], first[1]]
        if _is_single(domains[second[0], second[1]]):
            domains[first[0], first[1]] &= ~domains[second[0], second[1]]
        return
    if kind != SAME:
        _narrow_rising(domains, first, second, n)
    if kind == CHAIN:
        _narrow_rising(domains, second, clue[5:7], n)
        first, second = second, clue[7:9]
    if kind != RISING:
        both = domains[first[0], first[1]] & domains[second[0], second[1]]
        domains[first[0], first[1]] = domains[second[0], second[1]] = both


@njit(cache=True, error_model="numpy")
def _narrow(domains, clues, skip, n):
    """Narrow all domains until nothing changes; return whether none is empty."""
    before = -1
    while True:
        total = domains.sum()
        if total == before:
            return True
        before = total
        for k in range(clues.shape[0]):
            if k != skip:
                _narrow_by_clue(domains, clues[k], n)
        for category in range(1, domains.shape[0]):
            _narrow_category(domains[category], n)
        if not domains.all():
            return False


@njit(cache=True, error_model="numpy")
def count_assignments(n, n_categories, clues, skip, avoid, limit, first_table):
    """How many assignments satisfy all clues but number `skip`, up to `limit`; the first is `first_table`.

    An assignment holds the person who has each value of each category. `avoid` does not count.
    """
    shape = (n_categories + 1, n)
    stack = np.empty((n * n * n_categories + 1, *shape), np.int64)
    stack[0] = (1 << n) - 1
    for person in range(n):
        stack[0, 0, person] = 1 << person
    size, count = 1, 0
    while size:
        size -= 1
        domains = stack[size].copy()
        if not _narrow(domains, clues, skip, n):
            continue
        smallest, at, where = n + 1, 0, 0
        for category in range(1, shape[0]):
            for value in range(n):
                people = 0
                for person in range(n):
                    people += domains[category, value] >> person & 1
                if 1 < people < smallest:
                    smallest, at, where = people, category, value
        if smallest <= n:
            for person in range(n):
                if domains[at, where] >> person & 1:
                    stack[size] = domains
                    stack[size, at, where] = 1 << person
                    size += 1
            continue
        is_wanted = False
        for category in range(shape[0]):
            for value in range(n):
                person = avoid[category, value]
                is_wanted |= person < 0 or domains[category, value] != 1 << person
        if not is_wanted:
            continue
        count += 1
        if count == 1:
            for category in range(shape[0]):
                for value in range(n):
                    for person in range(n):
                        if domains[category, value] >> person & 1:
                            first_table[category, value] = person
        if count == limit:
            break
    return count
