"""Names of what is published together: an edition `E`, or an evaluation of it, `E@NAME`.

No name of an edition holds the `@`, so that one text names either.
"""

from collections.abc import Iterable

# Whether perennial asked the players of an evaluation, or an imported log says what they answered.
PLAYED, BY_LOG = "played", "by log"

_SEPARATOR = "@"
LOOK_UP = "(look-up)"
"""What the ledger keeps the calls of a look-up for; no edition can have that name."""


def evaluation_of(edition: str, name: str) -> str:
    """Return the name of the edition's evaluation of this name."""
    return f"{edition}{_SEPARATOR}{name}"


def split_unit(unit: str) -> tuple[str, str]:
    """Return the edition and the evaluation's own name, "" for an edition itself."""
    edition, _, name = unit.partition(_SEPARATOR)
    return edition, name


def is_evaluation(unit: str) -> bool:
    """Whether this names an evaluation."""
    return _SEPARATOR in unit


def units_by_edition(units: Iterable[str]) -> dict[str, list[str]]:
    """Return the units of each edition that is among them, in their order."""
    listed = list(units)
    by_edition: dict[str, list[str]] = {unit: [] for unit in listed if not is_evaluation(unit)}
    for unit in listed:
        if (edition := split_unit(unit)[0]) in by_edition:
            by_edition[edition].append(unit)
    return by_edition


def describe_unit(unit: str) -> str:
    """Return the unit in words, for messages."""
    return f"{'evaluation' if is_evaluation(unit) else 'edition'} {unit!r}"
