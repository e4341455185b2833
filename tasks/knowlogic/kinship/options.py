"""Options of a question: sentences that the statements make true or false, and their steps."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perennial.schemas.knowlogic.things import GAP, Argument, Difficulty, Proposition
from perennial.tasks.knowlogic.kinship.derivation import Derivations, count_steps, list_pairs
from perennial.tasks.knowlogic.kinship.models import Resolved, find_holder, holds, resolve
from perennial.tasks.knowlogic.kinship.statements import Stated, find_truths
from perennial.tasks.knowlogic.kinship.terms import Term

# How often an option has each form; the last one makes `nm` of the difficulty formula 1.
FORMS: dict[Difficulty, dict[str, float]] = {
    "easy": {"is": 0.7, "is_of_holder": 0.15, "holder_is": 0.15},
    "medium": {"is": 0.4, "is_of_holder": 0.2, "holder_is": 0.25, "holder_is_of_holder": 0.15},
    "hard": {"is": 0.3, "is_of_holder": 0.2, "holder_is": 0.3, "holder_is_of_holder": 0.2},
}
# Terms that describe a person have at most so many steps.
_DESCRIBED = 3


@dataclass(frozen=True)
class Options:
    """What may be said of a family whose statements allow it alone."""

    terms: Mapping[str, Term]
    stated: Stated

    @cached_property
    def usable(self) -> list[Term]:
        """The terms that questions use."""
        return [term for term in self.terms.values() if term.used]

    @cached_property
    def derivations(self) -> Derivations:
        """The relations that follow from the statements."""
        return Derivations(self.stated.model.family, list_pairs(self.terms, self.stated.statements))

    @cached_property
    def truths(self) -> list[Proposition]:
        """The true sentences of one term."""
        return find_truths(self.usable, self.stated.model)

    @cached_property
    def _weights(self) -> list[int]:
        # Most pairs of a family are close: words for distant relatives would be rare.
        return [self.terms[str(each.arguments[2])].length ** 2 for each in self.truths]

    @cached_property
    def descriptions(self) -> list[tuple[int, str, int]]:
        """Descriptions that fit exactly one person: of whom, the term, and the person."""
        model = self.stated.model
        said = sorted({(int(of), str(term)) for _, of, term in (each.arguments for each in self.truths)})
        return [
            (of, term, holder)
            for of, term in said
            if self.terms[term].length <= _DESCRIBED
            and (holder := find_holder(model, self.terms[term], of)) is not None
        ]

    def steps(self, option: Proposition) -> int | None:
        """Return the steps that decide an option; None where it does not follow by composition."""
        return count_steps(self.terms, self.stated.model, self.derivations, option)

    def is_fit(self, option: Proposition, wanted: bool, *, is_choice: bool = False) -> bool:
        """Return whether an option has this verdict and repeats no statement.

        A false one must be nothing that some would say in a loose sense; one that is a sentence of its own
        must be worth a thought.
        """
        if option in self.stated.statements or holds(self.terms, self.stated.model, option) is not wanted:
            return False
        if wanted:
            return True
        resolved = resolve(self.terms, self.stated.model, option)
        assert resolved is not None, "an option that is decided describes somebody"
        return (is_choice or not self._is_absurd(resolved)) and not self._is_loose(resolved)

    def _is_absurd(self, said: Resolved) -> bool:
        """Return whether the sexes tell that it is false: a woman's wife's sister, a man as a mother."""
        sexes = self.stated.model.family.sexes
        spouses = {shape[0] for shape in said.term.shapes}
        return sexes[said.who] != said.term.sex or spouses == {"h" if sexes[said.of] == "m" else "w"}

    def _is_loose(self, said: Resolved) -> bool:
        """Return whether some use the term so: from the view of the spouse or a child, or for a cousin."""
        family = self.stated.model.family
        relation = family.relations[said.of][said.who]
        if relation is None:
            return True
        for other, each in enumerate(family.relations[said.of]):
            is_near = each is not None and each.shape in ("h", "w", "s", "d") and other != said.who
            if is_near and family.comparisons(said.term, other, said.who) is not None:
                return True
        true = [each for each in self.terms.values() if relation.shape in each.shapes]
        return any(each.words["zh"].endswith(said.term.words["zh"]) for each in true if each is not said.term)

    def draw_twins(
        self, form: str, steps: range, rng: random.Random
    ) -> tuple[Proposition, Proposition] | None:
        """Return a true sentence of this form and a false one about somebody else, decided in such steps.

        They have the same terms. Whoever shows either as often as the other gives nothing away by words:
        a term that a family lets nobody be called wrongly is in no true option. None where this draw failed.
        """
        true = self._draw_true(form, rng)
        if true is None or not self._is_shown(true, True, steps):
            return None
        people = range(self.stated.model.family.size)
        places = [place for place, each in enumerate(true.arguments) if isinstance(each, int)]
        changes = [(place, x) for place in places for x in people if x not in true.arguments]
        for place, x in rng.sample(changes, len(changes)):
            arguments = (*true.arguments[:place], x, *true.arguments[place + 1 :])
            false = Proposition(form, arguments)
            if self._is_shown(false, False, steps):
                return true, false
        return None

    def _is_shown(self, option: Proposition, wanted: bool, steps: range) -> bool:
        return self.is_fit(option, wanted) and self.steps(option) in steps

    def _draw_true(self, form: str, rng: random.Random) -> Proposition | None:
        """Return a true sentence: of names, or with descriptions in the place of the names."""
        if form.endswith("of_holder"):
            truth = rng.choice(self._basic_truths)
        else:
            truth = rng.choices(self.truths, self._weights)[0]
        if form == "is":
            return truth
        who, of, term = truth.arguments
        left = right = None
        if form.startswith("holder_is"):
            left = self._describe(who, of, rng)
        if form.endswith("of_holder"):
            right = self._describe(of, who, rng)
        if form == "holder_is":
            return left and Proposition(form, (*left, of, term))
        if form == "is_of_holder":
            return right and Proposition(form, (who, *right, term))
        if left is None or right is None or left[0] == right[0]:
            return None
        return Proposition(form, (*left, *right, term))

    @cached_property
    def _basic_truths(self) -> list[Proposition]:
        return [each for each in self.truths if self.terms[str(each.arguments[2])].length == 1]

    def _describe(self, holder: Argument, other: Argument, rng: random.Random) -> tuple[int, str] | None:
        """Return a description of somebody that does not start from the other person of the sentence."""
        found = [(of, term) for of, term, each in self.descriptions if each == holder and of != other]
        return rng.choice(found) if found else None

    def draw_gap(self, form: str, least: int, rng: random.Random) -> Proposition | None:
        """Return a sentence with a gap that so many people fit, or more; None where there is none."""
        found = [asked for asked, number in self.gaps.items() if asked.template == form and number >= least]
        return rng.choice(found) if found else None

    @cached_property
    def gaps(self) -> Counter[Proposition]:
        """The sentences with a gap, with the number of people who fit."""
        found: Counter[Proposition] = Counter()
        for who, of, term in (each.arguments for each in self.truths):
            found[Proposition("is", (GAP, of, term))] += 1
            found[Proposition("is", (who, GAP, term))] += 1
            if self.terms[str(term)].length == 1:
                for b, first, holder in self.descriptions:
                    if holder == of and b != who:
                        found[Proposition("is_of_holder", (GAP, b, first, term))] += 1
        return found
