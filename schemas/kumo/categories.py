"""The categories of domains: one for each field of the 100 domains of the KUMO paper (its figure 3)."""

from collections.abc import Sequence

Quota = tuple[str, int | None]
"""A category with its number of proposed domains; None: an even share of those without a number."""

CATEGORIES = (
    "Medicine",
    "Chemistry",
    "Earth Science",
    "Astronomy",
    "Botany",
    "Zoology",
    "Microbiology",
    "Computing",
    "Engineering",
    "Transport",
    "Food and Drink",
    "Visual Arts",
    "Music",
    "Language",
    "History",
    "Education",
    "Sport and Games",
    "Fantasy",
)
ALL = "all"


def parse_quotas(values: Sequence[str]) -> tuple[Quota, ...]:
    """Return the categories that `NAME` or `NAME=NUMBER` ask for, in order; `all` means each of CATEGORIES.

    Raises ValueError for a number below 1, a name that is blank, or one that occurs twice.
    """
    quotas = []
    for value in values:
        name, equals, number = (part.strip() for part in value.partition("="))
        if not name or (equals and not (number.isascii() and number.isdigit() and 0 < int(number) <= 1000)):
            raise ValueError(
                f"{value!r} is not a category; expected a name, or name=number with a number from 1 to 1000"
            )
        names = CATEGORIES if name == ALL else (name,)
        quotas += [(each, int(number) if equals else None) for each in names]
    seen: set[str] = set()
    for name, _ in quotas:
        if name.casefold() in seen:
            raise ValueError(f"category {name!r} occurs twice; name it once")
        seen.add(name.casefold())
    return tuple(quotas)
