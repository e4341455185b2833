"""Draw a mix question: a question of the shelf, whose things are then called by names or descriptions."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import GAP, LETTERS, Argument, Difficulty, Proposition
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.mix.descriptions import Descriptions, Part, identify
from perennial.tasks.knowlogic.mix.difficulty import CUTS
from perennial.tasks.knowlogic.mix.wording import item_sentences
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.board import Board, board
from perennial.tasks.knowlogic.space.drawing import count_steps, own_of
from perennial.tasks.knowlogic.space.questions import Asked, Sentence, draw_gap, draw_statement_options, say
from perennial.tasks.knowlogic.space.statements import Layout, draw_statements

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
class Drawer:
    """Draws the questions of the domain."""

    descriptions: Descriptions

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """Return a question that keeps the request; None where none came out in so many tries."""
        of = board(request.scenario)
        is_gap = request.type.endswith("entity")
        own = own_of(of, request)
        most = 1 if request.type == "precise_entity" else own
        least = int(not is_gap or own == len(LETTERS))
        if not least <= request.right <= most or (own < len(LETTERS) and not is_gap):
            return None
        for _ in range(_MOST_TRIES):
            if problem := self._attempt(of, request, rng):
                return problem
        return None

    def _attempt(self, of: Board, request: Request, rng: random.Random) -> Problem | None:
        layout = draw_statements(of, int(rng.random() < _UNNAMED), rng)
        if layout is None:
            return None
        asked = _draw_asked(of, layout, request, rng)
        if asked is None:
            return None
        steps = CUTS.list_steps(request.difficulty, request.type, len(asked.options))
        if count_steps(of, layout, asked) not in steps:
            return None
        said = [say(of, layout, fact, rng) for fact in layout.statements]
        sentences = [each for each in said if each is not None]
        known = item_sentences(request.scenario)
        if len(sentences) < len(said) or any(each.template.name not in known for each in sentences):
            return None
        cast = self._cast(request.difficulty, of.scene.size, rng)
        if cast is None:
            return None
        return self._write(cast, sentences, asked, request, rng)

    def _cast(self, difficulty: Difficulty, size: int, rng: random.Random) -> Cast | None:
        """Return six things, some with a description that denotes them; None where too few have one."""
        wanted = rng.choice(_DESCRIBED[difficulty])
        ids = list(self.descriptions.nature.entities)
        for _ in range(_MOST_DRAWS):
            entities = rng.sample(ids, size)
            described = [self.descriptions.of(entities, place) for place in range(size)]
            places = [place for place in range(size) if described[place]]
            if len(places) < wanted:
                continue
            chosen = rng.sample(places, wanted)
            called = [
                identify(_choose(described[place], rng)) if place in chosen else None for place in range(size)
            ]
            return Cast(tuple(entities), tuple(called))
        return None

    def _write(
        self, cast: Cast, said: Sequence[Sentence], asked: Asked, request: Request, rng: random.Random
    ) -> Problem:
        """Return the problem: described things are so called in statements, and at times in the question."""
        entities = cast.entities
        called: list[Argument] = [name or entity for name, entity in zip(cast.called, entities, strict=True)]
        again: list[Argument] = [
            name if name and rng.random() < _IN_QUESTION else entity
            for name, entity in zip(cast.called, entities, strict=True)
        ]
        statements = tuple(
            Proposition(each.template.name, tuple(called[place] for place in each.places)) for each in said
        )
        question: Proposition | None = None
        if asked.gap is None:
            options = tuple(
                Proposition(each.template.name, tuple(again[place] for place in each.places))
                for each in asked.options
            )
        else:
            gap, first = asked.gap, asked.options[0]
            around: list[Argument] = [again[place] for place in first.places]
            around[gap] = GAP
            question = Proposition(first.template.name, tuple(around))
            options = tuple(
                Proposition(
                    question.template, (*around[:gap], entities[each.places[gap]], *around[gap + 1 :])
                )
                for each in asked.options
            )
        items = {str(item) for each in (*statements, *options) for item in each.arguments}
        notes = {
            note for item in items for note in self.descriptions.notes(self.descriptions.all.get(item, ()))
        }
        listed = tuple(rng.sample(entities, len(entities)))
        return Problem(
            request.scenario,
            entities=listed,
            details=tuple(sorted(notes)),
            statements=statements,
            type=request.type,
            asked=question,
            options=options,
        )


def _draw_asked(of: Board, layout: Layout, request: Request, rng: random.Random) -> Asked | None:
    if request.type.endswith("statements"):
        wanted = request.type == "correct_statements"
        truths = [wanted] * request.right + [not wanted] * (len(LETTERS) - request.right)
        return draw_statement_options(of, layout, rng.randrange(2), rng.sample(truths, len(truths)), rng)
    precise = request.type == "precise_entity"
    return draw_gap(of, layout, (request.right, own_of(of, request)), rng, precise=precise, is_slot=False)


def _choose(descriptions: Sequence[tuple[Part, ...]], rng: random.Random) -> tuple[Part, ...]:
    """Return one of the descriptions, at times one of two properties."""
    counts = sorted({len(parts) for parts in descriptions})
    count = counts[-1] if rng.random() < _DOUBLE else counts[0]
    return rng.choice([parts for parts in descriptions if len(parts) == count])
