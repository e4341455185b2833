"""Books by the template: what a person needs is in them, read back as it was written, and checked."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import BookRule, Instance, Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.book_reading import read_book
from perennial.tasks.kumo.books import check_book, closed_ends, rules_of, write_book
from perennial.tasks.kumo.encoding import encode_config
from tests.kumo.small_worlds import World, bounds, read_released_worlds, some, world_of, worlds

CONFIG = SeedConfig(
    name="Clinic",
    truths=("Flu", "Cold", "Gout"),
    actions=("Swab", "Thermometer"),
    outcomes=(
        Outcome(
            "Swab",
            "str",
            (OutcomeState("clear", None, None, ("Flu", "Cold")), OutcomeState("red", None, None, ("Gout",))),
        ),
        Outcome(
            "Thermometer",
            "float",
            (OutcomeState(None, 35.0, 37.5, ("Flu",)), OutcomeState(None, 37.5, 42.0, ("Gout", "Cold"))),
            "°C",
        ),
    ),
    goal="Find the disease",
    truth_noun="disease",
    action_noun="diagnostic test",
    book_title="The Clinic's Guidebook",
    truth_notes={"Flu": "A viral infection"},
    action_notes={"Swab": "A look at the throat"},
)
INSTANCE = Instance(("Cold", "Flu"), ("Thermometer", "Swab"), (0, 1), (36.2, "red"), ("Cold",), 0, 0)
CLINIC = world_of(CONFIG, INSTANCE)


def write(world: World, seed: int = 0) -> str:
    return write_book(world.config, world.instance, world.rules, random.Random(seed))


def test_rules_are_restricted_to_the_instance():
    assert CLINIC.rules == (
        BookRule("Thermometer", None, 35.0, 37.5, frozenset({"Flu"})),
        BookRule("Thermometer", None, 37.5, 42.0, frozenset({"Cold"})),
        BookRule("Swab", "clear", None, None, frozenset({"Flu", "Cold"})),
        BookRule("Swab", "red", None, None, frozenset()),
    )


def test_rules_of_a_foreign_instance_are_refused():
    foreign = Instance(("Flu",), ("X-ray",), (0,), ("clear",), ("Flu",), 0, 0)
    with pytest.raises(UnreadableInput, match=r"action 'X-ray' .* domain 'Clinic'"):
        rules_of(encode_config(CONFIG), foreign)


@pytest.mark.parametrize("seed", range(6))
def test_a_book_says_what_a_person_needs(seed):
    text = write(CLINIC, seed)
    lines = text.splitlines()
    assert lines[0] == "# The Clinic's Guidebook"
    assert lines[2] == "The goal of this guidebook: Find the disease."
    assert "confirm" in text
    assert [line for line in lines if line.startswith("#")][1:] == [
        "## Diseases",
        "## Diagnostic tests",
        "### Thermometer",
        "### Swab",
    ]
    assert "- **Flu**: A viral infection." in lines
    assert "A look at the throat." in lines
    (shared_end,) = [line for line in lines if line.startswith("- ") and "35" in line]
    (last,) = [line for line in lines if line.startswith("- ") and "42" in line]
    assert (
        "less than 37.5 °C" in shared_end or "37.5 °C (lower end included, upper end excluded)" in shared_end
    )
    assert "at most 42 °C" in last or "42 °C (both ends included)" in last
    (idle,) = [line for line in lines if '"red"' in line]
    assert "nothing" in idle
    assert text.endswith(".\n")
    assert "\n\n\n" not in text


def test_phrasings_are_drawn_and_reproducible():
    texts = {write(CLINIC, seed) for seed in range(30)}
    assert len(texts) > 20
    assert write(CLINIC, 3) == write(CLINIC, 3)
    openings = {line.split('"')[0] for text in texts for line in text.splitlines() if '"clear"' in line}
    assert openings == {"- If the outcome is ", "- When ", "- Observing ", "- An outcome of "}


@pytest.mark.slow
@some
@given(worlds(), st.integers(0, 3))
def test_what_was_written_is_read_back(world, seed):
    contents = read_book(write(world, seed))
    assert contents.unread == ()
    assert contents.truths == world.instance.truths
    assert contents.actions == world.instance.actions
    assert contents.rules == world.rules
    assert contents.closed == closed_ends(world.rules)


@given(low=bounds, width=st.floats(5e-324, 1e300), seed=st.integers(0, 7))
def test_numbers_come_back_exactly(low, width, seed):
    high = low + width
    rules = (BookRule("Swab", None, low, high, frozenset()), BookRule("Swab", None, high, 1e308, frozenset()))
    instance = Instance(("Flu",), ("Swab",), (0,), (low,), ("Flu",), 0, 0)
    read = read_book(write_book(CONFIG, instance, rules, random.Random(seed)))
    assert [(rule.low, rule.high) for rule in read.rules] == [(low, high), (high, 1e308)]


@pytest.mark.slow
@some
@given(worlds(), st.data())
def test_a_value_belongs_to_the_state_that_the_words_give_it(world, data):
    contents = read_book(write(world))
    for action in world.instance.actions:
        outcome = world.encoded_config.outcomes[world.encoded_config.action_index[action]]
        ends = [end for s in outcome.states if s.is_range for end in (s.low, s.high)]
        if not ends:
            continue
        value = data.draw(st.sampled_from(ends) | st.floats(min(ends) - 1, max(ends) + 1))
        held = [
            rule.low <= value and (value < rule.high or (closed and value == rule.high))
            for rule, closed in zip(contents.rules, contents.closed, strict=True)
            if rule.action == action
        ]
        state = outcome.state_of(value)
        assert [i for i, inside in enumerate(held) if inside] == ([] if state is None else [state])


def test_a_range_ends_open_only_where_another_one_holds_the_end():
    pairs = [(0.0, 5.0), (5.0, 9.0), (10.0, 12.0), (3.0, 5.0), (11.0, 12.0)]
    rules = [BookRule("A", None, low, high, frozenset()) for low, high in pairs]
    rules += [BookRule("B", None, 9.0, 20.0, frozenset()), BookRule("A", "x", None, None, frozenset())]
    assert closed_ends(rules) == (False, True, True, False, True, True, None)


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
