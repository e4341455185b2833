"""Draw a question about surnames that keeps a request."""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

from perennial.schemas.knowlogic.things import GAP, Argument, Difficulty, Proposition
from perennial.tasks.knowlogic.arrangement.frame import drop_redundant
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.problem import Problem, fill
from perennial.tasks.knowlogic.social.difficulty import CUTS
from perennial.tasks.knowlogic.surnames.judge import count_steps, frame_of
from perennial.tasks.knowlogic.surnames.meaning import KIN, OF_ONE, OF_TWO, constrain, steps_of
from perennial.tasks.knowlogic.surnames.wording import SCENARIO

_SIZES: dict[Difficulty, tuple[int, ...]] = {"easy": (4, 5), "medium": (5, 6), "hard": (6, 7)}
# A vague gap leaves out a person who is named, and shows four others.
_LEAST_VAGUE = 6
_SURNAMES = (2, 3, 3)
# Questions drawn for a request, and statements drawn for a question.
_TRIES, _TEXTS = 60, 4
# How often a statement has each form; few say directly what somebody's surname is.
_WEIGHTS = {"surname": 1.0, "surname_not": 1.0, "same": 2.0, "different": 2.0, KIN: 2.0}

_Asked = tuple[Proposition | None, list[Proposition]]


class Drawer:
    """Draws questions from people, surnames and the terms of kin that keep a surname."""

    def __init__(self, people: Sequence[str], surnames: Sequence[str], terms: Mapping[str, Term]) -> None:
        self._people = people
        self._surnames = surnames
        self._terms = terms

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """Return a problem that keeps the request, or None where this draw failed."""
        for _ in range(_TRIES):
            size = rng.choice(_SIZES[request.difficulty])
            if request.type == "vague_entity":
                size = max(size, _LEAST_VAGUE)
            people = rng.sample(self._people, size)
            surnames = rng.sample(self._surnames, rng.choice(_SURNAMES))
            draft = _Draft(people, surnames, self._terms, request, rng)
            if problem := draft.make():
                return problem
        return None


class _Draft:
    """A hidden arrangement, a question about it, and statements."""

    def __init__(
        self,
        people: Sequence[str],
        surnames: Sequence[str],
        terms: Mapping[str, Term],
        request: Request,
        rng: random.Random,
    ) -> None:
        self.people, self.surnames, self.terms = people, surnames, terms
        self.request, self.rng = request, rng
        self.whole = frame_of(len(people), len(surnames))
        self.of = {each: rng.choice(surnames) for each in people}
        self.hidden = self.whole.full
        for each, surname in self.of.items():
            self.hidden &= self.mask(Proposition("surname", (each, surname)))

    def mask(self, said: Proposition) -> int:
        return self.whole.mask(constrain(self.terms, self.people, self.surnames, said))

    def is_true(self, said: Proposition) -> bool:
        return bool(self.mask(said) & self.hidden)

    def make(self) -> Problem | None:
        """Return a problem; None where question or statements do not come out."""
        own = self.request.count_own(self.rng)
        asks = self._draw_gap if self.request.type.endswith("entity") else self._draw_claims
        found = asks(own)
        if found is None:
            return None
        asked, options = found
        steps = CUTS.list_steps(self.request.difficulty, self.request.type, own)
        for _ in range(_TEXTS):
            statements = self._draw_statements(options, steps)
            if statements:
                return Problem(
                    scenario=SCENARIO,
                    entities=tuple(self.people),
                    details=tuple(self.surnames),
                    statements=tuple(statements),
                    type=self.request.type,
                    asked=asked,
                    options=tuple(options),
                )
        return None

    def _draw_claims(self, own: int) -> _Asked | None:
        """Return options that are claims, so many of them right, of forms that tell nothing."""
        true_is_right = self.request.type == "correct_statements"
        wanted = [true_is_right] * self.request.right + [not true_is_right] * (own - self.request.right)
        self.rng.shuffle(wanted)
        chosen: list[Proposition] = []
        taken: set[int] = set()
        for truth in wanted:
            form = self.rng.choice((*OF_ONE, *OF_TWO))
            claims = [each for each in self._list_claims(form) if self.is_true(each) is truth]
            claims = [each for each in claims if self.mask(each) not in taken]
            if not claims:
                return None
            chosen.append(self.rng.choice(claims))
            taken |= {self.mask(chosen[-1]), self.mask(chosen[-1]) ^ self.whole.full}
        return None, chosen

    def _draw_gap(self, own: int) -> _Asked | None:
        """Return a sentence with a gap for a person, and options, so many of them right."""
        form = self.rng.choice((*OF_ONE, *OF_TWO))
        other: Argument = self.rng.choice(self.surnames if form in OF_ONE else self.people)
        asked = Proposition(form, (GAP, other))
        filled = [fill(asked, each) for each in self.people if each != other]
        right = [each for each in filled if self.is_true(each)]
        wrong = [each for each in filled if each not in right]
        if (len(right) > 1) != (self.request.type == "vague_entity") or not right:
            return None
        number = self.request.right
        if len(right) < number or len(wrong) < own - number:
            return None
        options = self.rng.sample(right, number) + self.rng.sample(wrong, own - number)
        self.rng.shuffle(options)
        return asked, options

    def _list_claims(self, form: str) -> list[Proposition]:
        if form in OF_ONE:
            return [Proposition(form, (x, surname)) for x in self.people for surname in self.surnames]
        return [Proposition(form, self._swap(pair)) for pair in combinations(self.people, 2)]

    def _swap(self, pair: tuple[str, str]) -> tuple[str, str]:
        return pair if self.rng.random() < 0.5 else pair[::-1]

    def _draw_statements(self, options: Sequence[Proposition], steps: range) -> list[Proposition] | None:
        """Return statements that allow the hidden arrangement alone and decide the options in such steps.

        None says or denies what an option says, but a relation of kin may: there the surname is to be found.
        """
        masks = [self.mask(each) for each in options]
        banned = {each for mask in masks for each in (mask, mask ^ self.whole.full)}
        chosen, held = self._collect(banned)
        if held != self.hidden:
            return None
        # What says a surname directly goes first where the others say it too: proofs are longer so.
        order = sorted(range(len(chosen)), key=lambda place: chosen[place].template not in OF_ONE)
        if self.request.difficulty == "easy":
            order.reverse()
        said = [self.mask(each) for each in chosen]
        kept = [chosen[place] for place in drop_redundant(self.whole, said, order)]
        said, costs = [self.mask(each) for each in kept], [steps_of(each) for each in kept]
        if max(count_steps(self.whole, said, costs, mask) for mask in set(masks)) not in steps:
            return None
        self.rng.shuffle(kept)
        return kept

    def _collect(self, banned: set[int]) -> tuple[list[Proposition], int]:
        """Return true statements until one arrangement is left or none is new, and what they allow."""
        pools = {form: self._list_true(form) for form in _WEIGHTS}
        chosen: list[Proposition] = []
        related: set[Argument] = set()
        held = self.whole.full
        while held != self.hidden and any(pools.values()):
            forms = [form for form in _WEIGHTS if pools[form]]
            (form,) = self.rng.choices(forms, [_WEIGHTS[each] for each in forms])
            said = pools[form].pop()
            mask = self.mask(said)
            # Nobody is in two relations of kin: they can never contradict each other.
            if form == KIN and related & set(said.arguments[:2]):
                continue
            if held & mask != held and (form == KIN or mask not in banned):
                chosen.append(said)
                held &= mask
                related |= set(said.arguments[:2]) if form == KIN else set()
        return chosen, held

    def _list_true(self, form: str) -> list[Proposition]:
        """Return the true statements of a form in random order; relations of kin of random terms."""
        if form == KIN:
            pairs = [each for each in self._list_claims("same") if self.is_true(each)]
            terms = self.rng.choices(list(self.terms), k=len(pairs))
            found = [Proposition(KIN, (*each.arguments, t)) for each, t in zip(pairs, terms, strict=True)]
        else:
            found = [each for each in self._list_claims(form) if self.is_true(each)]
        self.rng.shuffle(found)
        return found
