"""Questions of the published data set's form: JSON or JSON Lines, an object per question in one language.

Each has id, text, question, options (four texts, or A to D by letter), answer (letters), domain, language and
difficulty. Rows of one id in two languages are a pair. Nothing is known of how a question was made.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from perennial.prompts.render import template_hash
from perennial.schemas.errors import UnreadableInput, join_choices, quote
from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    DOMAINS,
    LANGUAGES,
    LETTERS,
    Language,
    QuestionText,
)
from perennial.tasks.knowlogic.answers import read_answer
from perennial.tasks.knowlogic.wording.layout import frame, prompt_template, write_prompt

MAX_QUESTIONS = 100_000
_MAX_CHARACTERS = 20_000
_TEXTS = ("text", "question")
_FIELDS = ("id", *_TEXTS, "options", "answer", "domain", "language", "difficulty")
_LANGUAGES: dict[str, Language] = {"zh": "zh", "en": "en", "chinese": "zh", "english": "en", "cn": "zh"}


class Imported(NamedTuple):
    """A question as it was read: the row's columns that are known, by name."""

    instance_id: str
    pair: str
    language: Language
    domain: str
    shown: QuestionText
    letters: str
    difficulty: str

    def row(self) -> dict[str, Any]:
        """Return its row of `knowlogic_questions`, without the columns that nothing is known of."""
        return {
            "instance_id": self.instance_id,
            "pair": self.pair,
            "language": self.language,
            "domain": self.domain,
            **self.shown._asdict(),
            "letters": self.letters,
            "has_none": _is_none(self.shown.options[-1], self.language),
            "difficulty": self.difficulty,
            "prompt": write_prompt(self.shown, self.language),
            "template_hash": template_hash(prompt_template(self.language)),
        }


def read_questions(text: str, place: str) -> list[Imported]:
    """Return the questions of a file's text, in its order.

    Raises UnreadableInput, naming `place`, line or number, and field, for the first thing that is not as
    expected, for an id that one language has twice, and for more questions than are read.
    """
    found: dict[tuple[str, Language], Imported] = {}
    for where, value in _objects(text, place):
        question = _read_one(value, where)
        if found.setdefault((question.pair, question.language), question) is not question:
            raise UnreadableInput(
                f"{where}, field id: {quote(value['id'])} stands twice in language {question.language}"
            )
        other = next((each for name in LANGUAGES if (each := found.get((question.pair, name)))), question)
        if other.letters != question.letters:
            raise UnreadableInput(
                f"{where}, field answer: {question.letters} in {question.language} and {other.letters} in "
                f"{other.language} for id {quote(value['id'])}; the two texts of a question have one answer: "
                "correct it, or give them two ids"
            )
        if len(found) > MAX_QUESTIONS:
            raise UnreadableInput(f"{place}: more than {MAX_QUESTIONS:,} questions; give a smaller file")
    if not found:
        raise UnreadableInput(f"{place}: it holds no question; expected JSON or JSON Lines")
    return list(found.values())


def _objects(text: str, place: str) -> Iterator[tuple[str, Any]]:
    """Yield each object of a JSON array, or of JSON Lines, with where it stands."""
    if text.lstrip().startswith("["):
        for number, value in enumerate(_parse(text, place), start=1):
            yield f"{place}, question {number}", value
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            where = f"{place}, line {number}"
            yield where, _parse(line, where)


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise UnreadableInput(f"{where}: nested too deeply for a question") from None
    except ValueError as error:
        raise UnreadableInput(f"{where}: no JSON ({error})") from None


def _read_one(value: Any, where: str) -> Imported:
    if not isinstance(value, dict):
        raise UnreadableInput(
            f"{where}: {quote(value)} is not an object with the fields {', '.join(_FIELDS)}"
        )
    for name in _FIELDS:
        if name not in value:
            raise UnreadableInput(f"{where}: the field {name} is missing")
    identity = value["id"]
    if not isinstance(identity, str | int) or isinstance(identity, bool) or not str(identity).strip():
        raise UnreadableInput(f"{where}, field id: {quote(identity)}, expected a text or a whole number")
    language = _LANGUAGES[_choose(value, "language", tuple(_LANGUAGES), where)]
    domain = _choose(value, "domain", DOMAINS, where)
    difficulty = _choose(value, "difficulty", DIFFICULTIES, where)
    text, question = (_text(value[name], f"{where}, field {name}") for name in _TEXTS)
    shown = QuestionText(text, question, _options(value["options"], where))
    pair = content_id("kp", "imported", domain, str(identity))
    letters = _letters(value["answer"], where)
    # Another version of the file may ask something else under the same id.
    instance_id = content_id("kl", pair, language, shown, letters)
    return Imported(instance_id, pair, language, domain, shown, letters, difficulty)


def _choose(value: dict[str, Any], name: str, known: tuple[str, ...], where: str) -> str:
    given = value[name]
    if not isinstance(given, str) or given.strip().lower() not in known:
        raise UnreadableInput(f"{where}, field {name}: {quote(given)}, expected {join_choices(known)}")
    return given.strip().lower()


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnreadableInput(f"{where}: {quote(value)}, expected a text")
    if len(value) > _MAX_CHARACTERS:
        raise UnreadableInput(f"{where}: {len(value):,} characters, expected at most {_MAX_CHARACTERS:,}")
    return value.strip()


def _options(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, dict) and sorted(value) == list(LETTERS):
        value = [value[letter] for letter in LETTERS]
    if not isinstance(value, list) or len(value) != len(LETTERS):
        raise UnreadableInput(f"{where}, field options: expected four texts, or A to D by letter")
    options = tuple(_text(option, f"{where}, field options") for option in value)
    if len(set(options)) < len(options):
        raise UnreadableInput(f"{where}, field options: two are the same, expected four different ones")
    # An option stands on one line of the prompt.
    return tuple(" ".join(option.split()) for option in options)


def _letters(value: Any, where: str) -> str:
    given = "".join(map(str, value)) if isinstance(value, list) else value
    answer = read_answer(f"[{given.strip(' []【】')}]") if isinstance(given, str) else None
    if answer is None:
        raise UnreadableInput(f"{where}, field answer: {quote(value)}, expected letters A to D, such as AC")
    return answer.letters


def _is_none(option: str, language: Language) -> bool:
    return option.rstrip(".。").casefold() == frame("none_of_the_above", language).casefold()
