"""Rules over the people of all domains."""

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.warehouse.knowlogic.validation.finding import Found, rows_of

_PEOPLE = "names/people"


def find_unlisted_sexes(knowledge: Knowledge) -> Found:
    """Find people whose sex is neither m nor f."""
    for row in rows_of(knowledge, _PEOPLE):
        if row["sex"] not in ("m", "f"):
            yield _PEOPLE, row["id"], f"sex {row['sex']!r} is none of m, f"


def find_wrong_names(knowledge: Knowledge) -> Found:
    """Find Chinese names that are not surname and given name."""
    for row in rows_of(knowledge, _PEOPLE):
        if row["zh"] != row["surname"] + row["given"]:
            yield _PEOPLE, row["id"], f"zh {row['zh']!r} is not {row['surname']!r} and {row['given']!r}"
