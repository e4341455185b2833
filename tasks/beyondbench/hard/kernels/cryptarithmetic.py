"""Count the solutions of a cryptarithm, column by column from the right, compiled by numba.

At each column the letters of both operands take digits, and the digit of the result follows from them: the
lowest i + 1 digits of a sum or product depend on those of the operands only. Import this module late:
it loads numba.
"""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

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
