"""What is read of a reply: one final answer, and how strictly it was written (its level).

1: a JSON object with `final_answer` in the form of the item's outputs, as the paper asks for. 2: the same in
what is nearly JSON (single quotes, trailing commas, broken text in other members, no end, the key
spelt otherwise). 3: another form with one meaning: rows as texts, digits as numbers, JSON in a text, a value
one object deeper, a sentence, a box, a fence.

Two different answers are none, and so is one that the reply denies. Of a longer reply only the end is read.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.replies.form import Form, fit, unwrap
from perennial.tasks.a2rbench.replies.json_objects import FoundObject, objects_with
from perennial.tasks.a2rbench.replies.json_values import read_value
from perennial.tasks.a2rbench.replies.statements import (
    Statement,
    find_named,
    find_other,
    find_shown,
    is_denied,
)

KEY = "final_answer"
_MOST_READ = 100_000
_RULE_CHARACTERS = 2_000


class Answer(NamedTuple):
    """The final answer as JSON, the rule in the player's words (None where it is no text), and the level."""

    answer: str
    rule: str | None
    level: int = 1


class _Stated(NamedTuple):
    answer: str | None
    level: int


class _Reading(NamedTuple):
    """What a reply holds: whether it says anything of an answer, and the one that counts."""

    is_found: bool
    answer: Answer | None


def read_answer(reply: str, form: Form | None = None) -> Answer | None:
    """Return the one answer that a reply gives to an item of this form; None without one.

    Without a form only strict JSON counts, and values are taken as they are written.
    """
    return _read(reply, form).answer


def has_answer(reply: str, form: Form | None = None) -> bool:
    """Return whether the program reads what the reply says of its answer: one, several, or `null`."""
    return _read(reply, form).is_found


def write_answer(answer: object, rule: str = "", reasoning: str = "") -> str:
    """Return a reply in the form that the prompt asks for."""
    return json.dumps({"rule": rule, "reasoning": reasoning, KEY: answer}, ensure_ascii=False)


def _read(reply: str, form: Form | None) -> _Reading:
    text = reply[-_MOST_READ:]
    objects = objects_with(KEY, text)
    if form is None:
        plain = [_Stated(_as_json(each.value[KEY]), 1) for each in objects]
        return _Reading(bool(objects), _decide(plain, _rule_of(objects, text)))
    stated = [each for found in objects for each in _of_object(text, found, form)]
    # What stands in an object that was read, such as its reasoning, is no statement beside it.
    named = find_named(_blank(text, objects), form)
    members = [each for each in named if each.rank == "member"]
    said = [each for each in named if each.rank == "said"]
    if objects or members:
        # Behind its last object a reply may still take it back.
        end = max([each.end for each in objects] + [each.end for each in members])
        stated += _weigh(members, 2) + _weigh([each for each in said if each.start >= end], 3)
        return _Reading(True, _decide(stated, _rule_of(objects, text)))
    if not said:
        said = [each for each in (*named, *find_shown(text, form)) if not _is_shown(each, form)]
    return _Reading(bool(said), _decide(_weigh(said, 3), _rule_of(objects, text)))


def _is_shown(stated: Statement, form: Form) -> bool:
    return stated.value is not None and form.is_shown(stated.value)


def _of_object(text: str, json_object: FoundObject, form: Form) -> list[_Stated]:
    if is_denied(text, json_object.start, json_object.end):
        return []
    value, level = json_object.value[KEY], 1
    inner = unwrap(value)
    if inner is not value:
        value, level = inner, 3
    fitted = None if value is None else fit(value, form)
    if fitted is not None:
        value, level = fitted.value, level if fitted.is_exact else 3
    stated = [_Stated(_as_json(value), level)]
    other = find_other(text, json_object.end)
    return stated if other is None else [*stated, _Stated(_as_json(other.value), 3)]


def _weigh(statements: Sequence[Statement], level: int) -> list[_Stated]:
    return [
        _Stated(_as_json(each.value), level if each.is_exact else 3)
        for each in statements
        if not each.is_denied
    ]


def _decide(stated: Sequence[_Stated], rule: str | None) -> Answer | None:
    """Return the one answer of all that is stated; None where there are none or two, `null` being one."""
    answers = {each.answer for each in stated}
    if len(answers) != 1 or None in answers:
        return None
    (answer,) = answers
    assert answer is not None
    return Answer(answer, rule, min(each.level for each in stated))


def _rule_of(objects: Sequence[FoundObject], text: str) -> str | None:
    if objects:
        rule = objects[-1].value.get("rule")
    else:
        place = max(text.rfind('"rule":'), text.rfind("'rule':"))
        found = read_value(text, place + len('"rule":')) if place >= 0 else None
        rule = None if found is None else found.value
    return rule.encode(errors="replace").decode()[:_RULE_CHARACTERS] if isinstance(rule, str) else None


def _as_json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def _blank(text: str, objects: Sequence[FoundObject]) -> str:
    """Return the text with blanks in place of the objects, so that places stay."""
    parts, place = [], 0
    for each in objects:
        parts += [text[place : each.start], " " * (each.end - each.start)]
        place = each.end
    return "".join([*parts, text[place:]])
