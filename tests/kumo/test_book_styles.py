"""The styles of the template's books: what each says, and that all are read back exactly."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import BOOK_STYLES, PLAIN, BookStyle, Setting
from perennial.tasks.kumo.book_reading import quote_rule, read_book
from perennial.tasks.kumo.books import check_book, write_book
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.kumo.small_worlds import World, world_of, worlds
from tests.kumo.test_books import CLINIC


def write(world: World, style: BookStyle, seed: int = 0) -> str:
    return write_book(world.config, world.instance, world.rules, random.Random(seed), style)


def body(style: BookStyle, seed: int = 0) -> str:
    """Return what stands after the title and the premises of the clinic's book."""
    text = write(CLINIC, style, seed)
    return text[text.index("## Diagnostic tests") :]


@pytest.fixture(scope="module")
def bundled() -> list[World]:
    """A hard instance of each bundled domain."""
    request, found = SamplingRequest(Setting.parse("hard"), 1, 0, 1.0), []
    for name in bundled_domains():
        encoded = encode_config(load_bundled(name))
        found.append(world_of(encoded.config, sample_instances(encoded, request).instances[0]))
    return found


@pytest.mark.parametrize("style", BOOK_STYLES)
def test_books_of_the_bundled_domains_are_read_back_exactly_in_every_style(
    bundled: list[World], style: BookStyle
) -> None:
    for number, world in enumerate(bundled):
        verdict = check_book(write(world, style, number), world.instance, world.rules)
        assert verdict.passed, (world.config.name, verdict)


@settings(max_examples=80)
@given(style=st.sampled_from(BOOK_STYLES), world=worlds(), seed=st.integers(0, 9), data=st.data())
@pytest.mark.slow
def test_a_book_of_other_rules_never_passes(
    style: BookStyle, world: World, seed: int, data: st.DataObject
) -> None:
    """Whatever the names: a style that cannot hold them fails the check, and never says another rule."""
    place = data.draw(st.integers(0, len(world.rules) - 1))
    rule = world.rules[place]
    truth = data.draw(st.sampled_from(world.instance.truths))
    changed = replace(rule, rules_out=rule.rules_out ^ {truth})
    rules = (*world.rules[:place], changed, *world.rules[place + 1 :])
    other = write_book(world.config, world.instance, rules, random.Random(seed), style)
    assert not check_book(other, world.instance, world.rules).passed


@pytest.mark.parametrize("style", BOOK_STYLES)
@pytest.mark.slow
def test_no_line_can_be_left_out_said_twice_or_changed(bundled: list[World], style: BookStyle) -> None:
    world = bundled[1]
    lines = write(world, style).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("### "))
    said = [
        place
        for place, line in enumerate(lines)
        if place > first and line.startswith(("- ", "| ", "If the", "When ", "An outcome", "Observing "))
    ]
    optional = ("says nothing about", "No outcome of this", " possible outcomes.")
    changed = 0
    for place in said:
        line = lines[place]
        if line.startswith("| --- ") or (lines[place + 1 : place + 2] == ["| --- | --- |"]):
            continue
        others = [[*lines[:place], *lines[place + 1 :]], [*lines[:place], line, *lines[place:]]]
        others = [] if any(words in line for words in optional) else others
        for old, new in (
            ("rule out", "rules out"),
            ("**", "*"),
            ("at least", "at most"),
            ('"', "'"),
            (".", "!"),
        ):
            if old in line:
                others.append([*lines[:place], line.replace(old, new, 1), *lines[place + 1 :]])
        for other in others:
            verdict = check_book("\n".join(other), world.instance, world.rules)
            assert not verdict.passed or other == lines, (line, other[place])
            changed += 1
    assert changed > 20


def test_each_style_has_its_form() -> None:
    assert "- If the outcome is" in body("cross-references")
    assert "| --- | --- |\n" in body("table")
    assert "**Cold** is ruled out by **" in body("by-truth")
    assert "\n- **Swab**: " in body("scattered")
    assert "says nothing about" in "".join(body("distractors", seed) for seed in range(5))
    assert " ruled out when the outcome is " in "".join(body("passive", seed) for seed in range(5))
    prose = [line for line in body("prose").splitlines() if '"clear"' in line]
    assert len(prose) == 1
    assert '"red"' in prose[0]
    for style in BOOK_STYLES:
        assert "\n\n\n" not in write(CLINIC, style)
        assert write(CLINIC, style, 3) == write(CLINIC, style, 3)


def test_a_reference_says_what_comes_to_it_and_what_does_not(bundled: list[World]) -> None:
    text = "".join(write(world, "cross-references") for world in bundled)
    assert " above when it shows " in text
    assert " as well." in text
    assert ", but not **" in text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('- An outcome of "clear" says nothing about **Flu**.', "it rules Flu out"),
        ('- An outcome of "blue" says nothing about **Flu**.', "there is no such outcome"),
        ('- An outcome of "red" says nothing about **Gout**.', "there is no such truth"),
        ("- No outcome of this diagnostic test rules out **Flu**.", "one outcome rules Flu out"),
        ("- This diagnostic test has 3 possible outcomes.", "it has two"),
        (
            '- If the outcome is "mauve", rule out the same as with **Lamp** above when it shows "on".',
            "no lamp",
        ),
    ],
)
def test_a_false_sentence_fails_the_check(line: str, why: str) -> None:
    text = write(CLINIC, PLAIN)
    assert text.rstrip().splitlines()[-1].startswith("- "), "the swab's outcomes are the last lines"
    verdict = check_book(f"{text}{line}\n", CLINIC.instance, CLINIC.rules)
    assert not verdict.passed, why
    assert any(line in extra for extra in verdict.extra)


def test_a_claim_that_holds_is_read_and_counts_for_nothing() -> None:
    text = write(CLINIC, PLAIN)
    claims = (
        "- No outcome of this diagnostic test rules out **Cold**.",
        "- This diagnostic test has 2 possible outcomes.",
    )
    for claim in claims[1:]:
        assert check_book(f"{text}{claim}\n", CLINIC.instance, CLINIC.rules).passed
    assert not check_book(f"{text}{claims[0]}\n", CLINIC.instance, CLINIC.rules).passed


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("galls", "less than 1 gall"),
        ("ms", "less than 1 ms"),
        ("s", "less than 1 s"),
        ("mass", "less than 1 mass"),
    ],
)
def test_a_range_up_to_one_has_its_unit_in_the_singular_and_is_read_back(unit: str, wanted: str) -> None:
    first = replace(CLINIC.rules[0], low=0.0, high=1.0)
    second = replace(CLINIC.rules[1], low=1.0, high=4.0)
    outcomes = (CLINIC.config.outcomes[0], replace(CLINIC.config.outcomes[1], unit=unit))
    rules = (first, second, *CLINIC.rules[2:])
    config = replace(CLINIC.config, outcomes=outcomes)
    for style in BOOK_STYLES:
        texts = [write_book(config, CLINIC.instance, rules, random.Random(seed), style) for seed in range(6)]
        assert all(check_book(text, CLINIC.instance, rules).passed for text in texts), style
    assert any(wanted in text for text in texts)


def test_orders_are_drawn_but_in_the_plain_style() -> None:
    rng = derive_rng(0, "orders", 0)
    heads = {
        style: {
            tuple(
                line for line in write(CLINIC, style, rng.randrange(999)).splitlines() if line[:4] == "### "
            )
            for _ in range(12)
        }
        for style in ("list", "table")
    }
    assert len(heads["list"]) == 1
    assert len(heads["table"]) == 2


@pytest.mark.parametrize("style", BOOK_STYLES)
@pytest.mark.slow
def test_each_rule_that_strikes_a_truth_is_quoted_with_what_it_strikes(
    bundled: list[World], style: BookStyle
) -> None:
    for world in bundled[::4]:
        text = write(world, style)
        for rule in read_book(text).rules:
            quoted = quote_rule(text, rule)
            assert quoted or not rule.rules_out, (style, rule)
            if style != "cross-references":
                assert all(truth in quoted for truth in rule.rules_out), (style, quoted)
            assert "**" not in quoted
