"""The budget of tokens: 85 % of C for prompt and solution; sizes shrink by 0.8 until they fit."""

import re
from collections.abc import Sequence

from perennial.schemas.beyondbench.things import TokenStatus

DEFAULT_CONTEXT = 32_768
SHARE = 0.85
SHRINK = 0.8
# Most tokenizers code about so much in a token: up to three digits, up to six letters, or one sign.
_TOKEN = re.compile(r"[0-9]{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")


def fits(tokens: int, context: int) -> bool:
    """Whether so many tokens of prompt and solution fit the budget."""
    return tokens <= SHARE * context


def shrink(size: int, sizes: Sequence[int]) -> int | None:
    """Return the largest of the variation's sizes that is at most 0.8 of this; None below the smallest."""
    return max((smaller for smaller in sizes if smaller <= int(SHRINK * size)), default=None)


def token_status(tokens: int | None, context: int, *, was_cut_off: bool) -> TokenStatus | None:
    """Return the status of an episode's tokens; None where none were reported."""
    if was_cut_off:
        return "OVERFLOW"
    if tokens is None:
        return None
    return "VALID" if fits(tokens, context) else "WARNING" if tokens <= context else "OVERFLOW"


def estimate_tokens(text: str) -> int:
    """Return an estimate of a text's tokens: up to three digits, up to six letters, or a sign each."""
    return sum(1 for _ in _TOKEN.finditer(text))
