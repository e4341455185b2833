"""Which domains take their turn in an edition: the least recently used first.

A domain's last use is the latest of the earlier editions that hold it. Domains that were never used come
first, then those whose last use is longest ago; ties go by the order in which they were given. So no domain
of the last `rest` editions is taken while there are enough others.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from perennial.schemas.errors import InvalidOption

PastEdition = tuple[str, Collection[str]]
"""An earlier edition and the ids of the domains that it holds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A domain that is taken: its place among the given ones, and why it is its turn."""

    place: int
    why: str


def take_turns(
    domain_ids: Sequence[str], history: Sequence[PastEdition], count: int, rest: int
) -> tuple[Turn, ...]:
    """Return the turns of `count` of the domains, in the order in which they were given.

    `history` holds the earlier editions, the latest first; a domain rests until `rest` editions did not
    hold it. Raises InvalidOption where there are fewer than `count` domains.
    """
    if count > len(domain_ids):
        raise InvalidOption(
            f"--domain-count {count}: there are only {len(domain_ids)} domains to take turns; "
            "ask for fewer, or name more with --domains"
        )
    ages = [_age(domain_id, history) for domain_id in domain_ids]
    by_age = sorted(range(len(domain_ids)), key=lambda place: (-ages[place], place))
    return tuple(Turn(place, _why(ages[place], history, rest)) for place in sorted(by_age[:count]))


def _age(domain_id: str, history: Sequence[PastEdition]) -> int:
    """Return how many editions came after the last one that holds the domain: all of them for a new one."""
    held = (age for age, (_, held_ids) in enumerate(history) if domain_id in held_ids)
    return next(held, len(history))


def _why(age: int, history: Sequence[PastEdition], rest: int) -> str:
    if age == len(history):
        return "used in no edition so far"
    if age >= rest:
        return f"not used in the last {age} editions; last used in {history[age][0]}"
    return f"should still rest, but so should all others; last used in {history[age][0]}"
