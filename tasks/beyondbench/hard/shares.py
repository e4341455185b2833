"""A lower bound on how large a share is, from random tries."""

import math

CONFIDENCE = 1e-6


def least_share(successes: int, tries: int) -> float:
    """The share at which `successes` or more in `tries` have a chance of one in a million.

    By Chernoff's bound: n D(found / n || p) = ln(1e6), with D the relative entropy.
    """
    seen = successes / tries
    low, high = 0.0, seen
    while high - low > 1e-6 * high:
        share = (low + high) / 2
        if tries * _divergence(seen, share) > -math.log(CONFIDENCE):
            low = share
        else:
            high = share
    return low


def _divergence(seen: float, share: float) -> float:
    rest = (1 - seen) * math.log((1 - seen) / (1 - share)) if seen < 1 else 0.0
    return seen * math.log(seen / share) + rest if share else math.inf
