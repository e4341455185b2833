"""Runs of number-theoretic sequences with a constant added: Pr1-Pr3, Pr5-Pr7, Pr11.

All of them are in one table, by a hash of four differences in a row, so that five terms are enough; what
the hash finds is compared term by term. They are computed from smallest prime factors.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHIFT = 999
LIMIT = 1_000_000
MARGIN = 10_000  # so far beyond the limit the table goes, so that a run near it still has a next term
ARGUMENTS = 101_000  # totient and divisor sum go up to this argument
STEPS = 4
_FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
_MASK = 2**64 - 1


class _Table(NamedTuple):
    values: "array[int]"  # the sequences, one after another
    keys: "array[int]"  # hashes of four differences, sorted
    places: "array[int]"  # where in `values` the differences of each hash begin
    ends: tuple[int, ...]  # where each sequence ends


def fit_shifted(terms: Sequence[int]) -> Iterator[int]:
    """What follows all runs of these sequences, plus a constant within +-999, that are the terms."""
    size = len(terms)
    if size <= STEPS:
        return
    t0, t1, t2, t3, t4 = terms[:5]
    a, b, c, d = _FACTORS
    key = (a * (t1 - t0) + b * (t2 - t1) + c * (t3 - t2) + d * (t4 - t3)) & _MASK
    table = _table()
    keys, values, places = table.keys, table.values, table.places
    index = bisect_left(keys, key)
    while index < len(keys) and keys[index] == key:
        start = places[index]
        index += 1
        shift = t0 - values[start]
        if abs(shift) > SHIFT or values[start + 4] + shift != t4:
            continue
        end = next(end for end in table.ends if start < end)
        if start + size < end and all(values[start + n] + shift == terms[n] for n in range(1, size)):
            yield values[start + size] + shift


@cache
def _table() -> _Table:
    import numpy as np

    sequences = [sequence.astype(np.int64) for sequence in _sequences()]
    factors = np.array(_FACTORS, dtype=np.uint64)
    keys, places, ends, offset = [], [], [], 0
    for sequence in sequences:
        steps = np.diff(sequence).astype(np.uint64)
        runs = np.lib.stride_tricks.sliding_window_view(steps, STEPS)
        keys.append((runs * factors).sum(axis=1, dtype=np.uint64))
        places.append(np.arange(offset, offset + len(runs), dtype=np.uint32))
        offset += len(sequence)
        ends.append(offset)
    all_keys, all_places = np.concatenate(keys), np.concatenate(places)
    order = np.argsort(all_keys, kind="stable")
    return _Table(
        array("q", np.concatenate(sequences).tobytes()),
        array("Q", all_keys[order].tobytes()),
        array("I", all_places[order].tobytes()),
        tuple(ends),
    )


def _sequences() -> "Iterator[NDArray[Any]]":
    """Primes, lower twin primes, gaps, Sophie Germain primes, semiprimes, totients, divisor sums."""
    import numpy as np

    count = 2 * (LIMIT + MARGIN) + 2
    least = np.zeros(count, dtype=np.int32)  # smallest prime factor
    for p in range(2, int(count**0.5) + 1):
        if not least[p]:
            multiples = least[p * p :: p]
            multiples[multiples == 0] = p
    numbers = np.arange(count, dtype=np.int32)
    is_prime = least == 0
    is_prime[:2] = False
    least[is_prime] = numbers[is_prime]
    low = numbers[: LIMIT + MARGIN]
    prime = is_prime[: LIMIT + MARGIN]
    primes = low[prime]
    yield primes
    yield low[prime & is_prime[2 : LIMIT + MARGIN + 2]]
    yield np.diff(primes)
    yield primes[is_prime[2 * primes + 1]]
    least[:2] = 1
    yield low[is_prime[low // least[: len(low)]] & ~prime]
    totient = np.arange(ARGUMENTS, dtype=np.int64)
    divisors = np.zeros(ARGUMENTS, dtype=np.int64)
    for p in primes[primes < ARGUMENTS]:
        totient[p::p] -= totient[p::p] // p
    for divisor in range(1, ARGUMENTS):
        divisors[divisor::divisor] += divisor
    yield totient[1:]
    yield divisors[1:]
