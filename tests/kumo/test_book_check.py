import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perennial.tasks.kumo.book_reading import read_book
from perennial.tasks.kumo.books import check_book, write_book
from tests.kumo.small_worlds import read_released_worlds
from tests.kumo.test_books import CLINIC, write

BOOK = write(CLINIC)


def verdict(text, world=CLINIC):
    return check_book(text, world.instance, world.rules)


def line_of(fragment):
    (line,) = [line for line in BOOK.splitlines(keepends=True) if fragment in line]
    return line


def test_a_missing_rule_is_told_in_words():
    found = verdict(BOOK.replace(line_of('"clear"'), ""))
    assert found.missing == ('action "Swab": "clear" rules out "Cold", "Flu"',)
    assert found.extra == ()
    assert not found.passed


def test_a_changed_bound_is_missing_and_extra():
    found = verdict(BOOK.replace("42", "41.9"))
    assert found.missing == ('action "Thermometer": 37.5 (included) to 42.0 (included) rules out "Cold"',)
    assert found.extra == ('action "Thermometer": 37.5 (included) to 41.9 (included) rules out "Cold"',)


def test_a_rule_said_twice_is_extra():
    line = line_of('"red"')
    assert verdict(BOOK.replace(line, line * 2)).extra == ('action "Swab": "red" rules out nothing',)


def test_a_line_without_sense_is_extra():
    found = verdict(BOOK + "\n- The swab may also show other things.\n")
    assert found.missing == ()
    (extra,) = found.extra
    assert extra.startswith("not understood, line ")
    assert extra.endswith("- The swab may also show other things.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- **Flu**: A viral infection.\n", ""),
        ("- **Flu**:", "- **Influenza**:"),
        ("- **Flu**:", "- **Gout**: a disease.\n- **Flu**:"),
        ("### Swab", "### Swabs"),
        ("### Swab\n", ""),
        ("## Diagnostic tests\n", ""),
        ("## Diseases", "If a thing is seen, rule out **Flu**.\n\n## Diseases\n\n## Others"),
        ('"clear"', '"Clear"'),
        ('"clear"', "clear"),
        ("**Cold** and **Flu**", "**Cold** or **Flu**"),
        ("**Cold** and **Flu**", "**Cold**"),
        ("**Cold** and **Flu**", "**Cold**, **Cold** and **Flu**"),
        ("A look at the throat.", 'A look at the throat.\n\nAlso, "green" rules out **Flu**.'),
        ("A look at the throat.", 'A look at the throat.\n\n  - "green" rules out **Flu**.'),
        ("The goal of", 'If the outcome is "x", rule out **Flu**.\n\nThe goal of'),
        ("The goal of", "# **Flu** never holds\n\nThe goal of"),
        ("42", "42 or more"),
        ("35", "nan"),
    ],
)
def test_changed_books_fail(old, new):
    assert old in BOOK
    assert not verdict(BOOK.replace(old, new)).passed


def test_the_swapped_ends_of_shared_bounds_fail():
    opened = BOOK.replace("at least 35 and less than", "at least 35 and at most")
    opened = opened.replace("(lower end included, upper end excluded)", "(both ends included)")
    assert opened != BOOK
    assert not verdict(opened).passed


PIECES = ["\n", "- ", "# ", "## X\n", "### ", "**", "**: ", "If the outcome is ", '"', ", rule out ", "."]
PIECES += ["When ", " is observed, ", " is ruled out.", "nothing", "at least 1", " and less than ", "1e999"]
PIECES += [
    "a value from ",
    " (included) to ",
    "-0.5",
    " (excluded)",
    " mg",
    "A",
    " and ",
    ", ",
    "\r",
    "\u2028",
]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("")
@example('## a\n## b\n### c\n- If the outcome is ", rule out nothing.')
def test_any_text_is_read_and_none_passes(text):
    contents = read_book(text)
    assert len(contents.rules) == len(contents.closed)
    assert not verdict(text).passed


@pytest.mark.parametrize(
    "line",
    [
        '- If the outcome is "' + '", rule out **' * 300_000 + ".",
        "- If the outcome is at least " + "1" * 3_000_000 + "x, rule out **a**.",
        '- If the outcome is "a", rule out ' + "**a*" * 800_000 + ".",
        '- If the outcome is "a", rule out **' + "**, **" * 600_000 + "**.",
    ],
)
def test_long_lines_are_read(line):
    # In quadratic time this would take hours.
    assert not verdict(f"## a\n\n## b\n\n### c\n\n{line}\n").passed


@pytest.mark.parametrize("domain", ["MathematicalEnv", "MedicalEnv", "MusicEnv", "RelicEnv", "FishEnv"])
def test_books_of_released_instances_pass(release, domain):
    for number, world in enumerate(read_released_worlds(release, domain, "4")):
        text = write_book(world.config, world.instance, world.rules, random.Random(number))
        assert verdict(text, world).passed
