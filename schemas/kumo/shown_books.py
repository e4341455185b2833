"""The books that models are shown (`--books`), and the versions of a question that these make."""

from collections.abc import Sequence

from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.rows import ReadJson

MOST_BOOKS = 50
AMONG = {f"among-{number}": number for number in range(2, MOST_BOOKS + 1)}
"""Long contexts: the final book among those of other domains, by name with the number of books in all."""

_BY_WRITERS = ("first", "second", "template")  # books that stand beside those of a model
_VERSIONS = {"final": USUAL, **{name: name for name in (*_BY_WRITERS, *AMONG)}}


def order_books(names: Sequence[str]) -> list[str]:
    """Return the books in their order, each once; raise ValueError for none and for unknown ones."""
    if not names or set(names) - set(_VERSIONS):
        raise ValueError(f"expected some of final, {', '.join(_BY_WRITERS)}, among-2 to among-{MOST_BOOKS}")
    return [name for name in _VERSIONS if name in names]


def versions_shown(books: Sequence[str], own: ReadJson) -> tuple[str, ...]:
    """Return the versions that these books make; `own` is the edition's own part of its plan.

    Raises InvalidOption for books that such an edition does not have.
    """
    # A counterfactual counts as its true domain: their books never stand together.
    refuse_few_domains(books, len(own["configs"]) + own["worlds"] + own["authoring"]["proposals"])
    others = [name for name in books if name in _BY_WRITERS]
    if "second" in others and not own["authoring"].get("second_writer"):
        raise InvalidOption(
            f"--books {','.join(books)}: no second writer wrote books of this edition: leave second out, or "
            "name an edition that was grown with --second-writer"
        )
    if others and not own["authoring"]["writer"]:
        raise InvalidOption(
            f"--books {','.join(books)}: this edition has no {others[0]} books beside final ones, as no "
            "model wrote them: leave --books out, or name one that was grown with --writer"
        )
    return tuple(_VERSIONS[name] for name in books)


def refuse_few_domains(books: Sequence[str], domains: int) -> None:
    """Raise InvalidOption where one of these shows books of more domains than the edition has."""
    needed = max((AMONG.get(name, 0) for name in books), default=0)
    if needed > domains:
        remedy = f"give among-{domains} at most" if domains > 1 else "leave it out"
        raise InvalidOption(
            f"--books among-{needed} shows books of {needed} domains, and this edition has {domains}: "
            f"{remedy}, or use an edition with more domains (--domain-count, --worlds)"
        )
