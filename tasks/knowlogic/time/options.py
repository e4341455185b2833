"""Options about a week or a life: sentences that are true or false, and not so without the statements."""

import random
from collections.abc import Callable, Hashable

from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.time.claims import DAYS, LIFE, WEEK, Claim, claim_of, holds
from perennial.tasks.knowlogic.time.hidden import Text, say_difference, say_week_difference
from perennial.tasks.knowlogic.time.tables import Times

# How far a wrong year or number of years lies from the right one.
_OFF = (-3, -2, -1, 1, 2, 3)


class OptionMaker:
    """Draws options about a text."""

    def __init__(self, times: Times, text: Text, rng: random.Random) -> None:
        """Take the text and the generator."""
        self.times, self.text, self.rng = times, text, rng
        self.events = sorted(text.at)
        self.spans = [
            span.id for span in times.spans.values() if span.start in text.at and span.end in text.at
        ]
        self.given = {self._pair_of(claim) for claim in text.given}
        forms: dict[str, tuple[Callable[[bool], Proposition], ...]] = {
            WEEK: (self._day, self._days_apart, self._days_apart, self._days_apart),
            LIFE: (self._year, self._apart, self._apart, self._order, self._gap),
        }
        self.forms = list(forms[text.scenario])
        if text.scenario == WEEK and not any(claim.kind == "at" for claim in text.given):
            self.forms.remove(self._day)
        if text.anchors:
            self.forms += [self._anchor_apart, self._anchor_apart, self._anchor_order]
        if self.spans:
            self.forms += [self._length, self._length]
        if len(self.spans) > 1:
            self.forms += [self._compare, self._compare]

    def draw(self, *, is_true: bool) -> Proposition | None:
        """Return a sentence with this verdict that may be an option; None where a draw failed."""
        return self.accept(self.rng.choice(self.forms)(is_true), is_true=is_true)

    def draw_vague(self) -> Proposition:
        """Return a true sentence that may hold of several events."""
        if self.text.scenario == WEEK:
            return self.rng.choice(self.forms)(True)
        orders = [self._order, self._anchor_order] if self.text.anchors else [self._order]
        return self.rng.choice(orders)(True)

    def accept(self, said: Proposition, *, is_true: bool) -> Proposition | None:
        """Return the sentence where it has the verdict, and statements must be put together; else None.

        A sentence that repeats a statement or changes its number alone is refused, and one that the order of
        a life decides without any statement.
        """
        claim = self.claim(said)
        if holds(self.times, self.text.scenario, claim, self.text.at) is not is_true:
            return None
        return None if self._pair_of(claim) in self.given or self._is_plain(claim) else said

    def claim(self, said: Proposition) -> Claim:
        """Return what a sentence says."""
        return claim_of(self.times, self.text.scenario, said)

    def is_true(self, said: Proposition) -> bool:
        """Whether a sentence holds."""
        return holds(self.times, self.text.scenario, self.claim(said), self.text.at)

    def key(self, said: Proposition) -> Hashable:
        """Return what is equal for sentences of which one would repeat the other."""
        return self._key(self.claim(said))

    def _key(self, claim: Claim) -> Hashable:
        # 'Three years apart' says hardly less than 'three years after'.
        if self.text.scenario == LIFE and claim.kind in ("difference", "gap"):
            return ("apart", claim.left, claim.right, abs(claim.number))
        return claim

    @staticmethod
    def _pair_of(claim: Claim) -> tuple[str, str, str]:
        kind = "apart" if claim.kind in ("difference", "gap") else claim.kind
        return kind, claim.left, claim.right

    def _is_plain(self, claim: Claim) -> bool:
        """Whether the order of a life alone decides a claim about two events."""
        if self.text.scenario == WEEK or claim.kind not in ("difference", "gap", "order"):
            return False
        signs = {(claim.left, claim.right): -1, (claim.right, claim.left): 1}
        for pair, sign in signs.items():
            if pair in self.times.orders:
                years = abs(claim.number) if claim.kind == "gap" else sign * claim.number
                return claim.kind == "order" or years < self.times.orders[pair]
        return False

    def _say(self, template: str, *arguments: Argument) -> Proposition:
        return Proposition(template, (self.text.person, *arguments))

    def _pair(self) -> tuple[str, str]:
        first, second = self.rng.sample(self.events, 2)
        return first, second

    def _miss(self, number: int, *, is_true: bool) -> int:
        """Return the number, or one near it, on the same side of 0, where it shall be wrong."""
        if is_true:
            return number
        near = [number + off for off in _OFF]
        return self.rng.choice([each for each in near if each * number > 0] or near)

    def _day(self, is_true: bool) -> Proposition:
        event = self.rng.choice(self.events)
        off = 0 if is_true else self.rng.randrange(1, DAYS)
        return self._say("on", event, (self.text.at[event] + off) % DAYS)

    def _days_apart(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        off = 0 if is_true else self.rng.randrange(1, DAYS)
        apart = self.text.at[first] - self.text.at[second] + off
        return say_week_difference(self.text.person, first, second, apart, self.rng)

    def _year(self, is_true: bool) -> Proposition:
        event = self.rng.choice(self.events)
        return self._say("year", event, self._miss(self.text.at[event], is_true=is_true))

    def _apart(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        apart = self._miss(self.text.at[first] - self.text.at[second], is_true=is_true)
        return say_difference(self.text.person, first, second, apart)

    def _gap(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        apart = abs(self._miss(self.text.at[first] - self.text.at[second], is_true=is_true))
        return self._say("gap", first, second, apart) if apart else self._say("same", first, second)

    def _anchor_apart(self, is_true: bool) -> Proposition:
        event, anchor = self.rng.choice(self.events), self.rng.choice(self.text.anchors)
        apart = self._miss(self.text.at[event] - self.times.year_of(anchor), is_true=is_true)
        return say_difference(self.text.person, event, anchor, apart, prefix="anchor_")

    def _order(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        is_earlier = (self.text.at[first] < self.text.at[second]) is is_true
        return self._say("earlier" if is_earlier else "later", first, second)

    def _anchor_order(self, is_true: bool) -> Proposition:
        event, anchor = self.rng.choice(self.events), self.rng.choice(self.text.anchors)
        is_earlier = (self.text.at[event] < self.times.year_of(anchor)) is is_true
        return self._say("anchor_earlier" if is_earlier else "anchor_later", event, anchor)

    def _length(self, is_true: bool) -> Proposition:
        span = self.times.spans[self.rng.choice(self.spans)]
        years = self._miss(self.text.at[span.end] - self.text.at[span.start], is_true=is_true)
        return self._say("lasts", span.id, max(1, years))

    def _compare(self, is_true: bool) -> Proposition:
        first, second = self.rng.sample(self.spans, 2)
        forms = [self._say(form, first, second) for form in ("longer", "shorter", "as_long")]
        return self.rng.choice([form for form in forms if self.is_true(form) is is_true])
