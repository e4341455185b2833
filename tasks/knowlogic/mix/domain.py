"""The domain mix, built from the tables of nature and the sentences of shelves."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    GAP,
    LETTERS,
    Argument,
    Difficulty,
    Knowledge,
    Labels,
    Proposition,
    QuestionType,
)
from perennial.tasks.knowlogic.mix.sentences import (
    SCENARIOS,
    Descriptions,
    MixWording,
    Part,
    identify,
    item_sentences,
)
from perennial.tasks.knowlogic.nature.meaning import read_nature
from perennial.tasks.knowlogic.problem import Cuts, Domain, Problem, Request, right_letters
from perennial.tasks.knowlogic.space.drawing import (
    DrawnOptions,
    Sentence,
    count_options,
    draw_statements,
)
from perennial.tasks.knowlogic.space.reasoning import Facts, SpaceBoard, load_board

# Difficulty of mix (Appendix D): level = 0.4 level_nature + level_space + (nm_q + nm_a) / 2, and the cuts.
#
# - `level_nature`: as `kl` of nature, the sum of the difficulties of the distinct properties of
#   descriptions in statements, question and options.
# - `level_space`: 1 where the question is vague as in space (a gap that several fill; options with a
#   predicate that leaves several places), else 0.
# - `nm_q`: 1 where a thing in the question (of statements to choose from: in an option) is named by its own
#   name in no statement, so that a reader must find out that a description means it.
# - `nm_a`: likewise for a thing in a right option.

# As in space: two steps for four options, three, more.
CUTS = Cuts(easy=4, medium=5)


def rate(nature: float, space: float, nm_q: float, nm_a: float) -> float:
    """The level of the paper's formula."""
    return round(0.4 * nature + space + (nm_q + nm_a) / 2, 9)


# Draw a mix question: a question of the shelf, whose things are then called by names or descriptions.

_MOST_TRIES = 24
_MOST_DRAWS = 30
# How many of the six things have descriptions in the statements, by difficulty.
_DESCRIBED: dict[Difficulty, tuple[int, ...]] = {"easy": (1, 2), "medium": (2, 3), "hard": (3, 4, 5)}
# How often a description is of two properties where one is; how often a thing in a question is described.
_DOUBLE, _IN_QUESTION = 0.4, 0.5
# How often the statements leave out one of the six things.
_UNNAMED = 0.3


@dataclass(frozen=True)
class Cast:
    """Six things, and for those that are described the id of a description."""

    entities: tuple[str, ...]
    called: tuple[str | None, ...]


@dataclass(frozen=True)
class MixDrawer:
    """Draws the questions of the domain."""

    descriptions: Descriptions

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """A question that keeps the request; None where none came out in so many tries."""
        board = load_board(request.scenario)
        is_gap = request.type.endswith("entity")
        option_count = count_options(board, request)
        most = 1 if request.type == "precise_entity" else option_count
        least = int(not is_gap or option_count == len(LETTERS))
        if not least <= request.right <= most or (option_count < len(LETTERS) and not is_gap):
            return None
        for _ in range(_MOST_TRIES):
            if problem := self._attempt(board, request, rng):
                return problem
        return None

    def _attempt(self, board: SpaceBoard, request: Request, rng: random.Random) -> Problem | None:
        draft = draw_statements(board, int(rng.random() < _UNNAMED), rng)
        if draft is None:
            return None
        is_gap = request.type.endswith("entity")
        asked = draft.ask(int(request.type == "vague_entity") if is_gap else rng.randrange(2), request)
        if asked is None:
            return None
        steps = CUTS.list_steps(request.difficulty, request.type, len(asked.options))
        if draft.count_steps(asked) not in steps:
            return None
        phrased = list(map(draft.say, draft.statements))
        sentences = [sentence for sentence in phrased if sentence is not None]
        sayable = item_sentences(request.scenario)
        if len(sentences) < len(phrased) or any(line.template.name not in sayable for line in sentences):
            return None
        cast = self._cast(request.difficulty, board.scene.size, rng)
        if cast is None:
            return None
        return self._write(cast, sentences, asked, request, rng)

    def _cast(self, difficulty: Difficulty, size: int, rng: random.Random) -> Cast | None:
        """Six things, some with a description that denotes them; None where too few have one."""
        wanted = rng.choice(_DESCRIBED[difficulty])
        ids = list(self.descriptions.nature.entities)
        for _ in range(_MOST_DRAWS):
            entities = rng.sample(ids, size)
            described = [self.descriptions.denoting(entities, index) for index in range(size)]
            places = [index for index in range(size) if described[index]]
            if len(places) < wanted:
                continue
            chosen = rng.sample(places, wanted)
            called = [
                identify(_choose(described[index], rng)) if index in chosen else None for index in range(size)
            ]
            return Cast(tuple(entities), tuple(called))
        return None

    def _write(
        self,
        cast: Cast,
        sentences: Sequence[Sentence],
        asked: DrawnOptions,
        request: Request,
        rng: random.Random,
    ) -> Problem:
        """The problem: described things are so called in statements, and at times in the question."""
        entities = cast.entities
        called: list[Argument] = [name or entity for name, entity in zip(cast.called, entities, strict=True)]
        again: list[Argument] = [
            name if name and rng.random() < _IN_QUESTION else entity
            for name, entity in zip(cast.called, entities, strict=True)
        ]
        statements = tuple(
            Proposition(line.template.name, tuple(called[index] for index in line.places))
            for line in sentences
        )
        question: Proposition | None = None
        if asked.gap is None:
            options = tuple(
                Proposition(option.template.name, tuple(again[index] for index in option.places))
                for option in asked.options
            )
        else:
            gap, first = asked.gap, asked.options[0]
            around: list[Argument] = [again[index] for index in first.places]
            around[gap] = GAP
            question = Proposition(first.template.name, tuple(around))
            options = tuple(
                Proposition(
                    question.template, (*around[:gap], entities[option.places[gap]], *around[gap + 1 :])
                )
                for option in asked.options
            )
        items = {str(item) for sentence in (*statements, *options) for item in sentence.arguments}
        notes = {
            note for item in items for note in self.descriptions.notes(self.descriptions.all.get(item, ()))
        }
        listed = tuple(rng.sample(entities, len(entities)))
        return request.pose(listed, statements, options, question, sorted(notes))


def _choose(descriptions: Sequence[tuple[Part, ...]], rng: random.Random) -> tuple[Part, ...]:
    """One of the descriptions, at times one of two properties."""
    counts = sorted({len(parts) for parts in descriptions})
    count = counts[-1] if rng.random() < _DOUBLE else counts[0]
    return rng.choice([parts for parts in descriptions if len(parts) == count])


# What an engine finds of a mix question: facts on the shelf's board, verdicts, labels, canonical form.


@dataclass(frozen=True)
class MixJudge:
    """Judges what a question says, from nothing but the question and the tables."""

    descriptions: Descriptions

    def facts(self, problem: Problem) -> Facts:
        """The facts that the problem says on its board.

        Raises ValueError for a description that does not denote exactly one thing, LookupError for a template
        that the shelf does not have.
        """
        board = load_board(problem.scenario)
        if len(set(problem.entities)) != board.scene.size:
            raise ValueError(f"{problem.scenario} has {len(set(problem.entities))} things")
        indices: dict[Argument, int] = {}
        for sentence in (*problem.statements, *problem.options):
            for item in sentence.arguments:
                index = self.descriptions.denote(item, problem.entities)
                if index is None:
                    raise ValueError(f"{item!r} does not denote one of {problem.entities}")
                indices[item] = index
        return Facts(
            board,
            tuple(board.fact(statement, indices) for statement in problem.statements),
            tuple(board.fact(option, indices) for option in problem.options),
        )

    def labels(self, problem: Problem) -> Labels:
        """The labels; raise ValueError where the statements leave an option open."""
        facts = self.facts(problem)
        predicates = facts.board.predicates
        used = {fact.predicate: predicates[fact.predicate] for fact in (*facts.statements, *facts.options)}
        parts = self._parts(problem)
        properties = {name for name, _ in parts}
        variables, chain = self.rate(problem), facts.puzzle.count_steps()
        return Labels(
            properties=tuple(
                sorted({*properties, *(name for name, predicate in used.items() if predicate.arity == 1)})
            ),
            relations=tuple(sorted(name for name, predicate in used.items() if predicate.arity > 1)),
            rules=tuple(sorted(self._rules(problem, parts))),
            chain_length=chain,
            precision="vague" if variables["level_space"] else "precise",
            level=rate(*variables.values()),
            difficulty=CUTS.classify(chain, problem.type, len(problem.options)),
            variables=variables,
        )

    def canonical(self, problem: Problem) -> object:
        """A value that is equal for questions that differ by wording and order alone.

        Things and descriptions are what they are, and no two places of a shelf are alike; of templates that
        say the same predicate, the predicate counts.
        """
        board = load_board(problem.scenario)

        def form(sentence: Proposition) -> list[object]:
            return [board.templates[sentence.template].predicate, *sentence.arguments]

        return [
            problem.scenario,
            sorted(map(str, problem.entities)),
            sorted(map(form, problem.statements), key=repr),
            problem.type if problem.asked is None else form(problem.asked),
            sorted(map(form, problem.options), key=repr),
        ]

    def rate(self, problem: Problem) -> dict[str, float]:
        """The variables of the level, in the formula's order (`difficulty`)."""
        board, properties = load_board(problem.scenario), {name for name, _ in self._parts(problem)}
        kl = sum(self.descriptions.nature.properties[name].difficulty for name in properties)
        if problem.asked is None:
            names = (board.templates[option.template].predicate for option in problem.options)
            is_vague = not all(board.predicates[name].is_precise for name in names)
            question = list(problem.options)
        else:
            is_vague = problem.type.startswith("vague")
            question = [problem.asked]
        letters = right_letters(problem, self.facts(problem).puzzle.decide().verdicts)
        right = [option for letter, option in zip("ABCD", problem.options, strict=False) if letter in letters]
        if problem.asked is not None:
            gap = problem.asked.arguments.index(GAP)
            right = [Proposition(option.template, option.arguments[gap : gap + 1]) for option in right]
        named = {item for line in problem.statements for item in line.arguments} & set(problem.entities)

        def is_hidden(sentences: list[Proposition]) -> float:
            places = {
                self.descriptions.denote(item, problem.entities)
                for sentence in sentences
                for item in sentence.arguments
                if item != GAP
            }
            return float(any(index is not None and problem.entities[index] not in named for index in places))

        return {
            "level_nature": kl,
            "level_space": float(is_vague),
            "nm_q": is_hidden(question),
            "nm_a": is_hidden(right),
        }

    def _parts(self, problem: Problem) -> set[Part]:
        items = {item for sentence in (*problem.statements, *problem.options) for item in sentence.arguments}
        return {part for item in items for part in self.descriptions.all.get(str(item), ())}

    def _rules(self, problem: Problem, parts: set[Part]) -> set[str]:
        """The rules by which cells that descriptions use follow from other cells of a thing."""
        rules, closures = set[str](), self.descriptions.nature.closures
        for entity in map(str, problem.entities):
            for part in sorted(parts):
                if part in closures[entity]:
                    rules |= {step.rule for step in closures[entity].proof(part).values()}
        return rules


TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_entity",
    "incorrect_statements",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """The domain; raise KeyError where a table of nature is missing."""
    descriptions = Descriptions(read_nature(knowledge), load_sentences("mix"))
    judge, wording = MixJudge(descriptions), MixWording(descriptions)
    return Domain(
        "mix",
        {scenario: {"easy": 1, "medium": 1, "hard": 1} for scenario in SCENARIOS},
        types=lambda scenario: TYPES,
        draw=MixDrawer(descriptions).draw,
        decide=lambda problem: judge.facts(problem).puzzle.decide(),
        check=lambda problem: judge.facts(problem).puzzle.check(),
        labels=judge.labels,
        canonical=judge.canonical,
        write_intro=wording.introductions.write,
        read_intro=wording.introductions.read,
        phrasebook=lambda scenario, language: wording.books[scenario, language],
    )
