"""The probability that a player states with its answer, between <PROBABILITY> tags."""

import re

_TAGGED = re.compile(r"<PROBABILITY>\s*([0-9.,]{1,20})\s*(%?)\s*</PROBABILITY>", re.IGNORECASE | re.ASCII)


def read_probability(reply: str) -> float | None:
    """Return the probability that the reply states last, such as 0.8 or 80%; None for none from 0 to 1."""
    *_, found = (None, *_TAGGED.finditer(reply))
    if found is None:
        return None
    try:
        number = float(found[1].replace(",", ".")) / (100 if found[2] else 1)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def state_probability(probability: float) -> str:
    """Return the text that states a probability."""
    return f" <PROBABILITY>{min(probability, 1.0):.6f}</PROBABILITY>"
