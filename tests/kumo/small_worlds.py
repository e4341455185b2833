"""Small configurations with one instance each, drawn by Hypothesis or taken from the released data."""

import math
import random
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st

from perennial.schemas.kumo.things import BookRule, Instance, Observation, Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.books import rules_of
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import (
    EncodedConfig,
    EncodedInstance,
    encode_config,
    encode_instance,
    parse_instances,
)
from perennial.tasks.kumo.validation.rules import PLACEHOLDER

some = settings(max_examples=40)

AWKWARD_NAMES = (
    "A* (search)",
    "A*",
    "*",
    "Euler's Formula (e^(i*pi) + 1 = 0)",
    "Inflammatory Bowel Disease (Crohn's Disease)",
    "Rock and Roll",
    "nothing",
    "Salt, Pepper, and Sage",
    "Ratio: 3/4",
    "pH 7.0 (included) to 9",
    "is ruled out.",
    "#1 – C#",
    "- dash",
    'The "Big" One',
    "étude Nº 5",
    "${x}",
    "{{ name }}",
)
_LETTERS = "abAB01 ()'’,/:;*&+-=^_\"#.[]%{}"
names = st.sampled_from(AWKWARD_NAMES) | st.text(_LETTERS, min_size=1, max_size=12).filter(
    lambda name: "**" not in name and name == name.strip() and name != PLACEHOLDER
)
NOTES = (
    "",
    "A plain note",
    'If the outcome is "a", rule out **A***.',
    '- When "a" is observed, nothing is ruled out.\n\n## A section\n- **A**: b',
    "### No heading",
)
bounds = st.floats(-1e6, 1e6).map(lambda x: x + 0.0) | st.integers(-500, 500).map(float)


@dataclass(frozen=True)
class World:
    """An instance with everything that is derived from its configuration."""

    config: SeedConfig
    encoded_config: EncodedConfig
    instance: Instance
    encoded: EncodedInstance
    rules: tuple[BookRule, ...]


def world_of(config: SeedConfig, instance: Instance) -> World:
    encoded_config = encode_config(config)
    encoded = encode_instance(encoded_config, instance)
    return World(config, encoded_config, instance, encoded, rules_of(encoded_config, instance))


@st.composite
def worlds(draw: st.DrawFn, n_valid: int = 1) -> World:
    """A sound instance: its observations rule out exactly the truths that are not valid.

    Hypothesis chooses names and labels; the rest follows from a seed, which is ten times as fast.
    """
    listed = draw(st.lists(names, min_size=n_valid + 3, max_size=n_valid + 10, unique_by=_fold))
    labels = draw(st.lists(names, min_size=4, max_size=4, unique=True))
    rng = random.Random(draw(st.integers(0, 2**32)))
    n_truths = rng.randint(n_valid + 1, len(listed) - 1)
    truths, actions = listed[:n_truths], listed[n_truths:]
    invalid = truths[n_valid:]
    due: dict[str, set[str]] = {action: set() for action in actions}
    for truth in invalid:
        due[rng.choice(actions)].add(truth)
    drawn = [_draw_outcome(rng, action, truths, invalid, due[action], labels) for action in actions]
    outcomes, states, observations = zip(*drawn, strict=True)
    config = SeedConfig(
        name="Small",
        truths=tuple(truths),
        actions=tuple(actions),
        outcomes=outcomes,
        truth_noun=rng.choice(["truth", "disease", "cause of failure"]),
        action_noun=rng.choice(["action", "diagnostic test", "analysis"]),
        goal=rng.choice(["", "Find the cause.", "find it\n- **A**: b"]),
        book_title=rng.choice(["", "A Book", "## Two\nlines"]),
        truth_notes={truth: rng.choice(NOTES) for truth in truths},
        action_notes={action: rng.choice(NOTES) for action in actions},
    )
    shown = tuple(rng.sample(truths, len(truths)))
    valid = tuple(truths[:n_valid])
    return world_of(config, Instance(shown, tuple(actions), states, observations, valid, 0, 0))


def _fold(name: str) -> str:
    return " ".join(name.split()).casefold()


def _draw_outcome(
    rng: random.Random, action: str, truths: list[str], invalid: list[str], due: set[str], labels: list[str]
) -> tuple[Outcome, int, Observation]:
    """One action's outcome, the observed state's index and its observation; it rules out all that is due."""
    n_states = rng.randint(2, 4)
    observed = rng.randrange(n_states)
    excluded = [{truth for truth in truths if rng.random() < 0.3} for _ in range(n_states)]
    excluded[observed] = excluded[observed].intersection(invalid) | due
    rules_out = [tuple(sorted(names)) for names in excluded]
    if rng.random() < 0.5:
        states = [OutcomeState(labels[i], None, None, rules_out[i]) for i in range(n_states)]
        return Outcome(action, "str", tuple(states)), observed, labels[observed]
    ranges = _draw_ranges(rng, n_states)
    states = [OutcomeState(None, *ranges[i], rules_out[i]) for i in range(n_states)]
    unit = rng.choice(["", "mg/dL", "%", "10^9 per L", "points, rounded"])
    low, high = ranges[observed]
    observation = rng.choice([low, min(rng.uniform(low, high), math.nextafter(high, low))])
    return Outcome(action, "float", tuple(states), unit), observed, observation


def _draw_ranges(rng: random.Random, n_ranges: int) -> list[tuple[float, float]]:
    """Ranges that do not overlap, in any order; neighbours share their end point or leave a gap."""
    draw_end = rng.choice(
        [lambda: float(rng.randint(-500, 500)), lambda: rng.uniform(-1, 1) * 10.0 ** rng.randint(-9, 9)]
    )
    ends: set[float] = set()
    while len(ends) < 2 * n_ranges:
        ends.add(draw_end() + 0.0)
    ordered = sorted(ends)
    ranges = [[ordered[2 * i], ordered[2 * i + 1]] for i in range(n_ranges)]
    for before, after in pairwise(ranges):
        if rng.random() < 0.5:
            before[1] = after[0]
    return rng.sample([(low, high) for low, high in ranges], n_ranges)


def read_released_worlds(release: Path, domain: str, setting: str) -> list[World]:
    """All released instances of a domain with so many truths."""
    config = parse_config((release / "domains" / f"{domain}.json").read_text(encoding="utf-8"), domain)
    (path,) = (release / "instances" / domain).glob(f"truth_num={setting}+*.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [world_of(config, instance) for instance in parse_instances(lines, encode_config(config), domain)]
