"""Numbers that outcomes show: of their precision, in their state, and true of the valid truth.

The checks read configurations and bundled sources on their own, with decimal arithmetic.
"""

import csv
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

import pytest

from perennial.schemas.kumo.things import (
    Instance,
    Outcome,
    OutcomeState,
    SeedConfig,
    Setting,
    observation_text,
)
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.self_test import SelfTest
from perennial.tasks.kumo.worlds import draw_world
from perennial.warehouse.kumo.domains.generate import FOLDER

SLUGS = sorted(path.parent.name for path in FOLDER.glob("*/config.json"))
WORLDS = 10  # one of each kind


@cache
def config_of(source: str | int) -> SeedConfig:
    if isinstance(source, int):
        return draw_world(7, source).config
    return parse_config((FOLDER / source / "config.json").read_text(encoding="utf-8"), source)


@cache
def facts_of(slug: str) -> dict[tuple[str, str], str]:
    """Return the cells of the facts by truth and action, read from the sources."""
    text = (FOLDER / slug / "actions.toml").read_text(encoding="utf-8")
    names = re.findall(r'^name = "(.*)"\nnote = .*\nattribute = "(\w+)"', text, re.MULTILINE)
    with (FOLDER / slug / "facts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["truth"], name): row[attribute] for row in rows for name, attribute in names}


def draw(config: SeedConfig, setting: Setting, count: int, seed: int) -> tuple[Instance, ...]:
    return sample_instances(encode_config(config), SamplingRequest(setting, count, seed)).instances


def numbers(config: SeedConfig, instances: Any) -> Iterator[tuple[Outcome, int, Decimal, Instance]]:
    """Yield outcome, state drawn, number as shown, and instance."""
    outcomes = {outcome.action: outcome for outcome in config.outcomes}
    for instance in instances:
        for action, state, shown in zip(
            instance.actions, instance.states, instance.observations, strict=True
        ):
            if not isinstance(shown, str):
                yield outcomes[action], state, Decimal(observation_text(shown)), instance


def falls_into(number: Decimal, outcome: Outcome) -> list[int]:
    """Return the states that a reader finds the number in: [low, high), and the end where no range starts."""
    ranges = [(Decimal(repr(state.low)), Decimal(repr(state.high))) for state in outcome.states]
    return [
        place
        for place, (low, high) in enumerate(ranges)
        if low <= number < high or (number == high and high not in [start for start, _ in ranges])
    ]


def has_precision(number: Decimal, outcome: Outcome) -> bool:
    if outcome.step is not None:
        return number % Decimal(repr(outcome.step)) == 0
    digits = number.normalize().as_tuple().digits
    return outcome.digits is not None and len(digits) <= outcome.digits


def check(source: str | int, count: int, seed: int) -> int:
    config, checked = config_of(source), 0
    finer = 0
    for outcome, state, number, instance in numbers(config, draw(config, Setting(12, 16), count, seed)):
        assert falls_into(number, outcome) == [state], (outcome.action, number)
        checked += 1
        if outcome.step is not None or isinstance(source, int):
            assert has_precision(number, outcome), (outcome.action, number)
        else:
            finer += not has_precision(number, outcome)
        cell = facts_of(source)[instance.valid_truths[0], outcome.action] if isinstance(source, str) else ""
        if cell:
            low, _, high = cell.partition("..")
            assert Decimal(low) <= number <= Decimal(high or low), (outcome.action, instance.valid_truths)
    # A cell narrower than the digits (a density of 1.1056) is shown with more of them.
    assert finer <= 0.05 * checked
    return checked


# A fault of rounding may be as rare as one number in ten thousand.
@pytest.mark.parametrize(("count", "least"), [(40, 50), pytest.param(1_000, 3_500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", [*SLUGS, *range(WORLDS)])
def test_a_number_is_of_its_precision_in_its_state_and_in_the_cell_of_the_valid_truth(
    source: str | int, count: int, least: int
) -> None:
    assert check(source, count, count) > least


@pytest.mark.parametrize("slug", SLUGS)
def test_counts_and_years_are_shown_without_a_point(slug: str) -> None:
    config = config_of(slug)
    counts = {outcome.action for outcome in config.outcomes if outcome.step in (1, 10)}
    years = {outcome.action for outcome in config.outcomes if outcome.unit == "years CE"}
    assert years <= counts
    drawn = numbers(config, draw(config, Setting(4, 6), 60, 3))
    shown = {str(number) for outcome, _, number, _ in drawn if outcome.action in counts}
    assert [text for text in shown if not re.fullmatch(r"-?\d+", text)] == []


def small_config(step: float | None, digits: int | None, cells: Any) -> SeedConfig:
    """Four truths, each ruled out by a look of its own: light rules out `c`, and heavy `a` and `b`."""
    low = OutcomeState(None, 0.0, 10.0, ("c",))
    high = OutcomeState(None, 10.0, 20.0, ("a", "b"))
    looks = tuple(
        Outcome(
            f"look {truth}",
            "str",
            (OutcomeState("yes", None, None, (truth,)), OutcomeState("no", None, None, ())),
        )
        for truth in "abcd"
    )
    weighing = Outcome("weigh", "float", (low, high), "kg", step, digits, cells)
    return SeedConfig("Small", tuple("abcd"), ("weigh", *(look.action for look in looks)), (weighing, *looks))


def weights(config: SeedConfig, setting: Setting) -> set[tuple[str, float]]:
    """Return the valid truths (joined) and the weight shown, of all instances by many seeds."""
    found = set()
    encoded = encode_config(config)
    for seed in range(40):
        request = SamplingRequest(setting, 8, seed, 0.0)
        instances = sample_instances(encoded, request).instances
        for _, _, number, instance in numbers(config, instances):
            found.add(("".join(sorted(instance.valid_truths)), float(number)))
    return found


def test_a_truth_without_a_cell_is_shown_a_number_of_another_truth() -> None:
    cells = (("a", 3.0, 4.0), ("b", 6.0, 6.0), ("c", 12.0, 13.0))
    shown = weights(small_config(1, None, cells), Setting(3, 4))
    assert {number for valid, number in shown if valid == "a"} <= {3, 4}
    assert {number for valid, number in shown if valid == "b"} <= {6}
    assert {number for valid, number in shown if valid == "d"} == {3, 4, 6, 12, 13}


def test_without_any_cell_the_number_is_any_of_the_range() -> None:
    shown = weights(small_config(2.5, None, ()), Setting(3, 4))
    assert {number for _, number in shown} == {0, 2.5, 5, 7.5, 10, 12.5, 15, 17.5, 20}


def test_without_a_precision_numbers_are_continuous() -> None:
    shown = weights(small_config(None, None, (("a", 3.0, 4.0),)), Setting(3, 4))
    assert len({number for _, number in shown}) > 30


def test_several_valid_truths_are_shown_what_their_cells_share() -> None:
    cells = (("a", 1.0, 4.0), ("b", 3.0, 8.0), ("d", 9.0, 19.0))
    shown = weights(small_config(1, None, cells), Setting(4, 5, 2))
    assert {number for valid, number in shown if valid == "ab"} <= {3, 4}
    assert all(9 <= number <= 19 for valid, number in shown if valid == "d")


def test_a_cell_finer_than_its_digits_is_shown_with_more_of_them() -> None:
    shown = weights(small_config(None, 2, (("a", 3.456, 3.458),)), Setting(3, 4))
    assert {number for valid, number in shown if valid == "a"} <= {3.456, 3.457, 3.458}


@pytest.mark.parametrize("source", ["battle_identification", 0])
def test_the_self_test_reads_each_number_out_of_the_message_that_shows_it(source: str | int) -> None:
    config = config_of(source)
    test = SelfTest(encode_config(config))
    found = [test.board(instance) for instance in islice(draw(config, Setting(4, 6), 30, 9), 30)]
    assert [problem for problem in found if isinstance(problem, str)] == []
