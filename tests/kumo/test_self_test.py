"""The grader's self-test passes what is right, and names each thing that is broken."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import Instance, Outcome, OutcomeState, SeedConfig, Setting
from perennial.tasks.kumo.authors.read_back import ReadBackForm, parse_read_back
from perennial.tasks.kumo.books import closed_ends, rules_of, write_book
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import can_differ
from perennial.tasks.kumo.self_test import SelfTest, SoundInstance
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.kumo.plain_optimum import PlainOptimum
from tests.kumo.saying import changed, ends, one_action, read_back
from tests.kumo.small_worlds import World, some, worlds
from tests.kumo.test_books import CLINIC, INSTANCE
from tests.kumo.test_optimum import small_enough
from tests.server.book_text import read_back_of


def board_of(world: World) -> SoundInstance:
    board = SelfTest(world.encoded_config).board(world.instance)
    assert isinstance(board, SoundInstance), board
    return board


def book_of(world: World) -> str:
    return write_book(world.config, world.instance, world.rules, random.Random(0))


@pytest.mark.slow
@some
@given(worlds() | worlds(n_valid=2))
def test_a_sound_instance_with_its_book_passes(world: World) -> None:
    test = SelfTest(world.encoded_config)
    board = test.board(world.instance)
    assert isinstance(board, SoundInstance), board
    assert set(board.left) == set(world.instance.valid_truths)
    assert test.find_misgrading(board) is None
    assert test.find_reader_failure(board, book_of(world)) is None


@pytest.mark.parametrize("setting", ["easy", "hard", "5x7v2"])
@pytest.mark.slow
def test_every_sampled_instance_of_the_bundled_domains_passes(setting: str) -> None:
    for name in bundled_domains():
        encoded = encode_config(load_bundled(name))
        test = SelfTest(encoded)
        for instance in sample_instances(encoded, SamplingRequest(Setting.parse(setting), 2, 3)).instances:
            board = test.board(instance)
            assert isinstance(board, SoundInstance), board
            book = write_book(encoded.config, instance, rules_of(encoded, instance), random.Random(1))
            assert test.find_misgrading(board) is None
            assert test.find_reader_failure(board, book) is None
            said = parse_read_back(json.dumps(read_back_of(book)))
            assert test.find_rules_failure(board, said) is None


BROKEN: list[tuple[Callable[[Instance], Instance], str]] = [
    (lambda i: replace(i, observations=(38.0, "red")), r"'Thermometer' shows 38\.0.* states \[1\].*state 0"),
    (lambda i: replace(i, observations=(34.0, "red")), r"shows 34\.0, which falls into the states \[\]"),
    (
        lambda i: replace(i, observations=(36.2, "clear")),
        r"action 'Swab' shows 'clear'.* states \[0\].*state 1",
    ),
    (lambda i: replace(i, observations=("red", 36.2)), r"'Thermometer' shows 'red'.* states \[\]"),
    (lambda i: replace(i, states=(1, 1)), r"'Thermometer' shows 36\.2.* states \[0\].*state 1"),
    (lambda i: replace(i, valid_truths=("Flu",)), r"leave 'Cold', and the valid truths are said to be 'Flu'"),
    (lambda i: replace(i, valid_truths=("Cold", "Flu")), r"leave 'Cold', .* said to be 'Cold', 'Flu'"),
    (lambda i: replace(i, valid_truths=()), r"said to be none"),
    (lambda i: replace(i, truths=("Flu",), valid_truths=()), r"leave no truth"),
    (lambda i: replace(i, truths=("Cold", "Plague")), r"truth 'Plague' is not in domain 'Clinic'"),
    (lambda i: replace(i, actions=("Thermometer", "X-ray")), r"action 'X-ray' is not in domain 'Clinic'"),
    (lambda i: replace(i, truths=("Cold", "Cold")), r"a truth is listed twice"),
    (lambda i: replace(i, states=(0,)), r"2 actions, 1 states and 2 observations"),
]


@pytest.mark.parametrize(("break_it", "told"), BROKEN)
def test_broken_observations_are_named(break_it: Callable[[Instance], Instance], told: str) -> None:
    problem = SelfTest(CLINIC.encoded_config).board(break_it(INSTANCE))
    assert isinstance(problem, str)
    assert re.search(told, problem), problem


def test_a_shared_end_point_belongs_to_the_range_above_and_the_last_one_is_closed() -> None:
    test = SelfTest(CLINIC.encoded_config)
    above = replace(INSTANCE, observations=(37.5, "red"), states=(1, 1), valid_truths=("Flu",))
    assert isinstance(test.board(above), SoundInstance)
    assert isinstance(test.board(replace(above, observations=(42.0, "red"))), SoundInstance)
    assert "states [1]" in str(test.board(replace(INSTANCE, observations=(37.5, "red"))))


def test_a_wrong_grader_is_named() -> None:
    test, board = SelfTest(CLINIC.encoded_config), board_of(CLINIC)
    other = encode_instance(CLINIC.encoded_config, replace(INSTANCE, states=(1, 1)))
    assert test.find_misgrading(replace(board, encoded=other)) == (
        "naming truth 'Cold' was read as truth 'Cold' and graded wrong, expected solved"
    )
    assert "naming truth 'Flu'" in str(test.find_misgrading(replace(board, left=("Cold", "Flu"))))


def test_a_truth_that_the_parser_takes_for_something_else_is_named() -> None:
    states = (OutcomeState("yes", None, None, ("Swab",)), OutcomeState("no", None, None, ()))
    config = SeedConfig("Twice", ("Swab", "Flu"), ("Swab",), (Outcome("Swab", "str", states),))
    encoded = encode_config(config)
    instance = Instance(("Swab", "Flu"), ("Swab",), (0,), ("yes",), ("Flu",), 0, 0)
    board = SelfTest(encoded).board(instance)
    assert isinstance(board, SoundInstance)
    problem = SelfTest(encoded).find_misgrading(board)
    assert problem is not None
    assert problem.startswith("naming truth 'Swab' was read as action 'Swab'")


def test_a_book_with_a_wrong_rule_is_not_solved() -> None:
    test, board = SelfTest(CLINIC.encoded_config), board_of(CLINIC)
    right = book_of(CLINIC)
    assert test.find_reader_failure(board, right) is None
    told = test.find_reader_failure(board, right.replace("37.5", "36.1"))
    assert told == "the reader named 'Flu' after 1 tests, graded wrong; the truths left are 'Cold'"
    # Naming the first truth wins here: by luck, which does not count.
    told = test.find_reader_failure(board, "")
    assert (
        told == "after all observations the reader holds possible 'Cold', 'Flu'; the truths left are 'Cold'"
    )
    # A rule of an outcome that is not observed.

    told = test.find_reader_failure(board, right.replace('"clear"', '"cleared"'))
    assert told is not None
    assert told.startswith('the book lacks action "Swab": "clear" rules out "Cold", "Flu"')


def say(world: World) -> ReadBackForm:
    """What a model would say that the book says, in its own letters and piece by piece."""
    return read_back(
        one_action(
            rule.action.swapcase(),
            None if rule.label is None else rule.label.upper(),
            None if rule.low is None else ends(rule.low, rule.high, True, closed),
            [name.lower()],
        )
        for rule, closed in zip(world.rules, closed_ends(world.rules), strict=True)
        for name in sorted(rule.rules_out)
    )


def test_what_a_model_read_out_of_a_book_is_played() -> None:
    test, board = SelfTest(CLINIC.encoded_config), board_of(CLINIC)
    entries = say(CLINIC).actions
    assert test.find_rules_failure(board, read_back(entries)) is None
    wrong = [changed(one, rules_out=["cold"]) for one in entries]
    for bad in (wrong, [], entries[1:]):
        assert str(test.find_rules_failure(board, read_back(bad))).startswith(
            "what was read differs from the rules: action"
        )


def test_names_that_the_template_cannot_say_leave_the_comparison_as_the_check() -> None:
    states = tuple(OutcomeState(label, None, None, (name,)) for label, name in (("1", "**"), ("2", "b")))
    config = SeedConfig("Stars", ("**", "b"), ("a",), (Outcome("a", "str", states),))
    test = SelfTest(encode_config(config))
    board = test.board(Instance(("**", "b"), ("a",), (0,), ("1",), ("b",), 0, 0))
    assert isinstance(board, SoundInstance)
    said = [one_action("a", state.label, None, state.rules_out) for state in states]
    assert test.find_rules_failure(board, read_back(said)) is None
    assert test.find_rules_failure(board, read_back(said[:1])) is not None


@pytest.mark.slow
@some
@given(worlds(n_valid=2))
def test_with_several_valid_truths_an_unrelated_one_needs_no_test(world: World) -> None:
    related = {name for rule in world.rules for name in rule.rules_out}
    if not related.issuperset(world.instance.truths):
        assert not can_differ(world.encoded)
    if small_enough(world.encoded):
        assert can_differ(world.encoded) != bool(PlainOptimum(world.encoded).sure(frozenset()))


def test_the_promise_may_decide_although_every_truth_is_related_to_an_action() -> None:
    # Whatever the one action shows, truth 0 or truth 1 with 2 is left: only truth 0 can be alone.
    decided = EncodedInstance(3, ((0b110, 0b001),), (0,), valid=1)
    assert not can_differ(decided)
    assert can_differ(EncodedInstance(2, ((0b10, 0b01),), (0,), valid=1))
    assert not can_differ(EncodedInstance(2, ((0b10, 0b00),), (0,), valid=1))
