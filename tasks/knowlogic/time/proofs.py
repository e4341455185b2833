"""What follows from the statements about times, by rules, with the statements that each fact needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.closure import Closure, Step, close
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import DAYS, WEEK, Claim, claim_of
from perennial.tasks.knowlogic.time.tables import Times

# (kind, left, right, number): 'apart' says that left is so many years (days) after right, 'gap' and 'as_long'
# are as in claims. The calendar itself stands as the event "" of the time 0.
Fact = tuple[str, str, str, int]
_CALENDAR = ""
# Rules that give a difference without a sum of two.
_PLAIN = ("given", "order_of_life", "same_duration")
# A sum adds one difference a round, and no text has more than so many.
_ROUNDS = 24


@dataclass(frozen=True)
class Proofs:
    """The closure of a problem's statements; `said` has each by its fact, `by_pair` the differences found."""

    times: Times
    scenario: str
    closure: Closure[Fact]
    said: Mapping[Fact, Proposition]
    by_pair: dict[tuple[str, str], Fact]

    def facts_for(self, claim: Claim) -> list[Fact]:
        """Return the facts that decide a claim; raise KeyError where the rules do not find them."""
        if claim.kind in ("longer", "as_long"):
            spans = (self.times.spans[claim.left], self.times.spans[claim.right])
            pairs = [(span.end, span.start) for span in spans]
        else:
            pairs = [(claim.left, claim.right)]
        return [self.by_pair[min(a, b), max(a, b)] for a, b in pairs]

    def statements_for(self, claim: Claim) -> list[Proposition]:
        """Return the statements that the smallest proofs found for a claim rest on."""
        used = {each for fact in self.facts_for(claim) for each in self.closure.grounds(fact)}
        return [statement for fact, statement in self.said.items() if fact in used]

    def rules_for(self, claim: Claim) -> set[str]:
        """Return the rules of these proofs, and the events of history whose year they use."""
        rules: set[str] = set()
        for fact in self.facts_for(claim):
            rules |= {step.rule for step in self.closure.proof(fact).values()}
            used = self.closure.grounds(fact) - self.said.keys()
            rules |= {f"anchor_year:{each[2]}" for each in used}
        return rules


def count_steps(proofs: Proofs, problem: Problem) -> int:
    """Return the statements that the proof of the hardest option rests on; all, where the rules are weak."""
    longest = 1
    for option in problem.options:
        try:
            claim = claim_of(proofs.times, problem.scenario, option)
            longest = max(longest, len(proofs.statements_for(claim)))
        except KeyError:
            return len(problem.statements)
    return longest


def prove(times: Times, problem: Problem) -> Proofs:
    """Return all differences of times that follow from the statements and the events of history they name."""
    scenario = problem.scenario
    said = {_fact_of(scenario, claim_of(times, scenario, each)): each for each in problem.statements}
    named = {each for one in (*problem.statements, *problem.options) for each in one.arguments}
    anchors = sorted(str(each) for each in named if each in times.history)
    known = [_apart(scenario, anchor, _CALENDAR, times.year_of(anchor)) for anchor in anchors]

    def chain(facts: dict[Fact, Step[Fact]], new: list[Fact]) -> Iterator[tuple[Fact, Step[Fact]]]:
        yield from _compose(scenario, facts, new)
        yield from _use_order(times, scenario, new)
        yield from _use_spans(times, scenario, facts)

    closure = close([*said, *known], chain, max_depth=_ROUNDS)
    by_pair = {(fact[1], fact[2]): fact for fact in reversed(closure.steps) if fact[0] == "apart"}
    return Proofs(times, scenario, closure, said, by_pair)


def _fact_of(scenario: str, claim: Claim) -> Fact:
    if claim.kind == "at":
        return _apart(scenario, claim.left, _CALENDAR, claim.number)
    if claim.kind == "difference":
        return _apart(scenario, claim.left, claim.right, claim.number)
    return (claim.kind, claim.left, claim.right, claim.number)


def _apart(scenario: str, left: str, right: str, number: int) -> Fact:
    """Return the difference with its events in order: both directions are one fact."""
    if right < left:
        left, right, number = right, left, -number
    return ("apart", left, right, number % DAYS if scenario == WEEK else number)


def _compose(
    scenario: str, facts: dict[Fact, Step[Fact]], new: list[Fact]
) -> Iterator[tuple[Fact, Step[Fact]]]:
    """Yield the sums of two differences that share an event, one of which was not made by a sum.

    So proofs grow by one difference a round, and the first proof of a fact makes no detour.
    """
    plain = [each for each, step in facts.items() if each[0] == "apart" and step.rule in _PLAIN]
    fresh = set(new)
    if fresh & set(plain):
        pairs = [(each, other) for each in plain for other in facts if other[0] == "apart"]
    else:
        pairs = [(each, other) for each in plain for other in new if other[0] == "apart"]
    for first, second in pairs:
        if first == second or not (first in fresh or second in fresh):
            continue
        for shared, other in ((first[1], first[2]), (first[2], first[1])):
            if shared not in second[1:3]:
                continue
            third = second[2] if second[1] == shared else second[1]
            if third == other:
                continue
            number = _from_to(shared, other, first) - _from_to(shared, third, second)
            rule = "sum_of_differences"
            if shared == _CALENDAR:
                rule = "difference_of_dates"
            elif _CALENDAR in (other, third):
                rule = "date_from_difference"
            if scenario == WEEK:
                rule += "_modulo_7"
            yield _apart(scenario, other, third, number), Step(rule, (first, second))


def _from_to(start: str, end: str, fact: Fact) -> int:
    """Return by how much `end` is after `start`."""
    return -fact[3] if fact[1] == start and fact[2] == end else fact[3]


def _use_order(times: Times, scenario: str, new: list[Fact]) -> Iterator[tuple[Fact, Step[Fact]]]:
    """Yield the direction of gaps that the order of a life gives."""
    for fact in new:
        kind, left, right, number = fact
        if kind == "gap" and (right, left) in times.orders:
            yield _apart(scenario, left, right, number), Step("order_of_life", (fact,))
        elif kind == "gap" and (left, right) in times.orders:
            yield _apart(scenario, right, left, number), Step("order_of_life", (fact,))


def _use_spans(
    times: Times, scenario: str, facts: dict[Fact, Step[Fact]]
) -> Iterator[tuple[Fact, Step[Fact]]]:
    """Yield the duration of a span that lasts as long as one whose duration is known."""
    apart = {fact[1:3]: fact for fact in facts if fact[0] == "apart"}
    for fact in facts:
        if fact[0] != "as_long":
            continue
        for known, other in (fact[1:3], fact[2:0:-1]):
            span, same = times.spans[str(known)], times.spans[str(other)]
            found = apart.get((min(span.start, span.end), max(span.start, span.end)))
            if found:
                number = _from_to(span.start, span.end, found)
                yield _apart(scenario, same.end, same.start, number), Step("same_duration", (fact, found))
