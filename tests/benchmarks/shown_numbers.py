"""What a shown number tells beyond its range: python -m tests.benchmarks.shown_numbers [INSTANCES]

For each number that could be the first test of a balanced Easy instance of the bundled domains: how often is
the most probable listed truth the valid one, and what is the mean probability given to the valid truth,

- by the rules: the posterior C(t | state) / C(t), which the reference `optimum` uses (here by enumeration);
- by rules and places: times the share of numbers in each tenth of a range, among truths of one pattern (kept
  by the range below, by the range above, by all ranges), learned from the other 17 domains: what a program
  can do that reads books and never learns a fact of the domain;
- by rules and facts: times the probability of the number by the truth's own cell in `facts.csv`: what a
  player does that knows each fact as exactly as we do.
"""

import sys
from collections import Counter, defaultdict
from itertools import product
from math import floor, log10

from perennial.schemas.kumo.things import BALANCED, Instance, Outcome, SeedConfig, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.warehouse.kumo.domains.generate import FOLDER

_EASY = Setting(4, 6)
_TENTHS = 10
Pattern = tuple[bool, bool, bool, bool, bool]
Case = tuple[str, dict[str, float], dict[str, Pattern], int, dict[str, float], str]


def count_vectors(config: SeedConfig, instance: Instance) -> tuple[Counter[str], Counter[tuple[int, str]]]:
    """Return C(t), and C(t | the state that is observed) for each action."""
    outcomes = {outcome.action: outcome for outcome in config.outcomes}
    listed = frozenset(instance.truths)
    choices = [
        [(place, listed & set(state.rules_out)) for place, state in enumerate(outcomes[action].states)]
        for action in instance.actions
    ]
    whole, given = Counter[str](), Counter[tuple[int, str]]()
    for vector in product(*choices):
        left = listed.difference(*(ruled_out for _, ruled_out in vector))
        if len(left) == 1:
            (truth,) = left
            whole[truth] += 1
            for place, (state, _) in enumerate(vector):
                given[place, truth] += state == instance.states[place]
    return whole, given


def pattern_of(truth: str, outcome: Outcome, place: int) -> Pattern:
    """Return which neighbours there are and keep the truth too, as a book says."""
    kept = [truth not in state.rules_out for state in outcome.states]
    below, above = place > 0, place + 1 < len(kept)
    return below, below and kept[place - 1], above, above and kept[place + 1], all(kept)


def probability(truth: str, outcome: Outcome, place: int, number: float) -> float:
    """Return the probability of the number by the truth's cell, or by all cells where it has none."""
    state = outcome.states[place]
    assert state.low is not None
    assert state.high is not None
    spans = {
        name: (max(low, state.low), min(high, state.high))
        for name, low, high in outcome.cells
        if name not in state.rules_out
    }
    chosen = [spans[truth]] if truth in spans else list(spans.values()) or [(state.low, state.high)]
    shares = [(low <= number <= high) / _count_numbers(low, high, outcome) for low, high in chosen]
    return sum(shares) / len(shares)


def _count_numbers(low: float, high: float, outcome: Outcome) -> float:
    reach = max(abs(low), abs(high)) or 1.0
    unit = outcome.step or 10.0 ** (floor(log10(reach)) - (outcome.digits or 9) + 1)
    return floor((high - low) / unit) + 1.0


def cases_of(slug: str, instances: int) -> list[Case]:
    """Return for each number: domain, weights by rules, patterns, tenth, weights by facts, valid truth."""
    config = parse_config((FOLDER / slug / "config.json").read_text(encoding="utf-8"), slug)
    outcomes = {outcome.action: outcome for outcome in config.outcomes}
    request = SamplingRequest(_EASY, instances, 11, sampler=BALANCED)
    cases: list[Case] = []
    for instance in sample_instances(encode_config(config), request).instances:
        whole, given = count_vectors(config, instance)
        for place, (action, state, number) in enumerate(
            zip(instance.actions, instance.states, instance.observations, strict=True)
        ):
            if isinstance(number, str) or state is None:
                continue
            outcome = outcomes[action]
            low, high = outcome.states[state].low, outcome.states[state].high
            assert low is not None
            assert high is not None
            weights = {truth: given[place, truth] / whole[truth] for truth in instance.truths}
            left = [truth for truth in instance.truths if weights[truth] > 0]
            patterns = {truth: pattern_of(truth, outcome, state) for truth in left}
            tenth = min(int((number - low) / (high - low) * _TENTHS), _TENTHS - 1)
            facts = {truth: probability(truth, outcome, state, number) for truth in left}
            cases.append((slug, weights, patterns, tenth, facts, instance.valid_truths[0]))
    return cases


def judge(posteriors: list[tuple[dict[str, float], str]]) -> str:
    """Return the rate of right guesses (ties share) and the mean probability of the valid truth."""
    hits = mass = 0.0
    for weights, valid in posteriors:
        best, total = max(weights.values()), sum(weights.values())
        ties = [truth for truth, weight in weights.items() if weight >= best * (1 - 1e-9)]
        hits += (valid in ties) / len(ties)
        mass += weights[valid] / total
    return f"guess {hits / len(posteriors):.3f}, probability {mass / len(posteriors):.3f}"


def main() -> None:
    """Print the three readings over all domains."""
    instances = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    slugs = sorted(path.parent.name for path in FOLDER.glob("*/config.json"))
    cases = [case for slug in slugs for case in cases_of(slug, instances)]
    counts: dict[tuple[str, Pattern], Counter[int]] = defaultdict(Counter)
    for slug, _, patterns, tenth, _, valid in cases:
        counts[slug, patterns[valid]][tenth] += 1
    totals: dict[Pattern, Counter[int]] = defaultdict(Counter)
    for (_, pattern), counter in counts.items():
        totals[pattern] += counter
    by_rules, by_places, by_facts = [], [], []
    for slug, weights, patterns, tenth, facts, valid in cases:
        rules = {truth: weights[truth] for truth in patterns}
        places = {}
        for truth, pattern in patterns.items():
            learned = totals[pattern][tenth] - counts[slug, pattern][tenth]
            number = totals[pattern].total() - counts[slug, pattern].total()
            places[truth] = rules[truth] * (learned + 1) / (number + _TENTHS)
        by_rules.append((rules, valid))
        by_places.append((places, valid))
        by_facts.append(({truth: rules[truth] * facts[truth] for truth in patterns}, valid))
    print(f"{len(cases):,} numbers of {instances} Easy instances in each of {len(slugs)} domains")
    print(f"by the rules:            {judge(by_rules)}")
    print(f"by rules and places:     {judge(by_places)}")
    print(f"by rules and facts:      {judge(by_facts)}")


if __name__ == "__main__":
    main()
