"""The people of all domains: names that fit the language, and a sex that is stated, never guessed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import Language

Sex = Literal["m", "f"]


@dataclass(frozen=True, slots=True)
class Person:
    """A person: id, sex, and the name in each language (`given` is the Chinese given name)."""

    id: str
    sex: Sex
    names: dict[Language, str]
    surname: str
    given: str


def read_people(knowledge: Knowledge) -> tuple[Person, ...]:
    """Return the people of table `names/people`, in its order."""
    return tuple(
        Person(
            row["id"],
            "m" if row["sex"] == "m" else "f",
            {"zh": row["zh"], "en": row["en"]},
            row["surname"],
            row["given"],
        )
        for row in knowledge.rows("names/people")
    )


def names_of(people: Sequence[Person], language: Language) -> dict[str | int, str]:
    """Return the names by id: a part of a lexicon."""
    return {person.id: person.names[language] for person in people}
