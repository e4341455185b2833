"""What the scripted configurer writes: valid domains that give instances worth solving."""

import json
import random

import pytest

from perennial.schemas.kumo.things import SeedConfig, Setting
from perennial.tasks.kumo.authors.configurations import Accepted, read_configuration
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from tests.kumo.author_ask import PROPOSAL
from tests.server.config_text import CONFIG_FAULTS, config_text, right_config, spoilt_config
from tests.server.subjects import SUBJECTS


def script_config(seed: int) -> SeedConfig:
    subject = SUBJECTS[seed]
    values = right_config(subject.truth_noun, subject.action_noun, random.Random(seed))
    result = read_configuration(config_text(values), PROPOSAL, min_truths=50, min_actions=30)
    assert isinstance(result, Accepted), result
    assert result.warnings == ()
    return result.config


def test_its_configurations_are_valid_and_all_different() -> None:
    configs = [script_config(seed) for seed in range(30)]
    assert len({config.config_id for config in configs}) == 30


@pytest.mark.parametrize("setting", [Setting(4, 6), Setting(6, 8)])
def test_its_domains_give_instances_that_take_a_step_at_least(setting: Setting) -> None:
    for seed in range(10):
        request = SamplingRequest(setting, 20, seed, min_expected_steps=1.0)
        sample = sample_instances(encode_config(script_config(seed)), request)
        assert len(sample.instances) == 20
        assert sample.counts.solver_calls < 20


@pytest.mark.parametrize("fault", sorted(set(CONFIG_FAULTS) - {"not_json"}))
def test_each_of_its_faults_is_one_at_every_seed(fault: str) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        right = right_config("lichen", "test", rng)
        before = json.dumps(right)
        spoilt = spoilt_config(right, fault, rng)
        result = read_configuration(config_text(spoilt), PROPOSAL, min_truths=50, min_actions=30)
        assert not isinstance(result, Accepted)
        assert json.dumps(right) == before
