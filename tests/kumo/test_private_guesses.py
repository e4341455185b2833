"""What an edition's public instances show of its private ones: nothing about which truth is valid."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.test_balanced import balanced

pytestmark = pytest.mark.slow

EDITIONS, INSTANCES, PRIVATE = 150, 20, 4
KINDS: tuple[Callable[[Instance, str], object], ...] = (
    lambda instance, truth: instance.truths.index(truth),  # its place in the list
    lambda instance, truth: truth,
)


def test_the_rarest_valid_truth_of_public_instances_is_right_of_private_ones_at_chance() -> None:
    encoded = encode_config(draw_world(3, 0).config)
    hits: list[list[bool]] = [[] for _ in KINDS]
    for edition in range(EDITIONS):
        rng = random.Random(edition)
        drawn = list(sample_instances(encoded, balanced("4x6", INSTANCES, seed=edition)).instances)
        rng.shuffle(drawn)
        for right, key in zip(hits, KINDS, strict=True):
            public = Counter(key(instance, instance.valid_truths[0]) for instance in drawn[PRIVATE:])
            for instance in drawn[:PRIVATE]:
                rarity = {truth: (public[key(instance, truth)], rng.random()) for truth in instance.truths}
                right.append(min(rarity, key=rarity.__getitem__) == instance.valid_truths[0])
    for right in hits:
        assert len(right) == EDITIONS * PRIVATE
        assert abs(sum(right) / len(right) - 1 / 4) < 3 * (1 / 4 * 3 / 4 / len(right)) ** 0.5
