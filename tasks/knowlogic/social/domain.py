"""Domain social: general relations, kinship and surnames (section 2.1 and Appendix C of the paper)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    GAP,
    LANGUAGES,
    LETTERS,
    Argument,
    Difficulty,
    Knowledge,
    Language,
    Proposition,
)
from perennial.tasks.knowlogic import surnames
from perennial.tasks.knowlogic.kinship import domain as kinship
from perennial.tasks.knowlogic.phrasebook import Phrasebook
from perennial.tasks.knowlogic.problem import (
    Domain,
    IntroPattern,
    IntroPatterns,
    Person,
    Problem,
    Request,
    Sex,
    join_domains,
    names_of,
    read_people,
)
from perennial.tasks.knowlogic.social.relations import (
    Fact,
    PersonRelation,
    Relations,
    canonical,
    check,
    facts_of,
    proposition_of,
    read_relations,
)
from perennial.tasks.knowlogic.social.world import (
    CUTS,
    Candidate,
    ClaimMaker,
    InferredWorld,
    decide,
    label,
    world_of,
)

# A hidden graph of relations between people, and the statements that describe it.

_TRIES = 12
# How many different relations (with their inverses) a graph draws from, and how often two facts of one
# person share a sentence.
_PALETTE = (3, 6)
_SHARED_SENTENCES = 0.6
# How often a fact is stated by its inverse; the facts of a hub together.
_FLIPPED = 0.5
_FLIPPED_HUB = 0.7
_WEIGHTS = {"couple": 2.0, "siblings": 0.7, "": 1.0}


class GraphMaker:
    """Draws facts between people: each pair has one relation at most, and all are connected."""

    def __init__(
        self, relations: Relations, people: Sequence[Person], edges: int, rng: random.Random
    ) -> None:
        """Choose the relations to draw from; people rank above those who come after them."""
        self.relations = relations
        self.rng = rng
        self.edges = edges
        self.people = [person.id for person in people]
        self.sexes: dict[str, Sex] = {person.id: person.sex for person in people}
        rows = list(relations.by_id.values())
        weights = [_WEIGHTS[row.pairing] for row in rows]
        self.palette = rng.choices(rows, weights, k=rng.randint(*_PALETTE))
        self.facts: list[Fact] = []
        self.pairs: set[frozenset[str]] = set()

    def make(self, hub: int = 0) -> InferredWorld | None:
        """A world with the wanted number of facts, and so many holders of one relation; else None."""
        if hub and not self._add_hub(hub):
            return None
        if not self._connect():
            return None
        pairs = [frozenset(pair) for pair in combinations(self.people, 2)]
        self.rng.shuffle(pairs)
        for pair in pairs:
            if len(self.facts) >= self.edges:
                break
            if pair not in self.pairs:
                self._add(*self.rng.sample(sorted(pair), 2))
        if len(self.facts) != self.edges:
            return None
        sexes = [(sex, person, "") for person, sex in self.sexes.items()]
        # The facts of the hub come first; said from the other side, no option repeats them.
        flips = [self.rng.random() < _FLIPPED for _ in self.facts]
        if self.rng.random() < _FLIPPED_HUB:
            flips[:hub] = [True] * hub
        self.facts = [
            self._flip(fact) if is_flipped else fact
            for fact, is_flipped in zip(self.facts, flips, strict=True)
        ]
        world = InferredWorld(self.relations, self.people, (*self.facts, *sexes))
        return None if world.contradictions() else world

    def _flip(self, fact: Fact) -> Fact:
        relation, holder, ego = fact
        return (self.relations.by_id[relation].inverse[self.sexes[ego]], ego, holder)

    def _add_hub(self, holders: int) -> bool:
        """Give somebody so many holders of one relation; return whether one fits."""
        rows = [row for row in self.relations.by_id.values() if not row.has_one_holder]
        for row in self.rng.sample(rows, _TRIES):
            ego = self.rng.choice(self.people)
            fitting = [person for person in self.people if person != ego and self._fits(row, person, ego)]
            if len(fitting) >= holders and row.pairing != "siblings":
                self.palette.append(row)
                for holder in self.rng.sample(fitting, holders):
                    self._put(row, holder, ego)
                return True
        return False

    def _connect(self) -> bool:
        order = self.rng.sample(self.people, len(self.people))
        linked = [order.pop(0)]
        while True:
            grown = [new for new in order if any(frozenset((new, old)) in self.pairs for old in linked)]
            for person in grown:
                order.remove(person)
                linked.append(person)
            if grown:
                continue
            if not order:
                return True
            if len(self.facts) >= self.edges or not self._add(order[0], self.rng.choice(linked)):
                return False

    def _add(self, first: str, second: str) -> bool:
        """Give two people a relation of the palette, or of the table; return whether one fits."""
        rows = list(self.relations.by_id.values())
        for number in range(_TRIES):
            row = self.rng.choice(self.palette if number < _TRIES // 2 else rows)
            for holder, ego in ((first, second), (second, first)):
                if self._fits(row, holder, ego):
                    self._put(row, holder, ego)
                    return True
        return False

    def _put(self, row: PersonRelation, holder: str, ego: str) -> None:
        self.facts.append((row.id, holder, ego))
        self.pairs.add(frozenset((holder, ego)))

    def _fits(self, row: PersonRelation, holder: str, ego: str) -> bool:
        """Whether `holder` can be the relation of `ego` beside the facts so far."""
        if row.holder_sex not in (None, self.sexes[holder]):
            return False
        if row.rank and (row.rank == "up") != (self.people.index(holder) < self.people.index(ego)):
            return False
        if row.pairing == "couple" and self.sexes[holder] == self.sexes[ego]:
            return False
        if row.pairing == "siblings" and any(self._pairing(fact) == "siblings" for fact in self.facts):
            return False
        if row.has_one_holder and not row.pairing:
            return not any(fact[0] == row.id and {holder, ego} & set(fact[1:]) for fact in self.facts)
        if row.pairing == "couple" and row.has_one_holder:
            taken = {person for fact in self.facts if self._lasts(fact) for person in fact[1:]}
            return not taken & {holder, ego}
        return True

    def _pairing(self, fact: Fact) -> str:
        return self.relations.by_id[fact[0]].pairing

    def _lasts(self, fact: Fact) -> bool:
        """Whether it is a couple that lasts: nobody is in two of them."""
        return self._pairing(fact) == "couple" and self.relations.by_id[fact[0]].has_one_holder


def write_statements(
    world: InferredWorld, facts: Sequence[Fact], rng: random.Random
) -> tuple[Proposition, ...]:
    """Statements of facts in random order, with the sexes that terms need and no fact gives.

    Two facts of one person may share a sentence. 'One of' is said where others hold the relation too.
    """
    stated = InferredWorld(world.relations, world.people, facts)
    statements = [
        Proposition("male" if world.has_sex(who, "m") else "female", (who,)) for who in stated.open_sexes()
    ]
    waiting = rng.sample(list(facts), len(facts))
    while waiting:
        fact = waiting.pop()
        same = [other for other in waiting if other[1] == fact[1]]
        if same and rng.random() < _SHARED_SENTENCES:
            waiting.remove(same[0])
            statements.append(_statement(world, fact, same[0]))
        else:
            statements.append(_statement(world, fact))
    rng.shuffle(statements)
    return tuple(statements)


def _statement(world: InferredWorld, *facts: Fact) -> Proposition:
    forms = ["one" if len(world.holders(relation, ego)) < 2 else "among" for relation, _, ego in facts]
    template = "_and_".join(forms)
    arguments: list[Argument] = [facts[0][1]]
    for relation, _, ego in facts:
        arguments += [ego, relation]
    return Proposition("name_1" if template == "one" else template, tuple(arguments))


# Sentences of general social relations in both languages, and the introduction.

SCENARIO = "relations"
_INTRO = "intro"


def make_phrasebook(relations: Relations, people: Sequence[Person], language: Language) -> Phrasebook:
    """The sentences of statements and options, with names and terms in the forms that the patterns need.

    English has possessives and plurals.
    """
    sentences = {name: patterns for name, patterns in load_sentences("social").items() if name != _INTRO}
    names = names_of(people, language)
    rows = relations.by_id.values()
    terms: dict[Argument, str] = {row.id: row.names[language] for row in rows}
    marks: dict[Argument, str] = {mark.person: mark.texts[language] for mark in relations.marks.values()}
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names,
        "term": terms,
        "terms": terms,
        "mark": marks,
    }
    if language == "en":
        lexicon["whose"] = {id_: f"{name}'s" for id_, name in names.items()}
        lexicon["term_whose"] = {id_: f"{term}'s" for id_, term in terms.items()}
        lexicon["a_term"] = {row.id: f"{row.article} {row.names['en']}" for row in rows}
        lexicon["terms"] = {row.id: row.plural for row in rows}
    return Phrasebook(sentences, language, lexicon)


# Draw a question of general relations that keeps a request.

# Numbers of people and of pairs with a relation, for each difficulty.
SIZES: dict[Difficulty, tuple[tuple[int, int], ...]] = {
    "easy": ((4, 3), (4, 4), (4, 5), (5, 4), (5, 5), (6, 5)),
    "medium": ((4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (5, 6), (5, 7), (6, 5), (6, 6), (6, 7), (7, 7)),
    "hard": ((4, 6), (5, 5), (5, 6), (5, 7), (5, 8), (6, 6), (6, 7), (6, 8), (6, 9), (7, 7), (7, 8)),
}
# Options tried for a text, gaps tried for a text, and texts tried for a question.
_DRAWS, _GAP_DRAWS, _TEXTS = 100, 30, 24
# How often an easy question names all people.
_PLAIN = 0.3


@dataclass(frozen=True, slots=True)
class WorldText:
    """A world as its statements describe it."""

    people: tuple[str, ...]
    statements: tuple[Proposition, ...]
    world: InferredWorld
    stated: frozenset[Fact]


def draw(
    relations: Relations, people: Sequence[Person], request: Request, rng: random.Random
) -> Problem | None:
    """A problem that keeps the request, or None where this draw failed."""
    is_gap = request.type in ("precise_entity", "vague_entity")
    for _ in range(_TEXTS):
        text = _draw_text(relations, people, request, rng)
        problem = text and (_draw_gap if is_gap else _draw_statements)(text, request, rng)
        if problem:
            return problem
    return None


def _draw_text(
    relations: Relations, people: Sequence[Person], request: Request, rng: random.Random
) -> WorldText | None:
    """A text with enough people for the options, or None where no graph came of it."""
    hub = max(2, request.right) if request.type == "vague_entity" else 0
    fewest = hub + 1 + max(0, (request.option_count or len(LETTERS) - 1) - request.right) if hub else 0
    # Where steps are to be many, somebody else is passed on the way to the person asked about.
    fewest += bool(hub) and request.difficulty != "easy"
    size, edges = rng.choice([sizes for sizes in SIZES[request.difficulty] if sizes[0] >= fewest])
    chosen = rng.sample(people, size)
    maker = GraphMaker(relations, chosen, edges, rng)
    hidden = maker.make(hub)
    if hidden is None:
        return None
    ids = tuple(rng.sample(maker.people, size))
    statements = write_statements(hidden, maker.facts, rng)
    stated = frozenset(fact for statement in statements for fact in facts_of(statement).facts)
    return WorldText(ids, statements, world_of(relations, ids, statements), stated)


def _draw_statements(text: WorldText, request: Request, rng: random.Random) -> Problem | None:
    number = request.count_options(rng)
    true = request.right if request.type == "correct_statements" else number - request.right
    is_plain = request.difficulty == "easy" and rng.random() < _PLAIN
    maker = ClaimMaker(text.world, text.stated, rng)
    wanted = {True: true, False: number - true}
    chosen: list[Candidate] = []
    for _ in range(_DRAWS):
        verdict = rng.choice([truth for truth in (True, False) if wanted[truth]])
        twins = maker.draw_twins(is_plain=is_plain)
        if twins is None or any(_repeats(twin, chosen) for twin in twins):
            continue
        is_last = len(chosen) + 1 == number
        if not all(_fits(request, [*chosen, twin], number, is_last=is_last) for twin in twins):
            continue
        chosen.append(twins[not verdict])
        wanted[verdict] -= 1
        if len(chosen) == number:
            break
    else:
        return None
    rng.shuffle(chosen)
    return request.pose(
        text.people, text.statements, (proposition_of(candidate.claim) for candidate in chosen)
    )


def _repeats(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Whether an option already claims the same of the same pair, or shares both descriptions."""
    mine = (candidate.claim.left, candidate.claim.right)
    return any(
        mine == (earlier.claim.left, earlier.claim.right)
        or (earlier.finding.facts and candidate.finding == earlier.finding)
        for earlier in chosen
    )


def _fits(request: Request, options: Sequence[Candidate], option_count: int, *, is_last: bool) -> bool:
    """Whether options can belong to a question of the difficulty; exactly do so where no more come."""
    steps = CUTS.list_steps(request.difficulty, request.type, option_count)
    longest = max(option.steps for option in options)
    return longest in steps if is_last else longest < steps.stop


def _draw_gap(text: WorldText, request: Request, rng: random.Random) -> Problem | None:
    """A question for the people who have a relation to a person that is described."""
    maker = ClaimMaker(text.world, text.stated, rng)
    for _ in range(_GAP_DRAWS):
        asked = maker.draw_asked(is_vague=request.type == "vague_entity")
        if asked is None:
            continue
        fitting, others = maker.split(asked)
        number = request.count_options(rng)
        if request.option_count is None and not number - len(others) <= request.right <= len(fitting):
            number = len(LETTERS) - 1
        if not number - len(others) <= request.right <= min(number, len(fitting)):
            continue
        chosen = rng.sample(fitting, request.right) + rng.sample(others, number - request.right)
        if not _fits(request, chosen, number, is_last=True):
            continue
        rng.shuffle(chosen)
        options = [proposition_of(candidate.claim) for candidate in chosen]
        gap = Proposition(options[0].template, (GAP, *options[0].arguments[1:]))
        return request.pose(text.people, text.statements, options, gap)
    return None


TYPES = kinship.TYPES


def build(knowledge: Knowledge) -> Domain:
    """The domain of the knowledge base: its scenarios joined."""
    return join_domains(
        "social", build_general(knowledge), kinship.build(knowledge), surnames.build(knowledge)
    )


def build_general(knowledge: Knowledge) -> Domain:
    """The scenario of general relations."""
    relations, people = read_relations(knowledge), read_people(knowledge)
    books = {language: make_phrasebook(relations, people, language) for language in LANGUAGES}
    intro = load_sentences("social")[_INTRO]
    intros = IntroPatterns(
        [IntroPattern(SCENARIO, intro, book, {"names": "person"}) for book in books.values()]
    )
    return Domain(
        "social",
        {SCENARIO: {"easy": 1.0, "medium": 1.0, "hard": 1.0}},
        types=lambda _: TYPES,
        draw=lambda request, rng: draw(relations, people, request, rng),
        decide=lambda problem: decide(relations, problem),
        check=lambda problem: check(relations, problem),
        labels=lambda problem: label(relations, problem),
        canonical=canonical,
        write_intro=intros.write,
        read_intro=intros.read,
        phrasebook=lambda _, language: books[language],
    )
