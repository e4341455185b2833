"""Draw what is reported of an instance: each outcome is the true one with a known probability."""

from dataclasses import replace

import numpy as np

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.construct import Draws
from perennial.tasks.kumo.sampling.tables import SamplingTables


class Reporter:
    """Reports outcomes of one domain."""

    def __init__(self, encoded: EncodedConfig) -> None:
        self._encoded = encoded
        self._tables = SamplingTables(encoded)
        self._numbers = {(state.action, state.state): i for i, state in enumerate(self._tables.states)}

    def report(self, instance: Instance, instance_id: str, reliability: float) -> Instance:
        """Return the instance with the outcomes that are reported in place of the true ones.

        Each is the true one with probability `reliability`, else one of the action's other states, evenly and
        apart from all other actions. They are a function of the instance's id, so that all players see the
        same; what a lower reliability reports rightly, a higher one does too. A number that is reported
        wrongly is drawn as the number of such a state is (`perennial.tasks.kumo.sampling.shown`).
        """
        rng = derive_rng(0, f"reports of {instance_id}", 0)
        numbers, uniforms, is_wrong = [], [], []
        for name, state in zip(instance.actions, instance.states, strict=True):
            action = self._encoded.action_index[name]
            share, choice, uniform = (rng.random() for _ in range(3))
            others = [s for a, s in self._numbers if a == action and s != state]
            is_wrong.append(share >= reliability and bool(others))
            reported = others[int(choice * len(others))] if is_wrong[-1] else state
            assert reported is not None
            numbers.append(self._numbers[action, reported])
            uniforms.append(uniform)
        observations = self._tables.observations(self._draws(instance, numbers, uniforms))[0].tolist()
        return replace(
            instance,
            states=tuple(self._tables.states[number].state for number in numbers),
            observations=tuple(
                drawn if wrong else true
                for drawn, true, wrong in zip(observations, instance.observations, is_wrong, strict=True)
            ),
        )

    def _draws(self, instance: Instance, numbers: list[int], uniforms: list[float]) -> Draws:
        draws = Draws.empty(1, len(instance.truths), len(numbers))
        draws.truths[0] = [self._encoded.truth_index[truth] for truth in instance.truths]
        draws.valid[0] = np.isin(instance.truths, instance.valid_truths)
        draws.states[0], draws.uniforms[0] = numbers, uniforms
        return draws
