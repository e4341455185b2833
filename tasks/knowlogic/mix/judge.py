"""What an engine finds of a mix question: facts on the shelf's board, verdicts, labels, canonical form."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perennial.schemas.knowlogic.things import GAP, Argument, Decision, Labels, Proposition
from perennial.tasks.knowlogic.arrangement.frame import fewest_statements, verdict
from perennial.tasks.knowlogic.arrangement.solver import decide_by_solver
from perennial.tasks.knowlogic.closure import Closure
from perennial.tasks.knowlogic.mix.descriptions import Descriptions, Part
from perennial.tasks.knowlogic.mix.difficulty import CUTS, rate
from perennial.tasks.knowlogic.nature.rules import Fact as Cell
from perennial.tasks.knowlogic.nature.rules import close_cells
from perennial.tasks.knowlogic.problem import Problem, right_letters
from perennial.tasks.knowlogic.space.board import Facts, board, mask_all


@dataclass(frozen=True)
class Judge:
    """Judges what a question says, from nothing but the question and the tables."""

    descriptions: Descriptions

    def facts(self, problem: Problem) -> Facts:
        """Return the facts that the problem says on its board.

        Raises ValueError for a description that does not denote exactly one thing, LookupError for a template
        that the shelf does not have.
        """
        of = board(problem.scenario)
        if len(set(problem.entities)) != of.scene.size:
            raise ValueError(f"{problem.scenario} has {len(set(problem.entities))} things")
        indices: dict[Argument, int] = {}
        for said in (*problem.statements, *problem.options):
            for item in said.arguments:
                place = self.descriptions.denote(item, problem.entities)
                if place is None:
                    raise ValueError(f"{item!r} does not denote one of {problem.entities}")
                indices[item] = place
        return Facts(
            of,
            tuple(of.fact(said, indices) for said in problem.statements),
            tuple(of.fact(said, indices) for said in problem.options),
        )

    def decide(self, problem: Problem) -> Decision:
        """Return arrangements and verdicts by masks."""
        of, statements, options = self.facts(problem)
        held = mask_all(of, statements)
        verdicts = tuple(verdict(held, of.mask(option)) if held else False for option in options)
        return Decision(held.bit_count(), verdicts)

    def check(self, problem: Problem) -> Decision:
        """Return the same by python-sat."""
        of, statements, options = self.facts(problem)
        size = of.scene.size
        return decide_by_solver(
            size, size, list(map(of.constraint, statements)), list(map(of.constraint, options))
        )

    def labels(self, problem: Problem) -> Labels:
        """Return the labels; raise ValueError where the statements leave an option open."""
        of, statements, options = self.facts(problem)
        used = {fact.predicate: of.predicates[fact.predicate] for fact in (*statements, *options)}
        parts = self._parts(problem)
        properties = {name for name, _ in parts}
        masks = [of.mask(fact) for fact in statements]
        variables = self.rate(problem)
        chain = max(fewest_statements(of.frame, masks, of.mask(option)) for option in options)
        return Labels(
            properties=tuple(
                sorted({*properties, *(name for name, each in used.items() if each.arity == 1)})
            ),
            relations=tuple(sorted(name for name, each in used.items() if each.arity > 1)),
            rules=tuple(sorted(self._rules(problem, parts))),
            chain_length=chain,
            precision="vague" if variables["level_space"] else "precise",
            level=rate(*variables.values()),
            difficulty=CUTS.classify(chain, problem.type, len(options)),
            variables=variables,
        )

    def canonical(self, problem: Problem) -> object:
        """Return a value that is equal for questions that differ by wording and order alone.

        Things and descriptions are what they are, and no two places of a shelf are alike; of templates that
        say the same predicate, the predicate counts.
        """
        of = board(problem.scenario)

        def form(said: Proposition) -> list[object]:
            return [of.templates[said.template].predicate, *said.arguments]

        return [
            problem.scenario,
            sorted(map(str, problem.entities)),
            sorted(map(form, problem.statements), key=repr),
            problem.type if problem.asked is None else form(problem.asked),
            sorted(map(form, problem.options), key=repr),
        ]

    def rate(self, problem: Problem) -> dict[str, float]:
        """Return the variables of the level, in the formula's order (`difficulty`)."""
        of, properties = board(problem.scenario), {name for name, _ in self._parts(problem)}
        kl = sum(self.descriptions.nature.properties[name].difficulty for name in properties)
        if problem.asked is None:
            predicates = [of.predicates[of.templates[each.template].predicate] for each in problem.options]
            is_vague = not all(each.is_precise for each in predicates)
            question = list(problem.options)
        else:
            is_vague = problem.type.startswith("vague")
            question = [problem.asked]
        letters = right_letters(problem, self.decide(problem).verdicts)
        right = [option for letter, option in zip("ABCD", problem.options, strict=False) if letter in letters]
        if problem.asked is not None:
            gap = problem.asked.arguments.index(GAP)
            right = [Proposition(each.template, each.arguments[gap : gap + 1]) for each in right]
        named = {item for said in problem.statements for item in said.arguments if item in problem.entities}

        def is_hidden(said: list[Proposition]) -> float:
            places = {
                self.descriptions.denote(item, problem.entities)
                for each in said
                for item in each.arguments
                if item != GAP
            }
            return float(any(place is not None and problem.entities[place] not in named for place in places))

        return {
            "level_nature": kl,
            "level_space": float(is_vague),
            "nm_q": is_hidden(question),
            "nm_a": is_hidden(right),
        }

    def _parts(self, problem: Problem) -> set[Part]:
        items = {item for said in (*problem.statements, *problem.options) for item in said.arguments}
        return {part for item in items for part in self.descriptions.all.get(str(item), ())}

    def _rules(self, problem: Problem, parts: set[Part]) -> set[str]:
        """Return the rules by which cells that descriptions use follow from other cells of a thing."""
        found: set[str] = set()
        for entity in map(str, problem.entities):
            for part in sorted(parts):
                if part in self._closures[entity]:
                    found |= {step.rule for step in self._closures[entity].proof(part).values()}
        return found

    @cached_property
    def _closures(self) -> Mapping[str, Closure[Cell]]:
        nature = self.descriptions.nature
        return {entity: close_cells(nature, entity) for entity in nature.entities}
