"""What an edition's public instances show of its private ones: nothing about which truth is valid."""

import random
from collections import Counter

import pytest

from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.test_balanced import balanced

pytestmark = pytest.mark.slow

EDITIONS, INSTANCES, PRIVATE = 150, 20, 4


@pytest.mark.parametrize("kind", ["place in the list", "truth"])
def test_the_rarest_valid_truth_of_public_instances_is_right_of_private_ones_at_chance(kind: str) -> None:
    encoded = encode_config(draw_world(3, 0).config)
    hits = []
    for edition in range(EDITIONS):
        rng = random.Random(edition)
        drawn = sample_instances(encoded, balanced("4x6", INSTANCES, seed=edition)).instances
        rng.shuffle(drawn := list(drawn))
        public = Counter(
            instance.truths.index(instance.valid_truths[0])
            if kind == "place in the list"
            else instance.valid_truths[0]
            for instance in drawn[PRIVATE:]
        )
        for instance in drawn[:PRIVATE]:
            guess = min(
                instance.truths,
                key=lambda truth: (
                    public[instance.truths.index(truth) if kind == "place in the list" else truth],
                    rng.random(),
                ),
            )
            hits.append(guess == instance.valid_truths[0])
    rate, chance = sum(hits) / len(hits), 1 / 4
    assert len(hits) == EDITIONS * PRIVATE
    assert abs(rate - chance) < 3 * (chance * (1 - chance) / len(hits)) ** 0.5
