"""Synthetic worlds: fictional domains without end, each a function of a seed and an index."""

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from perennial.prompts.kumo.world_kinds import LabelTest, NumberTest, WorldKind, refused_words, world_kinds
from perennial.prompts.wording import capital
from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.kumo.things import COUNTERFACTUAL, Outcome, OutcomeState, SeedConfig

# A counterfactual domain: names, actions and numbers of a domain, with its facts exchanged.
#
# Knowledge misleads there, and the book alone counts. Action by action, the truths of which the action knows
# something exchange their cells: which states rule the truth out, and between which numbers it lies. So each
# state rules out as many truths as before, each truth is ruled out by the same actions, and a note such as
# "salts tell nothing" stays true. As many cells as possible then differ in what rules the truth out; which of
# these permutations it is, is drawn.


_SWAPS = 10  # tries for each truth: from the permutation that is built to one that is drawn

_Rules = frozenset[int]
"""The numbers of the states of an action that rule a truth out."""


def make_counterfactual(config: SeedConfig, seed: int) -> SeedConfig:
    """The domain's counterfactual of this seed, under a name that says so."""
    purpose = f"counterfactual of {config.name}"
    outcomes = tuple(
        _exchange(outcome, config.truths, derive_rng(seed, purpose, index))
        for index, outcome in enumerate(config.outcomes)
    )
    return replace(config, name=config.name + COUNTERFACTUAL, outcomes=outcomes)


def share_changed(config: SeedConfig, other: SeedConfig) -> float:
    """The share of the cells by which other states rule the truth out; empty cells do not count."""
    changed = total = 0
    for outcome, two in zip(config.outcomes, other.outcomes, strict=True):
        before, after = _rules_by_truth(outcome), _rules_by_truth(two)
        truths = _truths_with_cell(outcome, config.truths)
        total += len(truths)
        changed += sum(before[truth] != after[truth] for truth in truths)
    return changed / total if total else 0.0


def _exchange(outcome: Outcome, truths: tuple[str, ...], rng: random.Random) -> Outcome:
    rules, truths_known = _rules_by_truth(outcome), _truths_with_cell(outcome, truths)
    source = _draw_sources(truths_known, rules, rng)
    cells = {truth: (low, high) for truth, low, high in outcome.cells}
    return replace(
        outcome,
        states=tuple(
            replace(state, rules_out=tuple(t for t in truths_known if number in rules[source[t]]))
            for number, state in enumerate(outcome.states)
        ),
        cells=tuple((t, *cells[source[t]]) for t in truths_known if source[t] in cells),
    )


def _draw_sources(truths: list[str], rules: dict[str, _Rules], rng: random.Random) -> dict[str, str]:
    """Whose cell each truth gets: a permutation that changes the rules of as many as possible.

    Of n truths, f of which have the commonest rules, min(n, 2(n - f)) can change. Sorted by rules and moved
    on by f they do; exchanges that lose none of them then make the order random.
    """
    if len(truths) < 2:
        return {truth: truth for truth in truths}
    kinds = Counter(rules[truth] for truth in truths)
    order = {kind: rng.random() for kind in kinds}
    arranged = sorted(rng.sample(truths, len(truths)), key=lambda truth: order[rules[truth]])
    step = max(kinds.values())
    source = dict(zip(arranged, [*arranged[step:], *arranged[:step]], strict=True))

    def changes(truth: str, other: str) -> bool:
        return rules[truth] != rules[other]

    for _ in range(_SWAPS * len(truths)):
        here, there = rng.sample(truths, 2)
        first, second = source[here], source[there]
        if changes(here, second) + changes(there, first) >= changes(here, first) + changes(there, second):
            source[here], source[there] = second, first
    return source


def _rules_by_truth(outcome: Outcome) -> dict[str, _Rules]:
    numbers_by_truth: dict[str, set[int]] = defaultdict(set)
    for number, state in enumerate(outcome.states):
        for truth in state.rules_out:
            numbers_by_truth[truth].add(number)
    return defaultdict(frozenset, {truth: frozenset(numbers) for truth, numbers in numbers_by_truth.items()})


def _truths_with_cell(outcome: Outcome, truths: tuple[str, ...]) -> list[str]:
    """Those truths of which the outcome says something: a state rules them out, or their number is known."""
    with_cell = outcome.ruled_out | {truth for truth, _, _ in outcome.cells}
    return [truth for truth in dict.fromkeys(truths) if truth in with_cell]


# Invent names: pronounceable, no word that means something, and none like another one of its world.


_LONGEST = 12
_LEAST_DISTANCE = 4
_WITH_CODA = 0.4  # the others have one more vowel instead
_OPENING = 4  # letters at its beginning that no two names of a world share
_ILL_SOUNDING = re.compile(
    r"[aeiouy]{3}|[^aeiouy]{4}|(.)\1\1|(..+)\2|[aeiouy]y[aeiouy]|uu|iw|q(?!u)[^aeiou]|wu|[jqvwx][^aeiou]"
)


class NameMaker:
    """Invents the names of one world, each unlike all before it."""

    def __init__(self, kind: WorldKind, rng: random.Random) -> None:
        self._kind = kind
        self._rng = rng
        self._names: list[str] = []

    def invent(self, *, long: bool = False) -> str:
        """Another name: at least four letters must change to make it one of those before.

        There are 500,000 to 10 million names of a kind, and 50 million `long` ones.
        """
        from rapidfuzz.distance import Levenshtein

        while True:
            name = self._draw(long)
            if not is_fit(name):
                continue
            near = (
                other[:_OPENING] == name[:_OPENING]
                or Levenshtein.distance(name, other, score_cutoff=_LEAST_DISTANCE - 1) < _LEAST_DISTANCE
                for other in self._names
            )
            if not any(near):
                self._names.append(name)
                return name.capitalize()

    def _draw(self, long: bool) -> str:
        kind, choice = self._kind, self._rng.choice
        inner = [onset for onset in kind.onsets if onset]
        coda = long or self._rng.random() < _WITH_CODA
        middle = long or not coda
        name = choice(kind.onsets) + choice(kind.vowels)
        name += choice(kind.codas) if coda else ""
        name += choice(inner) + choice(kind.vowels) if middle else ""
        return name + choice(inner) + choice(kind.endings)


def is_fit(name: str) -> bool:
    """Whether a name can be spoken, is no longer than a reader keeps in mind, and says nothing."""
    if len(name) > _LONGEST or _ILL_SOUNDING.search(name):
        return False
    return not any(word in name for word in refused_words())


# Draw the hidden table of a world's attributes, and what each outcome state rules out by it.
#
# Each truth has a level in three hidden traits. An attribute follows one of them, loosely, or none: so
# attributes agree as often as in real domains, but no two can be distinguished. A truth's cell of an
# attribute is empty (nothing rules it out), or the values that are possible of it: some of the labels, or an
# interval of numbers; a state rules out the truths of whose values it is none.


_TRAITS = 3
# What a state rules out, as a share of the truths: less says little, and more would nearly give the answer.
_LEAST_SHARE, _LARGEST_SHARE = 0.12, 0.62
_SILENT = (0.28, 0.44)  # share of empty cells of an attribute
_MORE = (0.05, 0.3)  # how often a label beside the first is possible, too
_FOLLOWS = 0.45  # how often a cell of an attribute goes by its trait
_STATES = (3, 4, 4, 5)

Kept = tuple[frozenset[int], ...]
"""For each truth the numbers of the states that leave it possible."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The level, from 0 to 1, of each truth in each hidden trait."""

    levels: tuple[tuple[float, ...], ...]

    @classmethod
    def draw(cls, n_truths: int, rng: random.Random) -> "Traits":
        """Levels of so many truths."""
        return cls(tuple(tuple(rng.random() for _ in range(n_truths)) for _ in range(_TRAITS)))


def draw_label_states(
    test: LabelTest, truths: Sequence[str], traits: Traits, rng: random.Random
) -> tuple[OutcomeState, ...]:
    """The outcome states of a test whose results are words."""
    number = min(rng.choice(_STATES), len(test.values))
    labels = rng.sample(test.values, number)
    kept = _draw_fit(lambda: _label_cells(number, traits, rng), number)
    return tuple(
        OutcomeState(label, None, None, _ruled_out(state, kept, truths)) for state, label in enumerate(labels)
    )


def draw_range_states(
    test: NumberTest, truths: Sequence[str], traits: Traits, rng: random.Random
) -> tuple[OutcomeState, ...]:
    """The outcome states of a test whose results are numbers: ranges without a gap."""
    number = rng.choice(_STATES)
    bounds = _draw_bounds(test.range, number, rng)
    kept = _draw_fit(lambda: _range_cells(bounds, traits, rng), number)
    return tuple(
        OutcomeState(None, bounds[state], bounds[state + 1], _ruled_out(state, kept, truths))
        for state in range(number)
    )


def _draw_bounds(whole: tuple[float, float], number: int, rng: random.Random) -> tuple[float, ...]:
    """Ascending bounds of so many ranges, in round numbers, over a part of the whole range."""
    low, high = whole
    step = 10.0 ** math.floor(math.log10((high - low) / 25))
    start = low + rng.uniform(0, 0.15) * (high - low)
    span = rng.uniform(0.6, 0.85) * (high - low)
    widths = [rng.uniform(0.7, 1.3) for _ in range(number)]
    digits = max(0, -round(math.log10(step)))
    total = sum(widths)
    places = [start + span * sum(widths[:cut]) / total for cut in range(number + 1)]
    return tuple(round(round(bound / step) * step, digits) for bound in places)


def _draw_fit(draw: Callable[[], Kept], number: int) -> Kept:
    """The first cells drawn of which every state rules out neither few nor most of the truths."""
    while True:
        kept = draw()
        shares = (
            sum(bool(cell) and state not in cell for cell in kept) / len(kept) for state in range(number)
        )
        if all(_LEAST_SHARE <= share <= _LARGEST_SHARE for share in shares):
            return kept


def _label_cells(number: int, traits: Traits, rng: random.Random) -> Kept:
    positions = _positions(traits, rng)
    order = rng.sample(range(number), number)
    more = rng.uniform(*_MORE)
    cells = []
    for position in positions:
        if position is None:
            cells.append(frozenset[int]())
            continue
        first = order[min(int(position * number), number - 1)]
        others = [state for state in range(number) if state != first and rng.random() < more]
        cells.append(frozenset([first, *others[: number - 2]]))
    return tuple(cells)


def _range_cells(bounds: Sequence[float], traits: Traits, rng: random.Random) -> Kept:
    low, span = bounds[0], bounds[-1] - bounds[0]
    width = rng.uniform(0.1, 0.3) * span
    cells = []
    for position in _positions(traits, rng):
        if position is None:
            cells.append(frozenset[int]())
            continue
        least = low + position * span - rng.random() * width
        most = least + width
        cells.append(
            frozenset(
                state
                for state in range(len(bounds) - 1)
                if least < bounds[state + 1] and most > bounds[state]
            )
        )
    return tuple(cells)


def _positions(traits: Traits, rng: random.Random) -> list[float | None]:
    """Where each truth lies on an attribute's scale, from 0 to 1; None where its cell is empty."""
    levels = rng.choice((*traits.levels, None))
    silent = rng.uniform(*_SILENT)
    positions: list[float | None] = []
    for truth in range(len(traits.levels[0])):
        follows = levels is not None and rng.random() < _FOLLOWS
        position = levels[truth] if follows and levels is not None else rng.random()
        positions.append(None if rng.random() < silent else position)
    return positions


def _ruled_out(state: int, kept: Kept, truths: Sequence[str]) -> tuple[str, ...]:
    return tuple(truth for truth, cell in zip(truths, kept, strict=True) if cell and state not in cell)


# Sparse configurations: most rules of a configuration are dropped, so that its truths form communities.
#
# The truths are dealt to K communities, and each action has one of them as its home, all equally often. An
# action keeps what it says about the truths of its home, and about each other truth with probability B. About
# the rest it knows nothing, as about a truth whose cell is empty. So facts are dropped, and none is invented.
# Each truth keeps one action that can rule it out, and each action one truth.
#
# The KUMO authors' domains are of this kind: the median share of pairs of truths that one action can rule out
# is .44, where in our dense domains and worlds it is nearly 1.


MOST_COMMUNITIES = 20
DENSE = "dense"
MIXED = "mixed"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Sparsity:
    """The number of communities, and how often an action keeps what it says about truths elsewhere."""

    communities: int
    elsewhere: float

    def __str__(self) -> str:
        """The form in which options give it: `8,0.1`."""
        return f"{self.communities},{self.elsewhere:g}"

    @classmethod
    def parse(cls, text: str) -> "Sparsity":
        """What `8,0.1` says; raise InvalidOption for anything else."""
        parts = text.split(",")
        try:
            communities, elsewhere = int(parts[0]), float(parts[1])
        except (ValueError, IndexError):
            communities, elsewhere = 0, 0.0
        if len(parts) != 2 or not 2 <= communities <= MOST_COMMUNITIES or not 0 <= elsewhere < 1:
            raise InvalidOption(
                f"--sparse {text!r}: expected K,B such as 8,0.1: K communities of truths, 2 to "
                f"{MOST_COMMUNITIES}, and the probability B, 0 or more and below 1, that an action keeps "
                f"what it says about a truth of another community (or {MIXED} or {DENSE}, for drawn worlds)"
            )
        return cls(communities, elsewhere)


# What worlds of `mixed` draw from, None: dense. Together they span the middle half of the released domains in
# density and modularity, at hardly more time of search than dense ones: few large communities cost far more
# (docs/domains.md).
SPARSITIES = (None, None, Sparsity(10, 0.05), Sparsity(12, 0.05), Sparsity(12, 0.08))


def check_sparse(text: str) -> None:
    """Raise InvalidOption where the text is no sparsity, nor empty, nor `mixed` or `dense`."""
    if text not in ("", MIXED, DENSE):
        Sparsity.parse(text)


def choose_sparsity(text: str, seed: int, index: int) -> Sparsity | None:
    """The sparsity that the text says, None for a dense configuration.

    Of `mixed` all take turns, in an order that is drawn for each round.
    """
    if text == MIXED:
        order = list(SPARSITIES)
        derive_rng(seed, "order of sparsities", index // len(order)).shuffle(order)
        return order[index % len(order)]
    return None if text in ("", DENSE) else Sparsity.parse(text)


def make_sparse(config: SeedConfig, text: str) -> SeedConfig:
    """The configuration made sparse, a function of the two alone, under a name that says so."""
    # The id is a hash of the whole configuration: only `mixed` draws with it.
    sparsity = choose_sparsity(text, derive_seed(0, config.config_id, 0) if text == MIXED else 0, 0)
    if sparsity is None:
        return config
    rng = derive_rng(0, f"sparse {sparsity} {config.config_id}", 0)
    return replace(drop_rules(config, sparsity, rng), name=f"{config.name} (sparse {sparsity})")


def drop_rules(config: SeedConfig, sparsity: Sparsity, rng: random.Random) -> SeedConfig:
    """The configuration with the rules that are kept, drawn by `rng`."""
    truths = list(dict.fromkeys(config.truths))
    community = _deal(truths, sparsity.communities, rng)
    home = _deal(range(len(config.outcomes)), sparsity.communities, rng)
    ruled_out = (outcome.ruled_out for outcome in config.outcomes)
    truths_known = [[truth for truth in truths if truth in of_action] for of_action in ruled_out]
    kept = [
        {
            truth
            for truth in truths_known[action]
            if (rng.random() < sparsity.elsewhere) | (community[truth] == home[action])
        }
        for action in range(len(config.outcomes))
    ]
    for truth in truths:
        speaking = [action for action, of_action in enumerate(truths_known) if truth in of_action]
        if speaking and not any(truth in of_action for of_action in kept):
            kept[rng.choice(speaking)].add(truth)
    for of_action, all_of_action in zip(kept, truths_known, strict=True):
        if all_of_action and not of_action:
            of_action.add(rng.choice(all_of_action))
    outcomes = zip(config.outcomes, kept, strict=True)
    return replace(config, outcomes=tuple(outcome.only(truths_kept) for outcome, truths_kept in outcomes))


def _deal(items: Iterable[Item], number: int, rng: random.Random) -> dict[Item, int]:
    """The part of each item: so many parts of equal size, dealt at random."""
    listed = list(items)
    rng.shuffle(listed)
    return {item: position % number for position, item in enumerate(listed)}


# Draw one synthetic world: a fictional domain with names, texts and rules of its own.


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
    """The world of this seed and index: a function of the two, and of how sparse it is to be.

    Neighbouring indices are of different kinds: all kinds take turns, in an order that the seed decides.
    """
    names = sorted(world_kinds())
    derive_rng(seed, "order of kinds", 0).shuffle(names)
    kind = world_kinds()[names[index % len(names)]]
    rng = derive_rng(seed, "world", index)
    makes = NameMaker(kind, rng).invent
    town = makes(long=True)
    truths = tuple(makes() for _ in range(rng.randint(*_TRUTHS)))
    people, places = ([makes() for _ in range(_OTHER_NAMES)] for _ in range(2))
    tests = _choose_tests(kind, rng)
    outcomes = _draw_outcomes(tests, truths, rng)
    config = SeedConfig(
        name=kind.domain.format(place=town),
        truths=truths,
        actions=tuple(name for name, _, _ in tests),
        outcomes=outcomes,
        goal=kind.goal.format(place=town),
        category=CATEGORY,
        truth_noun=kind.truth_noun,
        action_noun=kind.action_noun,
        book_title=kind.book_title.format(place=town),
        truth_notes=_draw_notes(kind, truths, people, [town, *places], rng),
        action_notes={name: note for name, note, _ in tests},
    )
    sparsity = choose_sparsity(sparse, seed, index)
    if sparsity is not None:
        config = drop_rules(config, sparsity, derive_rng(seed, "sparse world", index))
    return World(config, kind.name, sparsity)


_Test = tuple[str, str, LabelTest | NumberTest]


def _choose_tests(kind: WorldKind, rng: random.Random) -> list[_Test]:
    """Name, note and test of each action: some of the tests, each on some of the parts."""
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
    """The outcomes of the tests; drawn again where some truth would be ruled out by none of them."""
    while True:
        traits = Traits.draw(len(truths), rng)
        outcomes = tuple(_draw_outcome(name, test, truths, traits, rng) for name, _, test in tests)
        if len(set().union(*(outcome.ruled_out for outcome in outcomes))) == len(truths):
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
    """A note of each truth; no two are equal, and none has to do with what rules a truth out."""
    notes: dict[str, str] = {}
    for truth in truths:
        while True:
            names = {"person": rng.choice(people), "place": rng.choice(places)}
            note = rng.choice(kind.notes).format(**names, number=rng.randint(3, 99))
            if note not in notes.values():
                break
        notes[truth] = note
    return notes
