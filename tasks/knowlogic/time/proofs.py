"""What follows from the statements about times, by rules, with the statements that each fact needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.knowlogic.closure import Closure, Step, close
from tasks.knowlogic.problem import Problem
from tasks.knowlogic.time.claims import DAYS, WEEK, Claim, claim_of
from tasks.knowlogic.time.tables import Times

# (kind, left, right, number): 'apart' says that left is so many years (days) after right, 'gap' and 'as_long'
# are as in claims. The calendar itself stands as the event "" of the time 0.
Fact = tuple[str, str, str, int]
_CALENDAR = ""


@dataclass(frozen=True)
class Proofs:
    """The closure of a problem's statements; `said` are their facts, `by_pair` the differences found."""

    times: Times
    scenario: str
    closure: Closure[Fact]
    said: frozenset[Fact]
    by_pair: dict[tuple[str, str], Fact]

    def facts_for(self, claim: Claim) -> list[Fact]:
        """Return the facts that decide a claim; raise KeyError where the rules do not find them."""
        if claim.kind in ("longer", "as_long"):
            spans = (self.times.spans[claim.left], self.times.spans[claim.right])
            pairs = [(span.end, span.start) for span in spans]
        else:
            pairs = [(claim.left, claim.right)]
        return [self.by_pair[min(a, b), max(a, b)] for a, b in pairs]

    def statements_for(self, claim: Claim) -> int:
        """Return how many statements the smallest proofs found for a claim rest on."""
        facts = self.facts_for(claim)
        return len({each for fact in facts for each in self.closure.given_facts(fact)} & self.said)

    def rules_for(self, claim: Claim) -> set[str]:
        """Return the rules of these proofs, and the events of history whose year they use."""
        rules: set[str] = set()
        for fact in self.facts_for(claim):
            rules |= {step.rule for step in self.closure.proof(fact).values()}
            used = self.closure.given_facts(fact) - self.said
            rules |= {f"anchor_year:{each[2]}" for each in used}
        return rules


def prove(times: Times, problem: Problem) -> Proofs:
    """Return all differences of times that follow from the statements and the events of history they name."""
    scenario = problem.scenario
    claims = [claim_of(times, scenario, each) for each in problem.statements]
    said = [_fact_of(scenario, claim) for claim in claims if claim.kind not in ("order", "longer")]
    named = {each for one in (*problem.statements, *problem.options) for each in one.arguments}
    anchors = sorted(str(each) for each in named if each in times.history)
    known = [_apart(scenario, anchor, _CALENDAR, times.year_of(anchor)) for anchor in anchors]

    def chain(facts: dict[Fact, Step[Fact]], new: list[Fact]) -> Iterator[tuple[Fact, Step[Fact]]]:
        yield from _compose(scenario, facts, new)
        yield from _use_order(times, scenario, new)
        yield from _use_spans(times, scenario, facts)

    closure = close([*said, *known], chain)
    by_pair = {(fact[1], fact[2]): fact for fact in reversed(closure.steps) if fact[0] == "apart"}
    return Proofs(times, scenario, closure, frozenset(said), by_pair)


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
    """Yield the sums of two differences that share an event."""
    at: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact[0] == "apart":
            at.setdefault(fact[1], []).append(fact)
            at.setdefault(fact[2], []).append(fact)
    for fact in new:
        if fact[0] != "apart":
            continue
        for shared, other in ((fact[1], fact[2]), (fact[2], fact[1])):
            for second in at[shared]:
                third = second[2] if second[1] == shared else second[1]
                if third == other:
                    continue
                number = _from_to(shared, other, fact) - _from_to(shared, third, second)
                rule = "sum_of_differences"
                if shared == _CALENDAR:
                    rule = "difference_of_dates"
                elif _CALENDAR in (other, third):
                    rule = "date_from_difference"
                if scenario == WEEK:
                    rule += "_modulo_7"
                yield _apart(scenario, other, third, number), Step(rule, (fact, second))


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
