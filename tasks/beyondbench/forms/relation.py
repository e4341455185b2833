"""A relation of two numbers as the answer."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer

# Texts of more characters are no relation.
MAX_LENGTH = 200
RELATIONS = ("less than", "equal to", "greater than")
_OTHER_WORDS = {
    "less than": ("<", r"\lt", "less", "smaller", "smaller than", "lesser than", "lower than"),
    "equal to": ("=", "==", "equal", "equals", "the same as", "the same"),
    "greater than": (">", r"\gt", "greater", "larger", "larger than", "bigger than", "higher than"),
}
_MEANINGS = {word: relation for relation, words in _OTHER_WORDS.items() for word in (relation, *words)}
_ASIDE = re.compile(r"\b(?:number [12]|it|the (?:first|second)(?: number)?|is)(?!\w)|[-+]?[0-9][0-9,]*+")
_SENTENCE = re.compile(r"[.;!?\n]")
_FOUND = re.compile(r"(?<!not )\b(less than|smaller than|equal to|greater than|larger than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RelationForm:
    """One of "less than", "equal to", "greater than". Careless: the next of them."""

    container: str = "boxed"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the words."""
        return str(answer)

    def read(self, text: str) -> Answer | None:
        """Return the relation that the text is, in exactly these words."""
        return text if text in RELATIONS else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the relation that the text is: other words, a sign, "Number 1 is .. Number 2"."""
        words = _ASIDE.sub(" ", text.lower()).split() if len(text) <= MAX_LENGTH else []
        return _MEANINGS.get(" ".join(words).strip("'\" ."))

    def find_last(self, text: str) -> Answer | None:
        """Return the relation of the last sentence that names any, None where it names several."""
        for sentence in reversed(_SENTENCE.split(text)):
            if found := {self.read_loosely(words) for words in _FOUND.findall(sentence)}:
                return found.pop() if len(found) == 1 else None
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield the other relations, and answers that are none of the three."""
        yield from (("another relation", relation) for relation in RELATIONS if relation != answer)
        yield from (("a sign", sign) for sign in ("<", ">", "=", "<=", ">=", "!=", "≤", "≥", ""))
        yield from (("half of the words", word) for word in answer.split())
        for words in ("not {}", "{} or equal to", "{} {}", "{}.", " {}", "{} Number 2"):
            yield "other words", words.format(answer, answer)
        yield "upper case", answer.upper()
        yield "a position", RELATIONS.index(answer)
        yield "a list", [answer]

    def careless(self, answer: Answer) -> Answer:
        """Return the next relation."""
        return RELATIONS[(RELATIONS.index(answer) + 1) % 3]
