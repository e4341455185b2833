"""Exact coloring and plane drawings, compiled by numba. Import this module late: it loads numba.

A graph is an array of bit masks: the neighbors of each vertex.
"""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit
def _n_bits(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def clique_number(adjacent):
    """The size of a largest clique, by depth-first search."""
    n = len(adjacent)
    rest = np.zeros(n + 1, np.int64)  # by depth: the vertices that may still join
    rest[0] = (1 << n) - 1
    largest, depth = 0, 0
    while depth >= 0:
        if depth + _n_bits(rest[depth]) <= largest:
            depth -= 1
            continue
        vertex = 0
        while not rest[depth] >> vertex & 1:
            vertex += 1
        rest[depth] ^= 1 << vertex
        rest[depth + 1] = rest[depth] & adjacent[vertex]
        depth += 1
        largest = max(largest, depth)
    return largest


@njit
def _hardest(adjacent, classes, used, free):
    """The free vertex with neighbors in most colors, of these one with most free neighbors."""
    best, most_colors, most_free = -1, -1, -1
    for vertex in range(len(adjacent)):
        if free >> vertex & 1:
            colors = 0
            for color in range(used):
                if classes[color] & adjacent[vertex]:
                    colors += 1
            if colors >= most_colors:
                n_free = _n_bits(adjacent[vertex] & free)
                if colors > most_colors or n_free > most_free:
                    best, most_colors, most_free = vertex, colors, n_free
    return best


@njit(cache=True)
def color_with_fewest(adjacent, lower, limit, coloring):
    """Write a coloring with the fewest colors and return their number: DSATUR with backtracking, exact.

    A new color is tried once, after the colors in use, so that no two branches differ in names alone. The
    search ends at a coloring with `lower` colors, fewer than which are known not to be enough. Returns 0
    where it is not at its end after `limit` steps.
    """
    n = len(adjacent)
    classes = np.zeros(n + 1, np.int64)
    vertices = np.zeros(n, np.int64)  # by depth: the vertex to be colored,
    following = np.zeros(n, np.int64)  # the color to be tried next,
    used = np.zeros(n, np.int64)  # and the number of colors in use above
    color_of = np.full(n, -1)
    free = (1 << n) - 1
    fewest = n + 1
    depth = 0
    vertices[0] = _hardest(adjacent, classes, 0, free)
    steps = 0
    while depth >= 0:
        if steps == limit:
            return 0
        steps += 1
        vertex = vertices[depth]
        if color_of[vertex] >= 0:
            classes[color_of[vertex]] ^= 1 << vertex
            color_of[vertex] = -1
            free |= 1 << vertex
        color = following[depth]
        highest = min(used[depth], fewest - 2)
        while color <= highest and classes[color] & adjacent[vertex]:
            color += 1
        if used[depth] >= fewest or color > highest:
            depth -= 1
            continue
        following[depth] = color + 1
        color_of[vertex] = color
        classes[color] |= 1 << vertex
        free ^= 1 << vertex
        in_use = max(used[depth], color + 1)
        if depth == n - 1:
            fewest = in_use
            coloring[:] = color_of
            if fewest == lower:
                break
            continue
        depth += 1
        used[depth] = in_use
        following[depth] = 0
        vertices[depth] = _hardest(adjacent, classes, in_use, free)
    return fewest


@njit
def _side(x, y, a, b, c):
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])


@njit
def _meet(x, y, a, b, c, d):
    """Whether the segments ab and cd have a point in common that is not an end of both.

    Of segments without a common end, those that only touch count as meeting.
    """
    if a == d or b == d:
        c, d = d, c
    if b == c:
        a, b = b, a
    if a == c:
        along = (x[b] - x[a]) * (x[d] - x[a]) + (y[b] - y[a]) * (y[d] - y[a])
        return _side(x, y, a, b, d) == 0 and along > 0
    # Boxes that are apart part the segments; else each must lie on both sides of the other's line.
    if max(x[a], x[b]) < min(x[c], x[d]) or max(x[c], x[d]) < min(x[a], x[b]):
        return False
    if max(y[a], y[b]) < min(y[c], y[d]) or max(y[c], y[d]) < min(y[a], y[b]):
        return False
    if np.sign(_side(x, y, a, b, c)) * np.sign(_side(x, y, a, b, d)) > 0:
        return False
    return np.sign(_side(x, y, c, d, a)) * np.sign(_side(x, y, c, d, b)) <= 0


@njit(cache=True)
def choose_segments(x, y, pairs, target, chosen):
    """Write segments that do not meet, in the order of `pairs`, at most `target`, and return their number."""
    count = 0
    for index in range(len(pairs)):
        if count == target:
            break
        a, b = pairs[index, 0], pairs[index, 1]
        free = True
        for other in range(count):
            if _meet(x, y, a, b, chosen[other, 0], chosen[other, 1]):
                free = False
                break
        if free:
            chosen[count, 0], chosen[count, 1] = a, b
            count += 1
    return count
