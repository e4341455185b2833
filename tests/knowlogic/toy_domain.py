"""A row of people: a domain of the smallest size, for tests of what holds for every domain."""

import random
from functools import cache

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import (
    GAP,
    LANGUAGES,
    Difficulty,
    DomainName,
    Knowledge,
    Labels,
    Proposition,
    QuestionType,
)
from perennial.tasks.knowlogic.arrangement import (
    Constraint,
    Puzzle,
    all_of,
    drop_redundant,
    frame,
)
from perennial.tasks.knowlogic.phrasebook import Phrasebook
from perennial.tasks.knowlogic.problem import (
    Cuts,
    Domain,
    IntroPattern,
    IntroPatterns,
    Person,
    Problem,
    Request,
    fill,
    names_of,
    read_people,
)

# Scenario -> number of people. In a row of four all are options, in a row of five three are.
ROWS = {"row_of_four": 4, "row_of_five": 5}
SHARES: dict[str, dict[Difficulty, float]] = {
    "row_of_four": {"easy": 1.0, "medium": 1.0},
    "row_of_five": {"easy": 1.0, "medium": 1.0, "hard": 1.0},
}
SENTENCES = {
    "left": {"zh": "{a:item}在{b:item}的左边。", "en": "{a:item} is to the left of {b:item}."},
    "beside": {"zh": "{a:item}紧挨着{b:item}。", "en": "{a:item} is next to {b:item}."},
    "first": {"zh": "{a:item}不在两端。", "en": "{a:item} is at neither end."},
}
TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
)
CUTS = Cuts(4, 5)
_INTRO = {"zh": "{names}从左到右站成一排。", "en": "{names} stand in a row, from left to right."}


def build(knowledge: Knowledge, name: DomainName = "space") -> Domain:
    """Return the toy under the name of a domain."""
    people = read_people(knowledge)
    books = {
        language: Phrasebook(SENTENCES, language, {"item": names_of(people, language)})
        for language in LANGUAGES
    }
    intros = IntroPatterns(
        [
            IntroPattern(scenario, _INTRO, book, {"names": "item"}, size=size)
            for scenario, size in ROWS.items()
            for book in books.values()
        ]
    )
    return Domain(
        name,
        SHARES,
        types=lambda _scenario: TYPES,
        draw=lambda request, rng: _draw(people, request, rng),
        decide=lambda problem: _puzzle(problem).decide(),
        check=lambda problem: _puzzle(problem).check(),
        labels=_labels,
        canonical=_canonical,
        write_intro=intros.write,
        read_intro=intros.read,
        phrasebook=lambda _scenario, language: books[language],
    )


def _places(problem: Problem, said: Proposition) -> tuple[int, ...]:
    return tuple(problem.entities.index(each) for each in said.arguments)


def _constraint(problem: Problem, said: Proposition) -> Constraint:
    return Constraint(_places(problem, said), _allowed(len(problem.entities), said.template))


@cache
def _allowed(size: int, template: str) -> frozenset[tuple[int, ...]]:
    if template == "first":
        return frozenset((seat,) for seat in range(1, size - 1))
    tests = {"left": lambda a, b: a < b, "beside": lambda a, b: abs(a - b) == 1}
    pairs = ((a, b) for a in range(size) for b in range(size) if a != b)
    return frozenset(pair for pair in pairs if tests[template](*pair))


def _mask(problem: Problem, said: Proposition) -> int:
    return _mask_at(len(problem.entities), said.template, _places(problem, said))


@cache
def _mask_at(size: int, template: str, places: tuple[int, ...]) -> int:
    return frame(size, size).mask(Constraint(places, _allowed(size, template)))


def _puzzle(problem: Problem) -> Puzzle:
    size = len(problem.entities)
    statements, options = (
        [_constraint(problem, each) for each in of] for of in (problem.statements, problem.options)
    )
    return Puzzle(frame(size, size), statements, options)


def _draw(people: tuple[Person, ...], request: Request, rng: random.Random) -> Problem | None:
    size = ROWS[request.scenario]
    entities = tuple(person.id for person in rng.sample(people, size))
    said = [Proposition(each, pair) for each in ("left", "beside") for pair in _pairs(entities)]
    said += [Proposition("first", (each,)) for each in entities]
    blank = Problem(request.scenario, entities, (), (), request.type, None, ())
    of = frame(size, size)
    masks = {each: _mask(blank, each) for each in said}
    hidden = 1 << rng.randrange(len(of.arrangements))
    true = [each for each in rng.sample(said, len(said)) if masks[each] & hidden]
    kept = drop_redundant(of, [masks[each] for each in true], range(len(true)))
    statements = tuple(true[place] for place in kept)
    if all_of(of, (masks[each] for each in statements)) != hidden:
        return None
    wanted = request.type != "incorrect_statements"
    asked = None
    if request.type.endswith("entity"):
        asked = Proposition(rng.choice(["left", "beside"]), (GAP, rng.choice(entities)))
        choices = [each for each in entities if each not in asked.arguments]
        options = [fill(asked, each) for each in choices]
    else:
        options = [each for each in said if each not in statements]
    options = [each for each in options if each not in statements]
    right = [each for each in options if bool(masks[each] & hidden) is wanted]
    wrong = [each for each in options if each not in right]
    count = request.option_count or 3
    if len(right) < request.right or len(wrong) < count - request.right or request.right > count:
        return None
    chosen = (*rng.sample(right, request.right), *rng.sample(wrong, count - request.right))
    if request.right == 0 and count == 4:
        return None
    problem = Problem(request.scenario, entities, (), statements, request.type, asked, chosen)
    return problem if _labels(problem).difficulty == request.difficulty else None


def _pairs(entities: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(a, b) for a in entities for b in entities if a != b]


def _labels(problem: Problem) -> Labels:
    chain = _puzzle(problem).count_steps()
    level = 0.1 * len(problem.entities) + 0.2 * chain
    return Labels(
        (),
        tuple(sorted({each.template for each in (*problem.statements, *problem.options)})),
        (),
        chain,
        "precise" if problem.type.startswith("precise") else "vague",
        level,
        CUTS.classify(chain, problem.type, len(problem.options)),
        {"nm": len(problem.entities), "cl": chain},
    )


def _canonical(problem: Problem) -> object:
    """Return the problem with the people numbered by where they stand."""
    puzzle = _puzzle(problem)
    kept = puzzle.kept
    seats = dict(zip(problem.entities, puzzle.frame.arrangement(kept), strict=True)) if kept else {}
    number = {**seats, GAP: GAP}

    def rename(said: Proposition | None) -> list[object]:
        return [said.template, *(number.get(each, each) for each in said.arguments)] if said else []

    return [
        problem.type,
        sorted((rename(each) for each in problem.statements), key=canonical_json),
        rename(problem.asked),
        sorted((rename(each) for each in problem.options), key=canonical_json),
    ]
