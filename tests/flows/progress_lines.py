"""Lines of progress, which a slow machine prints and a fast one does not: no test reads them by chance."""

import re

_LINE = re.compile(r"^[a-z-]+ +(\d+/\d+ batches +)?[\d.]+ s( .*)?\n", re.MULTILINE)


def without_progress(errors: str) -> str:
    """Return what was printed on standard error, without lines of progress."""
    return _LINE.sub("", errors)
