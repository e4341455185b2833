"""A counterfactual domain: names, actions and numbers of a domain, with its facts exchanged.

Knowledge misleads there, and the book alone counts. Action by action, the truths of which the action knows
something exchange their cells: which states rule the truth out, and between which numbers it lies. So each
state rules out as many truths as before, each truth is ruled out by the same actions, and a note such as
"salts tell nothing" stays true. As many cells as possible then differ in what rules the truth out; which of
these permutations it is, is drawn.
"""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import COUNTERFACTUAL, Outcome, SeedConfig

_SWAPS = 10  # tries for each truth: from the permutation that is built to one that is drawn

_Rules = frozenset[int]
"""The numbers of the states of an action that rule a truth out."""


def make_counterfactual(config: SeedConfig, seed: int) -> SeedConfig:
    """Return the domain's counterfactual of this seed, under a name that says so."""
    purpose = f"counterfactual of {config.name}"
    outcomes = tuple(
        _exchange(outcome, config.truths, derive_rng(seed, purpose, index))
        for index, outcome in enumerate(config.outcomes)
    )
    return replace(config, name=config.name + COUNTERFACTUAL, outcomes=outcomes)


def share_changed(config: SeedConfig, other: SeedConfig) -> float:
    """Return the share of the cells by which other states rule the truth out; empty cells do not count."""
    changed = total = 0
    for one, two in zip(config.outcomes, other.outcomes, strict=True):
        before, after = _rules_by_truth(one), _rules_by_truth(two)
        known = _known_truths(one, config.truths)
        total += len(known)
        changed += sum(before[truth] != after[truth] for truth in known)
    return changed / total if total else 0.0


def _exchange(outcome: Outcome, truths: tuple[str, ...], rng: random.Random) -> Outcome:
    rules, known = _rules_by_truth(outcome), _known_truths(outcome, truths)
    source = _draw_sources(known, rules, rng)
    cells = {truth: (low, high) for truth, low, high in outcome.cells}
    return replace(
        outcome,
        states=tuple(
            replace(state, rules_out=tuple(t for t in known if number in rules[source[t]]))
            for number, state in enumerate(outcome.states)
        ),
        cells=tuple((t, *cells[source[t]]) for t in known if source[t] in cells),
    )


def _draw_sources(known: list[str], rules: dict[str, _Rules], rng: random.Random) -> dict[str, str]:
    """Return whose cell each truth gets: a permutation that changes the rules of as many as possible.

    Of n truths, f of which have the commonest rules, min(n, 2(n - f)) can change. Sorted by rules and moved
    on by f they do; exchanges that lose none of them then make the order random.
    """
    if len(known) < 2:
        return {truth: truth for truth in known}
    kinds = Counter(rules[truth] for truth in known)
    order = {kind: rng.random() for kind in kinds}
    arranged = sorted(rng.sample(known, len(known)), key=lambda truth: order[rules[truth]])
    step = max(kinds.values())
    source = dict(zip(arranged, [*arranged[step:], *arranged[:step]], strict=True))

    def changes(truth: str, other: str) -> bool:
        return rules[truth] != rules[other]

    for _ in range(_SWAPS * len(known)):
        one, two = rng.sample(known, 2)
        first, second = source[one], source[two]
        if changes(one, second) + changes(two, first) >= changes(one, first) + changes(two, second):
            source[one], source[two] = second, first
    return source


def _rules_by_truth(outcome: Outcome) -> dict[str, _Rules]:
    found: dict[str, set[int]] = defaultdict(set)
    for number, state in enumerate(outcome.states):
        for truth in state.rules_out:
            found[truth].add(number)
    return defaultdict(frozenset, {truth: frozenset(numbers) for truth, numbers in found.items()})


def _known_truths(outcome: Outcome, truths: tuple[str, ...]) -> list[str]:
    """Return the truths with a cell: those that a state rules out, or whose number is known."""
    known = {truth for state in outcome.states for truth in state.rules_out}
    known |= {truth for truth, _, _ in outcome.cells}
    return [truth for truth in dict.fromkeys(truths) if truth in known]
