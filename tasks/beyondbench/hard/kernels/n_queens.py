"""Find the completions of a board of queens, row by row, by numba. Import it late: it loads numba."""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, error_model="numpy")
def find_boards(placed, is_torus, needs_long, limit, boards):
    """How many boards complete `placed`, up to `limit`; the first ones are written to `found`.

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
