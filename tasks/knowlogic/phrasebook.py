"""Sentences from templates and back: one table of patterns serves both ways.

A pattern such as `{a:item} is to the left of {b:item}.` has places of a kind. A lexicon gives, for each kind,
what each id is called in one language. Reading tries every template whose fixed parts occur in the sentence,
and insists on one reading.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perennial.schemas.knowlogic.things import GAP, Argument, Language, Proposition

# Kind -> id -> what it is called.
Lexicon = Mapping[str, Mapping[Argument, str]]

_PLACE = re.compile(r"\{(\w+):(\w+)(\*?)\}")
_JOINERS: dict[Language, tuple[str, str]] = {"zh": ("、", "和"), "en": (", ", " and ")}


@dataclass(frozen=True)
class Phrasebook:
    """The sentences of a domain in one language.

    `sentences` are templates (`perennial.prompts.knowlogic.sentences`); a proposition's arguments fill the
    places in the order of the template's key `places`, or of the Chinese pattern where that key is missing.
    """

    sentences: Mapping[str, Mapping[str, Any]]
    language: Language
    lexicon: Lexicon

    def write(self, proposition: Proposition) -> str:
        """The sentence; an argument that is `GAP` leaves a gap."""
        values = dict(zip(self._places(proposition.template), proposition.arguments, strict=True))

        def call(match: re.Match[str]) -> str:
            name, kind, _ = match.groups()
            value = values[name]
            return GAP if value == GAP else self.lexicon[kind][value]

        return capitalize(
            _PLACE.sub(call, self.sentences[proposition.template][self.language]), self.language
        )

    def read(self, sentence: str) -> Proposition:
        """The proposition that the sentence says.

        Raises ValueError where no template fits it, or more than one reading does.
        """
        readings = sorted(set(self._readings(sentence)), key=repr)
        if len(readings) != 1:
            how = "nothing that the templates say" if not readings else f"{len(readings)} things"
            raise ValueError(f"{sentence!r} says {how}")
        return readings[0]

    def write_filler(self, asked: Proposition, choice: Argument) -> str:
        """What fills the gap of a question, as an option shows it."""
        return self.lexicon[self._gap_kind(asked)][choice]

    def read_filler(self, asked: Proposition, text: str) -> Argument:
        """The choice that an option shows; raise ValueError where it is none."""
        return self.id_of(self._gap_kind(asked), text)

    def _gap_kind(self, asked: Proposition) -> str:
        slot = self._places(asked.template)[asked.arguments.index(GAP)]
        return self._kinds[asked.template][slot]

    def call(self, kind: str, argument: Argument) -> str:
        """What this id is called."""
        return GAP if argument == GAP else self.lexicon[kind][argument]

    def id_of(self, kind: str, name: str) -> Argument:
        """The id of this name; raise ValueError where nothing of the kind is called so."""
        id_ = self._ids[kind].get(begin_small(name))
        if id_ is None:
            raise ValueError(f"{name!r} is no {kind}")
        return id_

    def join(self, names: list[str]) -> str:
        """Names as a list in the language."""
        return join_names(names, self.language)

    def _readings(self, sentence: str) -> Iterator[Proposition]:
        for name, literals, pattern in self._patterns:
            if not all(part in sentence for part in literals):
                continue
            if match := pattern.fullmatch(sentence):
                kinds = self._kinds[name]
                arguments = (
                    GAP if match[slot] == GAP else self._ids[kinds[slot]].get(begin_small(match[slot]))
                    for slot in self._places(name)
                )
                filled = tuple(argument for argument in arguments if argument is not None)
                if len(filled) == len(kinds):
                    yield Proposition(name, filled)

    def _places(self, template: str) -> tuple[str, ...]:
        return self._orders[template]

    @cached_property
    def _orders(self) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(sentence.get("places") or (match[1] for match in _PLACE.finditer(sentence["zh"])))
            for name, sentence in self.sentences.items()
        }

    @cached_property
    def _kinds(self) -> dict[str, dict[str, str]]:
        return {
            name: {match[1]: match[2] for match in _PLACE.finditer(sentence[self.language])}
            for name, sentence in self.sentences.items()
        }

    @cached_property
    def _ids(self) -> dict[str, dict[str, Argument]]:
        """Ids by name, by kind; raise ValueError for a name of two ids, which nothing could read."""
        by_kind: dict[str, dict[str, Argument]] = {}
        for kind, names in self.lexicon.items():
            ids: dict[str, Argument] = {}
            for id_, name in names.items():
                if ids.setdefault(begin_small(name), id_) != id_:
                    raise ValueError(f"{kind} {name!r} ({self.language}) is the name of two ids")
            by_kind[kind] = ids
        return by_kind

    @cached_property
    def _patterns(self) -> list[tuple[str, list[str], re.Pattern[str]]]:
        return [(name, *self._compile(sentence[self.language])) for name, sentence in self.sentences.items()]

    def _compile(self, pattern: str) -> tuple[list[str], re.Pattern[str]]:
        """The fixed parts of a pattern (without the first letter) and its regular expression."""
        literals: list[str] = []
        expression, end = "", 0
        for match in _PLACE.finditer(pattern):
            literal = pattern[end : match.start()]
            literals.append(literal[1:] if not end else literal)
            expression += _literal(literal, is_first=not end)
            # The names themselves: a lazy wildcard would stop at the first place that fits.
            names = sorted((GAP, *self.lexicon[match[2]].values()), key=lambda name: (-len(name), name))
            expression += (
                f"(?P<{match[1]}>{'|'.join(_literal(name, is_first=not expression) for name in names)})"
            )
            end = match.end()
        literals.append(pattern[end:])
        return [part for part in literals if part], re.compile(expression + re.escape(pattern[end:]))


def capitalize(sentence: str, language: Language) -> str:
    """The sentence with a capital first letter in English."""
    return sentence[:1].upper() + sentence[1:] if language == "en" else sentence


def join_names(names: list[str], language: Language) -> str:
    """Names as a list: "a, b and c"."""
    comma, last = _JOINERS[language]
    return last.join((comma.join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def split_names(text: str, language: Language) -> list[str]:
    """The names of a list that `join_names` wrote (no name holds a joiner)."""
    comma, last = _JOINERS[language]
    head, separator, tail = text.rpartition(last)
    return [*head.split(comma), tail] if separator else [text]


def begin_small(name: str) -> str:
    """The name with a small first letter: a sentence may begin with it."""
    return name[:1].lower() + name[1:]


def _literal(text: str, *, is_first: bool) -> str:
    """The expression of a fixed text; the first letter of a sentence may be a capital."""
    if is_first and text[:1].lower() != text[:1].upper():
        return f"[{re.escape(text[0].lower())}{re.escape(text[0].upper())}]{re.escape(text[1:])}"
    return re.escape(text)


# Words of another language in a text: Chinese characters in English, Latin words in Chinese.

# Chinese characters, and punctuation that only Chinese texts have.
_CHINESE = re.compile(r"[　-〿一-鿿㐀-䶿豈-﫿＀-￯]+")
# Chinese texts name options A to D, and may hold short names in capitals, such as DNA.
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]*[a-zÀ-ɏ][A-Za-zÀ-ɏ]*|[A-Z]{6,}")


def find_foreign(text: str, language: Language) -> str:
    """The first words of the other language in a text, "" where there are none."""
    match = (_LATIN if language == "zh" else _CHINESE).search(text)
    return match[0] if match else ""
