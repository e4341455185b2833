"""Forward chaining to the closure of facts, with the steps that made each fact (Appendix B of the paper).

A rule says how facts make a fact. The closure holds, for each fact, a smallest proof as far as proofs by
levels find it: a fact's proof is the set of rule steps below it, each counted once.
"""

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from perennial.schemas.knowlogic.things import LETTERS, Knowledge, Proposition, Verdict
from perennial.tasks.knowlogic.problem import Domain, Problem

F = TypeVar("F", bound=Hashable)

MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Inference(Generic[F]):
    """How a fact was made: the rule, and the facts that it was made from. A given fact has no rule."""

    rule: str
    premises: tuple[F, ...] = ()


@dataclass
class Closure(Generic[F]):
    """The facts that follow, each with its step."""

    steps: dict[F, Inference[F]] = field(default_factory=dict)

    def __contains__(self, fact: object) -> bool:
        return fact in self.steps

    def proof(self, fact: F) -> dict[F, Inference[F]]:
        """The steps below a fact, itself included, without given facts; raise KeyError for no fact."""
        proof: dict[F, Inference[F]] = {}
        pending = [fact]
        while pending:
            current = pending.pop()
            step = self.steps[current]
            if step.premises and current not in proof:
                proof[current] = step
                pending += step.premises
        return proof

    def grounds(self, fact: F) -> set[F]:
        """The given facts that the proof of a fact rests on."""
        proof = self.proof(fact)
        used = {fact, *(premise for step in proof.values() for premise in step.premises)}
        return {fact for fact in used if not self.steps[fact].premises}


# From the facts so far and those that are new, yields facts with the steps that make them.
Chain = Callable[["dict[F, Inference[F]]", "list[F]"], Iterable[tuple[F, "Inference[F]"]]]


def close(premises: Iterable[F], chain: "Chain[F]", *, max_depth: int = MAX_DEPTH) -> Closure[F]:
    """Derive what follows from the premises in at most `max_depth` rounds.

    `chain` gets all facts and those of the last round, and yields what they make; a fact keeps the step of
    the first round that makes it, so that its depth is least.
    """
    closure: Closure[F] = Closure({fact: Inference("given") for fact in premises})
    new = list(closure.steps)
    for _ in range(max_depth):
        made: dict[F, Inference[F]] = {}
        for fact, step in chain(closure.steps, new):
            if fact not in closure.steps:
                made.setdefault(fact, step)
        closure.steps |= made
        new = list(made)
        if not made:
            break
    return closure


# Why the right letters are right, for somebody who reads a reply: statements that decide, and knowledge.

# Tables whose rows say what must be known, by the ids that a question uses; the others name things only. An
# entity has many cells that no statement is about: those of the question's properties are shown.
_CELLS = "nature/cells"
_KNOWN = (_CELLS, "nature/rules", "time/events", "social/relations", "kinship/terms")
_UNSAID = ("", "-", "?")


def write_proof(domain: Domain, problem: Problem) -> list[str]:
    """Say of each option whether it holds, and by which statements, counted from 1.

    No statement of a set can be left out. In a closed world, what does not follow does not hold.
    """
    lines = []
    for letter, option in zip(LETTERS, problem.options, strict=False):
        verdict = _decide(domain, problem, problem.statements, option)
        kept = problem.statements
        for statement in problem.statements:
            fewer = tuple(other for other in kept if other != statement)
            if _decide(domain, problem, fewer, option) is verdict:
                kept = fewer
        numbers = [str(problem.statements.index(statement) + 1) for statement in kept]
        why = f"by statements {', '.join(numbers)}" if numbers else "whatever the statements say"
        lines.append(f"{letter} {'holds' if verdict else 'does not hold'}: {why}")
    return lines


def _decide(
    domain: Domain, problem: Problem, statements: tuple[Proposition, ...], option: Proposition
) -> Verdict:
    try:
        return domain.decide(replace(problem, statements=statements, options=(option,))).verdicts[0]
    except (ValueError, LookupError):
        return None  # statements that say too little to be a problem of this domain


def list_knowledge(knowledge: Knowledge, problem: Problem, names: Collection[str]) -> list[str]:
    """The rows of the knowledge base that a question uses, a line each.

    `names` are those of its properties, relations and rules.
    """
    propositions = [*problem.statements, *problem.options, *filter(None, [problem.asked])]
    used = {
        *problem.entities,
        *names,
        *(argument for proposition in propositions for argument in proposition.arguments),
    }
    lines = []
    for table in _KNOWN:
        for row in knowledge.rows(table):
            if row["id"] in used:
                cells = [
                    f"{name} {value}"
                    for name, value in row.items()
                    if value not in _UNSAID
                    and (name in {"id", *names} if table == _CELLS else name != "source")
                ]
                lines.append(f"{table}: {', '.join(cells)}")
    return lines
