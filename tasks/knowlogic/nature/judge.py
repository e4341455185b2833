"""What an engine finds of a nature question: arrangements, verdicts, labels, canonical form."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perennial.schemas.knowlogic.things import GAP, Argument, Decision, Labels, Proposition
from perennial.tasks.knowlogic.arrangement.frame import Constraint, all_of, fewest_statements, verdict
from perennial.tasks.knowlogic.arrangement.solver import decide_by_solver
from perennial.tasks.knowlogic.closure import Closure
from perennial.tasks.knowlogic.nature.difficulty import CUTS, is_unmentioned, rate, slots_of
from perennial.tasks.knowlogic.nature.facts import FRAME
from perennial.tasks.knowlogic.nature.meaning import ORDERS, SIZE, SYMMETRIC, Meaning, constrain
from perennial.tasks.knowlogic.nature.rules import Fact, close_cells, rules_of_order
from perennial.tasks.knowlogic.nature.tables import Nature
from perennial.tasks.knowlogic.problem import Problem


@dataclass(frozen=True)
class Judge:
    """Judges what a question says, from nothing but the question and the tables."""

    nature: Nature
    meanings: Mapping[str, Meaning]

    def decide(self, problem: Problem) -> Decision:
        """Return arrangements and verdicts by masks; raise ValueError for what cannot be said of the four."""
        held = all_of(FRAME, self._masks(problem, problem.statements))
        options = self._masks(problem, problem.options)
        # Where nothing can hold, neither can an option.
        return Decision(held.bit_count(), tuple(verdict(held, mask) if held else False for mask in options))

    def check(self, problem: Problem) -> Decision:
        """Return the same by python-sat."""
        return decide_by_solver(
            SIZE,
            SIZE,
            [self._constraint(problem, said) for said in problem.statements],
            [self._constraint(problem, said) for said in problem.options],
        )

    def labels(self, problem: Problem) -> Labels:
        """Return the labels; raise ValueError where the statements leave an option open."""
        said = (*problem.statements, *problem.options)
        used = [self.meanings[each.template] for each in said]
        properties = {meaning.about for meaning in used if meaning.about}
        statements = self._masks(problem, problem.statements)
        kl = sum(self.nature.properties[name].difficulty for name in properties)
        cl = max(fewest_statements(FRAME, statements, mask) for mask in self._masks(problem, problem.options))
        nm = is_unmentioned(self._find_slots(problem.statements), self._find_places_asked(problem))
        return Labels(
            properties=tuple(sorted(properties)),
            relations=tuple(sorted({meaning.template for meaning in used if meaning.relation})),
            rules=tuple(sorted(self._rules(problem, used))),
            chain_length=cl,
            precision="vague" if problem.type.startswith("vague") else "precise",
            level=rate(kl, cl, nm),
            difficulty=CUTS.classify(cl, problem.type, len(problem.options)),
            variables={"kl": kl, "cl": cl, "nm": float(nm)},
        )

    def canonical(self, problem: Problem) -> object:
        """Return a value that is equal for questions that differ by the numbers of the places alone.

        The things are what they are, but a number is only a name: each place is named by the thing that the
        statements put there. (Where they allow several arrangements, places keep their numbers.)
        """
        held = all_of(FRAME, self._masks(problem, problem.statements))
        names: dict[Argument, Argument] = {}
        if held.bit_count() == 1:
            arrangement = FRAME.arrangement(held)
            names = {slot + 1: problem.entities[place] for slot, place in enumerate(arrangement)}
        asked = problem.asked and self._rename(problem.asked, names)
        return [
            problem.scenario,
            sorted(map(str, problem.entities)),
            sorted((self._rename(each, names) for each in problem.statements), key=repr),
            problem.type if asked is None else asked,
            sorted((self._rename(each, names) for each in problem.options), key=repr)
            if asked is None
            else [],
        ]

    def _rename(self, said: Proposition, names: Mapping[Argument, Argument]) -> list[object]:
        meaning = self.meanings[said.template]
        places = [names.get(slot, slot) for slot in said.arguments[: meaning.slots]]
        if meaning.relation in SYMMETRIC:
            places.sort(key=str)
        return [said.template, *places, *said.arguments[meaning.slots :]]

    def _constraint(self, problem: Problem, said: Proposition) -> Constraint:
        meaning = self._meaning(said)
        name = meaning.about
        cells = [] if name is None else [self.nature.cells[str(entity)][name] for entity in problem.entities]
        return constrain(meaning, said.arguments, problem.entities, cells)

    def _meaning(self, said: Proposition) -> Meaning:
        if said.template not in self.meanings:
            raise ValueError(f"no template {said.template!r}")
        return self.meanings[said.template]

    def _masks(self, problem: Problem, said: tuple[Proposition, ...]) -> list[int]:
        return [FRAME.mask(self._constraint(problem, each)) for each in said]

    def _find_slots(self, said: tuple[Proposition, ...]) -> set[int]:
        return {slot for each in said for slot in slots_of(self._meaning(each), each)}

    def _find_places_asked(self, problem: Problem) -> set[int]:
        """Return the places that the question is about (`difficulty`)."""
        if problem.asked is None or GAP not in problem.asked.arguments[:1]:
            return self._find_slots(problem.options if problem.asked is None else (problem.asked,))
        held = all_of(FRAME, self._masks(problem, problem.statements))
        masks = self._masks(problem, problem.options)
        right = (option for option, mask in zip(problem.options, masks, strict=True) if verdict(held, mask))
        return self._find_slots(tuple(right))

    def _rules(self, problem: Problem, used: list[Meaning]) -> set[str]:
        """Return the rules by which the cells that the question uses follow from other cells of a thing.

        They are those below a used property's cell in its closure; of what orders values, those below each
        pair of neighboring values of the four.
        """
        found: set[str] = set()
        for meaning in used:
            if meaning.about is None:
                continue
            cells = [str(self.nature.cells[str(entity)][meaning.about]) for entity in problem.entities]
            for entity, cell in zip(problem.entities, cells, strict=True):
                closure = self._closures[str(entity)]
                if (meaning.about, cell) in closure:
                    found |= {step.rule for step in closure.proof((meaning.about, cell)).values()}
            if meaning.relation in ORDERS:
                found |= rules_of_order(ORDERS[meaning.relation], cells)
        return found

    @cached_property
    def _closures(self) -> dict[str, Closure[Fact]]:
        return {entity: close_cells(self.nature, entity) for entity in self.nature.entities}
