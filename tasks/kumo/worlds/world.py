"""Draw one synthetic world: a fictional domain with names, texts and rules of its own."""

import random
from dataclasses import dataclass
from itertools import product

from perennial.prompts.kumo.world_kinds import LabelTest, NumberTest, WorldKind, world_kinds
from perennial.prompts.wording import capital
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Outcome, SeedConfig
from perennial.tasks.kumo.worlds.names import NameMaker
from perennial.tasks.kumo.worlds.rules import Traits, draw_label_states, draw_range_states
from perennial.tasks.kumo.worlds.sparse import Sparsity, choose_sparsity, drop_rules

CATEGORY = "Synthetic"
LEAST_TRUTHS, LEAST_ACTIONS = 52, 32
_TRUTHS = (LEAST_TRUTHS, 64)
_ACTIONS = (LEAST_ACTIONS, 40)
_NUMBERS = (9, 14)
_OTHER_NAMES = 10  # people and places that notes speak of


@dataclass(frozen=True, slots=True)
class World:
    """A synthetic world and its kind, such as `fungi`."""

    config: SeedConfig
    kind: str
    sparsity: Sparsity | None = None


def draw_world(seed: int, index: int, sparse: str = "") -> World:
    """Return the world of this seed and index: a function of the two, and of how sparse it is to be.

    Neighbouring indices are of different kinds: all kinds take turns, in an order that the seed decides.
    """
    names = sorted(world_kinds())
    derive_rng(seed, "order of kinds", 0).shuffle(names)
    kind = world_kinds()[names[index % len(names)]]
    rng = derive_rng(seed, "world", index)
    makes = NameMaker(kind, rng).invent
    place = makes(long=True)
    truths = tuple(makes() for _ in range(rng.randint(*_TRUTHS)))
    people, places = ([makes() for _ in range(_OTHER_NAMES)] for _ in range(2))
    tests = _choose_tests(kind, rng)
    outcomes = _draw_outcomes(tests, truths, rng)
    config = SeedConfig(
        name=kind.domain.format(place=place),
        truths=truths,
        actions=tuple(name for name, _, _ in tests),
        outcomes=outcomes,
        goal=kind.goal.format(place=place),
        category=CATEGORY,
        truth_noun=kind.truth_noun,
        action_noun=kind.action_noun,
        book_title=kind.book_title.format(place=place),
        truth_notes=_draw_notes(kind, truths, people, [place, *places], rng),
        action_notes={name: note for name, note, _ in tests},
    )
    sparsity = choose_sparsity(sparse, seed, index)
    if sparsity is not None:
        config = drop_rules(config, sparsity, derive_rng(seed, "sparse world", index))
    return World(config, kind.name, sparsity)


_Test = tuple[str, str, LabelTest | NumberTest]


def _choose_tests(kind: WorldKind, rng: random.Random) -> list[_Test]:
    """Return name, note and test of each action: some of the tests, each on some of the parts."""
    numbers = rng.randint(*_NUMBERS)
    chosen: list[tuple[LabelTest | NumberTest, str]] = [
        *rng.sample(list(product(kind.numbers, kind.parts)), numbers),
        *rng.sample(list(product(kind.labels, kind.parts)), rng.randint(*_ACTIONS) - numbers),
    ]
    rng.shuffle(chosen)
    return [
        (capital(test.name.format(part=part)), test.note.format(part=part), test) for test, part in chosen
    ]


def _draw_outcomes(tests: list[_Test], truths: tuple[str, ...], rng: random.Random) -> tuple[Outcome, ...]:
    """Return the outcomes of the tests; drawn again where some truth would be ruled out by none of them."""
    while True:
        traits = Traits.draw(len(truths), rng)
        outcomes = tuple(_draw_outcome(name, test, truths, traits, rng) for name, _, test in tests)
        ruled_out = (truth for outcome in outcomes for state in outcome.states for truth in state.rules_out)
        if len(set(ruled_out)) == len(truths):
            return outcomes


def _draw_outcome(
    name: str, test: LabelTest | NumberTest, truths: tuple[str, ...], traits: Traits, rng: random.Random
) -> Outcome:
    if isinstance(test, NumberTest):
        states = draw_range_states(test, truths, traits, rng)
        return Outcome(name, "float", states, test.unit, test.step, test.digits)
    return Outcome(name, "str", draw_label_states(test, truths, traits, rng))


def _draw_notes(
    kind: WorldKind, truths: tuple[str, ...], people: list[str], places: list[str], rng: random.Random
) -> dict[str, str]:
    """Return a note of each truth; no two are equal, and none has to do with what rules a truth out."""
    notes: dict[str, str] = {}
    for truth in truths:
        while True:
            names = {"person": rng.choice(people), "place": rng.choice(places)}
            note = rng.choice(kind.notes).format(**names, number=rng.randint(3, 99))
            if note not in notes.values():
                break
        notes[truth] = note
    return notes
