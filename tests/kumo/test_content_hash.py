"""The content hash of an instance says what is asked: equal exactly for the same task."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.flows.kumo.release.release_rows import read_release
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import encode_config, instance_id
from perennial.warehouse.kumo.release.layout import find_release
from perennial.warehouse.kumo.rows import shared_instance_row
from tests.kumo.small_worlds import World, some, worlds
from tests.warehouse import tiny_edition
from tests.warehouse.release_tree import write_files


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
