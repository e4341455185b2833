"""Lines of instances, the release's and our own, are read or named; equal tasks have one content hash."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.flows.kumo.release.release_rows import read_release
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import Instance, Outcome, SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config, instance_id, parse_instances
from perennial.warehouse.kumo.release.layout import find_release
from perennial.warehouse.kumo.rows import shared_instance_row
from tests.kumo.small_worlds import World, some, worlds
from tests.kumo.tree_config import label, span
from tests.warehouse import tiny_edition
from tests.warehouse.release_tree import write_files

# The content hash of an instance says what is asked: equal exactly for the same task.


def content_hash(world: World, instance: Instance, setting: str = "easy") -> str:
    identity = instance_id(world.encoded_config, instance)
    row = shared_instance_row(instance, instance_id=identity, domain=world.config.name, setting=setting)
    assert row["instance_id"] == f"ki_{row['content_hash']}"
    return str(row["content_hash"])


def shuffle(instance: Instance, rng: random.Random) -> Instance:
    """Return the instance with truths and actions in another order."""
    places = rng.sample(range(len(instance.actions)), len(instance.actions))
    return replace(
        instance,
        truths=tuple(rng.sample(instance.truths, len(instance.truths))),
        actions=tuple(instance.actions[place] for place in places),
        states=tuple(instance.states[place] for place in places),
        observations=tuple(instance.observations[place] for place in places),
    )


@pytest.mark.slow
@some
@given(worlds(), st.randoms(use_true_random=False))
def test_neither_seed_nor_number_nor_order_changes_it(world: World, rng: random.Random) -> None:
    known = content_hash(world, world.instance)
    assert re.fullmatch("[0-9a-f]{32}", known)
    again = replace(shuffle(world.instance, rng), seed=world.instance.seed + 1, index=99)
    assert content_hash(world, again, setting="hard") == known


@pytest.mark.slow
@some
@given(worlds())
def test_another_state_another_truth_or_another_action_changes_it(world: World) -> None:
    instance = world.instance
    found = [content_hash(world, instance)]
    for place, action in enumerate(instance.actions):
        (outcome,) = [outcome for outcome in world.config.outcomes if outcome.action == action]
        for state in set(range(len(outcome.states))) - {instance.states[place]}:
            states = (*instance.states[:place], state, *instance.states[place + 1 :])
            found.append(content_hash(world, replace(instance, states=states)))
    for truth in set(world.config.truths) - set(instance.truths):
        found.append(content_hash(world, replace(instance, truths=(*instance.truths[:-1], truth))))
    fewer = replace(instance, actions=instance.actions[:-1], states=instance.states[:-1])
    found.append(content_hash(world, fewer))
    assert len(set(found)) == len(found)


def test_an_imported_instance_that_comes_twice_has_two_ids_and_one_content_hash(tmp_path: Path) -> None:
    config, instance = replace(tiny_edition.CONFIG, name="WeatherEnv"), tiny_edition.INSTANCE
    line = {
        "truths": instance.truths,
        "actions": instance.actions,
        "observations": dict(zip(instance.actions, instance.observations, strict=True)),
        "valid_truth": instance.valid_truths[0],
    }
    lines = "".join(json.dumps({**line, "seed": seed}) + "\n" for seed in (0, 1))
    files = {
        "domains/WeatherEnv.json": json.dumps(config.as_json()),
        "instances/WeatherEnv/truth_num=3+action_num=2+valid_truth_num=1.jsonl": lines,
    }
    rows = read_release(find_release(write_files(tmp_path, files)))
    assert rows.skipped == []
    first, second = rows.tables["instances"]
    assert first["instance_id"] != second["instance_id"]
    expected = instance_id(encode_config(config), instance).removeprefix("ki_")
    assert first["content_hash"] == second["content_hash"] == expected
    assert [finding.rule for finding in rows.findings if finding.stage == "import"] == ["duplicate-instance"]


CONFIG = SeedConfig(
    name="Metals",
    truths=("Iron", "Lead", "Zinc"),
    actions=("Colour", "Density", "Valence", "Rings"),
    outcomes=(
        Outcome("Colour", "str", (label("grey", "Lead"), label("blue", "Iron", "Zinc"))),
        Outcome("Density", "float", (span(7, 9, "Lead"), span(8, 12, "Iron"))),
        Outcome("Valence", "int", (label("2"), label("3", "Zinc"))),
        Outcome("Rings", "int", (span(0, 4, "Zinc"), span(5, 8, "Iron"))),
    ),
)
ENCODED = encode_config(CONFIG)
RELEASED: dict[str, Any] = {
    "truths": ["Lead", "Iron"],
    "actions": ["Density", "Colour"],
    "observations": {"Density": 8.5, "Colour": "grey"},
    "seed": 7,
    "valid_truth": "Iron",
}


def read(*records: Any) -> list[Instance]:
    return list(parse_instances((json.dumps(record) for record in records), ENCODED, "metals.jsonl"))


def test_a_released_line_gets_the_first_matching_states() -> None:
    expected = Instance(("Lead", "Iron"), ("Density", "Colour"), (0, 0), (8.5, "grey"), ("Iron",), 7, 0)
    assert read(RELEASED) == [expected]


def test_an_observation_outside_of_every_state_has_none() -> None:
    (instance,) = read(RELEASED | {"observations": {"Density": 3, "Colour": "red"}})
    assert (instance.states, instance.observations) == ((None, None), (3.0, "red"))


def test_numbers_as_labels_and_whole_ranges_become_text() -> None:
    (instance,) = read(
        RELEASED | {"actions": ["Valence", "Rings"], "observations": {"Rings": [5, 8], "Valence": 3}}
    )
    assert (instance.states, instance.observations) == ((1, 1), ("3", "[5, 8]"))


@pytest.mark.parametrize(
    "instance",
    [
        Instance(("Zinc", "Iron"), ("Density",), (1,), (8.5,), ("Zinc",), 3, 12),
        Instance(
            ("Zinc", "Iron", "Lead"),
            ("Colour", "Rings"),
            (None, 1),
            ("red", "[5, 8]"),
            ("Lead", "Zinc"),
            3,
            1,
        ),
    ],
)
def test_our_own_lines_come_back_as_they_were(instance: Instance) -> None:
    assert read(instance.as_json()) == [instance]


def test_empty_lines_are_passed_over_and_positions_count() -> None:
    lines = ["\n", json.dumps(RELEASED) + "\n", "  \n", json.dumps(RELEASED)]
    assert [instance.index for instance in parse_instances(lines, ENCODED, "metals.jsonl")] == [0, 1]


@pytest.mark.parametrize("lines", [[], ["\n", " "]])
def test_a_file_without_instances_is_refused(lines: list[str]) -> None:
    with pytest.raises(UnreadableInput, match=r"metals\.jsonl: no instance"):
        list(parse_instances(lines, ENCODED, "metals.jsonl"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("3", "the line: 3, expected a JSON object"),
        ("[]", "expected a JSON object"),
        ('{"truths": []}', "no 'actions'; expected the keys"),
        (json.dumps(RELEASED).replace("8.5", "NaN"), "NaN"),
        (json.dumps(RELEASED).replace("8.5", "1e999"), "1e999 is too large for a number"),
    ],
)
def test_a_line_that_is_no_record_is_named(line: str, problem: str) -> None:
    lines = [json.dumps(RELEASED), line]
    with pytest.raises(UnreadableInput, match=r"metals\.jsonl, line 2: ") as caught:
        list(parse_instances(lines, ENCODED, "metals.jsonl"))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"truths": "Iron"}, "truths: 'Iron', expected a list"),
        ({"truths": []}, "truths: [], expected a list"),
        ({"truths": ["Iron", "Gold"]}, "truths: 'Gold', expected names of the domain 'Metals'"),
        ({"truths": ["Iron", 5]}, "truths: 5, expected names"),
        ({"truths": ["Iron", "Lead", "Iron"]}, "truths: 'Iron', expected every name once"),
        ({"actions": ["Smell"]}, "actions: 'Smell', expected names"),
        ({"actions": ["Density", "Colour", "Rings"]}, "observations has none for action 'Rings'"),
        ({"actions": ["Density"]}, "observations: 'Colour', expected the line's actions only"),
        ({"observations": [1, 2]}, "observations: [1, 2], expected an object"),
        ({"observations": {"Density": None, "Colour": "grey"}}, "'Density': None, expected a text"),
        ({"observations": {"Density": True, "Colour": "grey"}}, "'Density': True, expected a text"),
        ({"observations": {"Density": 10**400, "Colour": "grey"}}, "expected a text, a finite number"),
        ({"observations": {"Density": [1, 2, 3], "Colour": "grey"}}, "[1, 2, 3], expected a text"),
        ({"seed": "7"}, "seed: '7', expected a whole number"),
        ({"seed": True}, "seed: True, expected a whole number"),
        ({"index": 1.5}, "index: 1.5, expected a whole number"),
        ({"valid_truth": "Zinc"}, "valid_truth: 'Zinc', expected one of the line's truths"),
        ({"valid_truth": ["Iron"]}, "valid_truth: ['Iron'], expected one"),
        ({"valid_truths": "Iron"}, "valid_truths: 'Iron', expected a list"),
        ({"valid_truths": ["Iron", "Zinc"]}, "expected a list of the line's truths"),
        ({"valid_truths": ["Lead"]}, "valid_truths: ['Lead'], expected each name once, 'Iron' among them"),
        ({"valid_truths": ["Iron", "Iron"]}, "expected each name once"),
        ({"states": [0, 0]}, "states: [0, 0], expected an object"),
        ({"states": {"Density": 0}}, "states has none for action 'Colour'"),
        ({"states": {"Density": 2, "Colour": 0}}, "'Density': 2, expected null or a number from 0 to 1"),
        ({"states": {"Density": -1, "Colour": 0}}, "expected null or a number from 0 to 1"),
        ({"states": {"Density": 0, "Colour": 1}}, "the state of observation 'grey'; that one is 'blue'"),
        ({"observations": {"Density": 2.0, "Colour": "grey"}, "states": {"Density": 0, "Colour": 0}}, "2.0"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(UnreadableInput, match=r"metals\.jsonl, line 1: ") as caught:
        read(RELEASED | change)
    assert problem in str(caught.value)


@pytest.mark.slow
def test_every_released_line_is_read_and_survives_a_round_trip(release: Path) -> None:
    count = 0
    for path in sorted((release / "instances").glob("*/*.jsonl")):
        domain = path.parent.name
        encoded = encode_config(parse_config((release / "domains" / f"{domain}.json").read_text(), domain))
        instances = list(parse_instances(path.read_text().splitlines(), encoded, domain))
        ours = [json.dumps(instance.as_json()) for instance in instances]
        assert list(parse_instances(ours, encoded, domain)) == instances
        count += len(instances)
    assert count == 3500
