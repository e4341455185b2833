"""The relations of table `social/relations` as values, and the rules that the table holds.

Rules for `r(a, b)`, read "a is b's r" (paper, section 2.1: equivalence, implication, inclusion, contrariety):

- inverse: r(a, b) gives its inverse (b, a); where the inverse has a term for each sex, the sex of b chooses.
- implied: r(a, b) gives what r implies (a wife is a spouse).
- narrowed: r(a, b) and the sex of a give the term of that sex (a spouse who is a man is a husband).
- sex: r(a, b) gives the sex of a where only one sex can hold r.
- contradictions: exclusive relations of the same pair; two holders of a relation that one person holds.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.knowledge import Knowledge, Row
from perennial.schemas.knowlogic.things import Language
from perennial.tasks.knowlogic.people import Sex

SEXES: tuple[Sex, ...] = ("m", "f")


@dataclass(frozen=True)
class Relation:
    """A relation that a person (the holder) has to another.

    - `near`: relations whose holders some readers also call so; such a pair is never used as one that lacks
      this relation.
    - `pairing`: `couple` or `siblings`, else empty. `rank`: whether the holder is above (`up`) or below.
    """

    id: str
    names: Mapping[Language, str]
    plural: str
    article: str
    holder_sex: Sex | None
    inverse: Mapping[Sex, str]
    narrowed: Mapping[Sex, str]
    implies: tuple[str, ...]
    near: tuple[str, ...]
    has_one_holder: bool
    pairing: str
    rank: str

    @property
    def inverse_needs_sex(self) -> bool:
        """Whether the inverse has a term for each sex."""
        return self.inverse["m"] != self.inverse["f"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells a person from others by name: a character in Chinese, the first letters in English.

    `shared_by`: all people whose names have it in either language, or its sound in Chinese.
    """

    person: str
    texts: Mapping[Language, str]
    shared_by: frozenset[str]


@dataclass(frozen=True)
class Relations:
    """All relations by id, exclusive pairs of relations, and marks of people by person."""

    by_id: Mapping[str, Relation]
    exclusive: tuple[tuple[str, str], ...]
    marks: Mapping[str, Mark]

    def rule_count(self) -> dict[str, int]:
        """Return the number of rules of each kind that the table holds."""
        rows = self.by_id.values()
        return {
            "inverse": sum(len(set(row.inverse.values())) for row in rows),
            "implied": sum(len(row.implies) for row in rows),
            "narrowed": sum(len(row.narrowed) for row in rows),
            "sex": sum(row.holder_sex is not None for row in rows),
            "exclusive": len(self.exclusive),
            "one holder": sum(row.has_one_holder for row in rows),
        }


def read_relations(knowledge: Knowledge) -> Relations:
    """Return the relations of the knowledge base."""
    people = knowledge.rows("names/people")
    marks = (_mark(row, people) for row in knowledge.rows("social/properties") if row["kind"] == "name_mark")
    return Relations(
        {row["id"]: _relation(row) for row in knowledge.rows("social/relations")},
        tuple((row["first"], row["second"]) for row in knowledge.rows("social/exclusive")),
        {mark.person: mark for mark in marks},
    )


def _mark(row: Row, people: Sequence[Row]) -> Mark:
    sounds = {each["id"]: _sounds(each) for each in people}
    sound = sounds[row["person"]][-1]
    shared = (
        each["id"]
        for each in people
        if row["zh"] in each["zh"] or sound in sounds[each["id"]] or each["en"].startswith(row["en"])
    )
    return Mark(row["person"], {"zh": row["zh"], "en": row["en"]}, frozenset(shared))


def _sounds(person: Row) -> list[str]:
    """Return the syllables of a Chinese name without tones."""
    letters = unicodedata.normalize("NFD", person["pinyin"])
    return "".join(each for each in letters if not unicodedata.combining(each)).split()


def _relation(row: Row) -> Relation:
    sex: Mapping[str, Sex] = {"m": "m", "f": "f"}
    return Relation(
        id=row["id"],
        names={"zh": row["zh"], "en": row["en"]},
        plural=row["en_plural"],
        article=row["article"],
        holder_sex=sex.get(row["holder_sex"]),
        inverse={each: row[f"inverse_{each}"] for each in SEXES},
        narrowed={each: row[f"as_{each}"] for each in SEXES if row[f"as_{each}"]},
        implies=tuple(filter(None, row["implies"].split(";"))),
        near=tuple(filter(None, row["near"].split(";"))),
        has_one_holder=row["holders"] == "one",
        pairing=row["pairing"],
        rank=row["rank"],
    )
