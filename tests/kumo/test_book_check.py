import random
import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from perennial.tasks.kumo.book_reading import read_book
from perennial.tasks.kumo.books import check_book, write_book
from tests.kumo.small_worlds import read_released_worlds, unhurried, worlds
from tests.kumo.test_books import CLINIC, write

BOOK = write(CLINIC)


def verdict(text, world=CLINIC):
    return check_book(text, world.instance, world.rules)


def line_of(fragment):
    (line,) = [line for line in BOOK.splitlines(keepends=True) if fragment in line]
    return line


@pytest.mark.slow
@unhurried
@given(worlds(), st.integers(0, 2**32))
def test_every_written_book_passes(world, seed):
    text = write_book(world.config, world.instance, world.rules, random.Random(seed))
    assert verdict(text, world) == verdict(text.replace("\n", "\r\n"), world)
    assert verdict(text, world).passed, verdict(text, world)


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


@st.composite
def mutations(draw):
    """A world, its book, and the book with one statement deleted, repeated, moved or changed."""
    world = draw(worlds())
    text = write_book(world.config, world.instance, world.rules, random.Random(draw(st.integers(0, 99))))
    lines = text.split("\n")
    stating = [i for i, line in enumerate(lines) if line.startswith(("- ", "### "))]
    index = draw(st.sampled_from(stating))
    line = lines[index]
    change = draw(st.sampled_from([_delete, _repeat, _rename, _relabel, _rebound, _other_end]))
    changed = change(draw, line)
    assume(changed is not None)
    return world, text, "\n".join(lines[:index] + changed + lines[index + 1 :])


def _delete(draw, line):
    return []


def _repeat(draw, line):
    return [line, line]


def _rename(draw, line):
    if line.startswith("### "):
        return [line + draw(st.sampled_from(["s", " (new)", "."]))]
    if re.match(r"- \*\*", line):
        return [line.replace("- **", "- **un", 1)]
    before, bold, after = line.partition(" **")
    return [before + bold + "un" + after] if bold else None


def _relabel(draw, line):
    return [line.replace(' "', ' "un', 1)] if re.match(r'- [A-Z][a-z ]+ "', line) else None


_BOUND = re.compile(r"(?:at least |at most |less than | from | to )(-?\d[\d.e+-]*)")


def _is_range(line):
    return re.match(r"- (If the outcome is|An outcome of) at least |- (When|Observing) a value", line)


def _rebound(draw, line):
    if not _is_range(line):
        return None
    bound = draw(st.sampled_from(list(_BOUND.finditer(line))[:2]))
    other = float(bound[1]) + draw(st.sampled_from([1.0, -0.25, 1e-3]))
    return [line[: bound.start(1)] + repr(other) + line[bound.end(1) :]]


def _other_end(draw, line):
    if not _is_range(line):
        return None
    pairs = [("at most", "less than"), ("both ends included", "lower end included, upper end excluded")]
    for one, other in pairs:
        for old, new in ((one, other), (other, one)):
            if old in line:
                return [line.replace(old, new, 1)]
    return None


@pytest.mark.slow
@settings(unhurried, max_examples=300)
@given(mutations())
def test_one_changed_statement_fails(mutation):
    world, text, mutated = mutation
    assert verdict(text, world).passed
    assert not verdict(mutated, world).passed


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


@unhurried
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
