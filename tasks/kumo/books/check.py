"""Check a knowledge book symbolically: what its text says against what its instance needs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from perennial.schemas.errors import shorten
from perennial.schemas.kumo.things import BookVerdict, Instance, Rule
from perennial.tasks.kumo.books.reading import read_book
from perennial.tasks.kumo.books.rules import closed_ends, describe_rule

_Statement = tuple[str, str | Rule, bool | None]


def check_book(text: str, instance: Instance, rules: Sequence[Rule]) -> BookVerdict:
    """Return how the book's truths, actions and rules differ from the instance's.

    Whether a range includes its upper end is part of a rule. A rule said twice is extra once, and so is
    every line of the book that makes no sense.
    """
    contents = read_book(text)
    said = Counter(_statements(contents.truths, contents.actions, contents.rules, contents.closed))
    wanted = Counter(_statements(instance.truths, instance.actions, rules, closed_ends(rules)))
    unread = (f"not understood, {shorten(line, 200)}" for line in contents.unread)
    return BookVerdict(
        missing=tuple(_in_words(statement) for statement in (wanted - said).elements()),
        extra=(*(_in_words(statement) for statement in (said - wanted).elements()), *unread),
    )


def _statements(
    truths: Sequence[str], actions: Sequence[str], rules: Sequence[Rule], closed: Sequence[bool | None]
) -> Iterator[_Statement]:
    yield from (("truth", name, None) for name in truths)
    yield from (("action", name, None) for name in actions)
    yield from (("rule", rule, end) for rule, end in zip(rules, closed, strict=True))


def _in_words(statement: _Statement) -> str:
    kind, subject, closed = statement
    return describe_rule(subject, closed) if isinstance(subject, Rule) else f'{kind} "{subject}"'
