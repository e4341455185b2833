"""The processor time of a parser of replies, and what it may need."""

import time
from collections.abc import Callable

# Of CPU for a megabyte, and for anything shorter.
MOST_SECONDS = 0.5


def measure(parse: Callable[[str], object], text: str, most: float = MOST_SECONDS) -> float:
    """Return the CPU seconds of the first run that is quick enough, or of the quickest of three.

    Other processes share the caches.
    """
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        parse(text)
        seconds.append(time.process_time() - begun)
        if seconds[-1] <= most:
            break
    return min(seconds)
