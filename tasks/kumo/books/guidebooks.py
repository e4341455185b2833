"""A long context: which books of other domains stand beside an instance's own, and its place among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.schemas.ids import derive_rng


@dataclass(frozen=True, slots=True)
class OtherBook:
    """A book that can stand beside those of other domains, and the truths that it lists, in lower case."""

    text: str
    truths: frozenset[str]


def choose_guidebooks(
    instance_id: str,
    book: str,
    truths: Sequence[str],
    others: Mapping[str, Sequence[OtherBook]],
    number: int,
) -> tuple[str, ...] | None:
    """Return so many books in the order shown, the instance's own `book` at a place that is drawn.

    `others` are books of other domains by domain: one of each domain that is drawn, none of which lists a
    truth of the instance, so that its own book alone says what rules these out. None: too few domains have
    such a book. A smaller number leaves out the last ones drawn and exchanges none, so that numbers can be
    compared on an instance.
    """
    own = {truth.casefold() for truth in truths}
    # The instance's id takes the place of a seed: the edition's may be secret.
    rng = derive_rng(0, f"guidebooks beside {instance_id}", 0)
    domains = sorted(others)
    rng.shuffle(domains)
    chosen: list[str] = []
    for domain in domains:
        listed = rng.sample(others[domain], len(others[domain]))
        chosen += [other.text for other in listed if not own & other.truths][:1]
        if len(chosen) == number - 1:
            place = derive_rng(0, f"place among {number} of {instance_id}", 0).randrange(number)
            return (*chosen[:place], book, *chosen[place:])
    return None
