"""Encode configurations and instances to integers: names stay outside of every hot path.

Bit t of a mask stands for truth t. `masks[a][s]` is the set of truths that state s of action a rules out.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import COUNTERFACTUAL, Instance, Outcome, SeedConfig


@dataclass(frozen=True, slots=True)
class EncodedConfig:
    """A configuration over its distinct truths and those actions that have an outcome entry.

    Where names repeat, the first entry counts; unknown names in rule-out sets are skipped.
    `truth_tokens[t]` and `state_tokens[a][s]` are 8 bytes of content hash, the parts of canonical ids.
    """

    config: SeedConfig
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    masks: tuple[tuple[int, ...], ...]
    related: tuple[int, ...]
    truth_index: dict[str, int] = field(repr=False)
    action_index: dict[str, int] = field(repr=False)
    truth_tokens: tuple[bytes, ...] = field(repr=False)
    state_tokens: tuple[tuple[bytes, ...], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class EncodedInstance:
    """An instance over its own truths: bit i of a mask stands for `truths[i]` of the instance.

    `masks[j]` are the masks of all outcome states of action j, `observed[j]` the index of the observed
    state (-1: none, which rules out nothing), `valid` the mask of the valid truths.
    """

    n_truths: int
    masks: tuple[tuple[int, ...], ...]
    observed: tuple[int, ...]
    valid: int

    @property
    def related(self) -> tuple[int, ...]:
        """For each action the mask of truths that some state of it rules out."""
        return tuple(reduce(or_, states, 0) for states in self.masks)

    def observed_mask(self, action: int) -> int:
        """Return the mask of truths that the action's observation rules out."""
        state = self.observed[action]
        return 0 if state < 0 else self.masks[action][state]


def encode_config(config: SeedConfig) -> EncodedConfig:
    """Return the configuration in masks over all of its truths."""
    truths = tuple(dict.fromkeys(config.truths))
    truth_index = {name: i for i, name in enumerate(truths)}
    first_entries: dict[str, Outcome] = {}
    for outcome in config.outcomes:
        first_entries.setdefault(outcome.action, outcome)
    # An instance of a counterfactual domain is another one than that of the true domain with the same names.
    mark = [COUNTERFACTUAL] if config.is_counterfactual else []
    actions = tuple(action for action in dict.fromkeys(config.actions) if action in first_entries)
    outcomes = tuple(first_entries[action] for action in actions)
    masks = tuple(
        tuple(_mask_of(state.rules_out, truth_index) for state in outcome.states) for outcome in outcomes
    )
    return EncodedConfig(
        config=config,
        truths=truths,
        actions=actions,
        outcomes=outcomes,
        masks=masks,
        related=tuple(reduce(or_, states, 0) for states in masks),
        truth_index=truth_index,
        action_index={name: i for i, name in enumerate(actions)},
        truth_tokens=tuple(_token("truth", name, *mark) for name in truths),
        state_tokens=tuple(
            tuple(_token("state", outcome.action, state.text) for state in outcome.states)
            for outcome in outcomes
        ),
    )


def _mask_of(names: Sequence[str], index: dict[str, int]) -> int:
    return reduce(or_, (1 << index[name] for name in names if name in index), 0)


def _token(*parts: str) -> bytes:
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest()


def canonical_instance_id(
    encoded: EncodedConfig, truths: Sequence[int], states: Sequence[tuple[int, int]]
) -> str:
    """Return the id of the instance with these truth indices and (action, state) pairs, in any order.

    Two instances have the same id exactly when truths, actions and observed states are equal; the
    drawn floats and the order shown to the player do not count.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(b"".join(sorted(encoded.truth_tokens[t] for t in truths)))
    digest.update(b"|")
    digest.update(b"".join(sorted(encoded.state_tokens[a][s] for a, s in states)))
    return "ki_" + digest.hexdigest()


def instance_id(encoded: EncodedConfig, instance: Instance) -> str:
    """Return the canonical id of an instance of this configuration."""
    truths = [encoded.truth_index[name] for name in instance.truths]
    states = [
        (encoded.action_index[name], state)
        for name, state in zip(instance.actions, instance.states, strict=True)
        if state is not None
    ]
    return canonical_instance_id(encoded, truths, states)


def encode_instance(encoded: EncodedConfig, instance: Instance) -> EncodedInstance:
    """Return the instance in masks over its own truths.

    Raises UnreadableInput where it names a truth or an action that the configuration lacks.
    """
    bits = {
        1 << _index_of(name, encoded.truth_index, "truth", encoded): 1 << i
        for i, name in enumerate(instance.truths)
    }
    present = reduce(or_, bits, 0)
    columns = [_index_of(name, encoded.action_index, "action", encoded) for name in instance.actions]
    masks = tuple(tuple(_local_mask(mask & present, bits) for mask in encoded.masks[a]) for a in columns)
    valid = _mask_of(instance.valid_truths, {name: i for i, name in enumerate(instance.truths)})
    observed = tuple(-1 if state is None else state for state in instance.states)
    return EncodedInstance(len(instance.truths), masks, observed, valid)


def _local_mask(mask: int, bits: dict[int, int]) -> int:
    local = 0
    while mask:
        lowest = mask & -mask
        local |= bits[lowest]
        mask ^= lowest
    return local


def _index_of(name: str, index: dict[str, int], what: str, encoded: EncodedConfig) -> int:
    found = index.get(name)
    if found is None:
        raise UnreadableInput(
            f"{what} {name!r} of the instance is not in domain {encoded.config.name!r}: "
            f"use the configuration that the instance was drawn from"
        )
    return found
