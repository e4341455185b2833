"""Scenario surnames of domain social: who has which surname, and who has the same one."""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    GAP,
    LANGUAGES,
    Argument,
    Difficulty,
    Knowledge,
    Labels,
    Language,
    Proposition,
)
from perennial.tasks.knowlogic.arrangement import (
    Constraint,
    Frame,
    Puzzle,
    drop_redundant,
    frame,
    verdict,
)
from perennial.tasks.knowlogic.kinship.domain import TYPES
from perennial.tasks.knowlogic.kinship.terms import LETTERS, Term, read_terms
from perennial.tasks.knowlogic.phrasebook import Phrasebook
from perennial.tasks.knowlogic.problem import (
    Domain,
    IntroPattern,
    IntroPatterns,
    Person,
    Problem,
    Request,
    fill,
    read_people,
)
from perennial.tasks.knowlogic.social.relations import Item, find_least_form
from perennial.tasks.knowlogic.social.world import CUTS, level_of

# What sentences about surnames mean: which surnames two people, or one, may have.
#
# Everybody is a variable, and has one of the surnames of the introduction. Who is related through fathers
# alone has the same surname by the conventions of the introduction.

KIN = "kin"
# Claims, which may be statements or options; a relation of kin is a statement alone.
OF_ONE = ("surname", "surname_not")
OF_TWO = ("same", "different")
# Steps that a statement costs in a proof: a relation of kin is turned into an equal surname first.
_STEPS = {KIN: 2}


def keeps_surname(term: Term) -> bool:
    """Whether everybody who is called so has the person's surname, by the conventions."""
    return all(_is_through_fathers(shape) for shape in term.shapes)


def _is_through_fathers(shape: str) -> bool:
    """Whether a path leads to fathers, brothers and sisters, and to children of men on the way."""
    for position, letter in enumerate(shape):
        if letter in "sd" and (position == 0 or LETTERS[shape[position - 1]].sex != "m"):
            return False
    return set(shape) <= set("fbzsd")


def steps_of(sentence: Proposition) -> int:
    """The steps of a proof that uses a statement."""
    return _STEPS.get(sentence.template, 1)


def constrain(
    terms: Mapping[str, Term], people: Sequence[Argument], surnames: Sequence[Argument], sentence: Proposition
) -> Constraint:
    """Which surnames a sentence allows; raise ValueError for one that says nothing of these."""
    template, arguments = sentence.template, sentence.arguments
    every = range(len(surnames))
    if template in OF_ONE:
        person, surname = arguments
        which = surnames.index(surname)
        fitting = [number for number in every if (number == which) == (template == "surname")]
        return Constraint((people.index(person),), frozenset((number,) for number in fitting))
    if template not in (*OF_TWO, KIN) or arguments[0] == arguments[1]:
        raise ValueError(f"{template} of {arguments} says nothing about surnames")
    if template == KIN and not keeps_surname(terms[str(arguments[2])]):
        raise ValueError(f"{arguments[2]} says nothing about surnames")
    is_same = template != "different"
    pairs = frozenset((a, b) for a in every for b in every if (a == b) is is_same)
    return Constraint((people.index(arguments[0]), people.index(arguments[1])), pairs)


# What the engines find of a question about surnames: verdicts, labels, canonical form.

_RELATIONS = {"same": "same_surname", "different": "different_surname"}


def frame_of(people: int, surnames: int) -> Frame:
    """All ways to give so many people surnames."""
    return frame(people, surnames, is_injective=False)


def puzzle_of(terms: Mapping[str, Term], problem: Problem) -> Puzzle:
    """The ways to give everybody a surname, and which of them each sentence allows."""
    stated, asked = (
        [constrain(terms, problem.entities, problem.details, sentence) for sentence in sentences]
        for sentences in (problem.statements, problem.options)
    )
    return Puzzle(frame_of(len(problem.entities), len(problem.details)), stated, asked)


def label(terms: Mapping[str, Term], problem: Problem) -> Labels:
    """The labels; raise ValueError where the statements leave an option open."""
    puzzle = puzzle_of(terms, problem)
    options = map(puzzle.frame.mask, puzzle.options)
    costs = [steps_of(statement) for statement in problem.statements]
    sentences = (*problem.statements, *problem.options)
    kin = {str(sentence.arguments[2]) for sentence in sentences if sentence.template == KIN}
    cl = max(count_steps(puzzle.frame, puzzle.stated, costs, option) for option in options)
    pairs = {frozenset(link.arguments[:2]) for link in problem.statements if link.template in (*OF_TWO, KIN)}
    ne = len(pairs)
    compared = {sentence.template for sentence in sentences} & _RELATIONS.keys()
    return Labels(
        properties=("surname",),
        relations=tuple(sorted(kin | {_RELATIONS[name] for name in compared})),
        rules=("surname of the father",) if kin else (),
        chain_length=cl,
        precision="vague" if problem.type == "vague_entity" else "precise",
        level=level_of(cl, 0, ne),
        difficulty=CUTS.classify(cl, problem.type, len(problem.options)),
        variables={"cl": cl, "nm": 0, "ne": ne},
    )


def count_steps(whole: Frame, masks: Sequence[int], costs: Sequence[int], option: int) -> int:
    """The least cost of statements that decide an option.

    Raises ValueError where all of them leave it open.
    """
    reached: dict[int, set[int]] = {0: {whole.full}}
    for cost in range(sum(costs) + 1):
        for held in reached.get(cost, ()):
            if verdict(held, option) is not None:
                return cost
            for mask, step in zip(masks, costs, strict=True):
                if held & mask != held:
                    reached.setdefault(cost + step, set()).add(held & mask)
    raise ValueError("the statements leave the option open")


def canonical(problem: Problem) -> object:
    """A value that is equal for problems that differ by people, surnames or order alone."""
    items: list[Item] = [("surname is named", (surname,)) for surname in problem.details]
    for word, sentences in (
        ("said", problem.statements),
        ("option", problem.options),
        ("asked", (problem.asked,) if problem.asked else ()),
    ):
        for sentence in sentences:
            items += [(f"{word} {sentence.template}", arguments) for arguments in _list_orders(sentence)]
    form = find_least_form((*problem.entities, *problem.details), items)
    return [
        *(problem.scenario, problem.type, len(problem.entities), len(problem.details), problem.has_none),
        form,
    ]


def _list_orders(sentence: Proposition) -> list[tuple[str | int, ...]]:
    """A sentence's arguments, both ways round where that says the same."""
    arguments = sentence.arguments
    return [arguments, arguments[::-1]] if sentence.template in OF_TWO else [arguments]


# Texts about surnames: the introduction, and the words of sentences.
#
# People are called by what tells no surname: by first names in English, in Chinese by 小 and the given name.

SCENARIO = "surnames"
_FAMILIAR = "小"


def make_phrasebook(
    people: Sequence[Person],
    surnames: Mapping[str, Mapping[Language, str]],
    terms: Mapping[str, Term],
    language: Language,
) -> Phrasebook:
    """The sentences in a language."""
    sentences = {name: patterns for name, patterns in load_sentences("surnames").items() if name != "intro"}
    names: dict[Argument, str] = {
        person.id: _FAMILIAR + person.given if language == "zh" else person.names["en"] for person in people
    }
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names,
        "surname": {id_: names[language] for id_, names in surnames.items()},
        "term": {id_: term.words[language] for id_, term in terms.items()},
    }
    return Phrasebook(sentences, language, lexicon)


# Draw a question about surnames that keeps a request.

_SIZES: dict[Difficulty, tuple[int, ...]] = {"easy": (4, 5), "medium": (5, 6), "hard": (6, 7)}
# A vague gap leaves out a person who is named, and shows four others.
_LEAST_VAGUE = 6
_SURNAMES = (2, 3, 3)
# Questions drawn for a request, and statements drawn for a question.
_TRIES, _TEXTS = 60, 4
# How often a statement has each form; few say directly what somebody's surname is.
_WEIGHTS = {"surname": 1.0, "surname_not": 1.0, "same": 2.0, "different": 2.0, KIN: 2.0}

_Asked = tuple[Proposition | None, list[Proposition]]


class SurnameDrawer:
    """Draws questions from people, surnames and the terms of kin that keep a surname."""

    def __init__(self, people: Sequence[str], surnames: Sequence[str], terms: Mapping[str, Term]) -> None:
        self._people = people
        self._surnames = surnames
        self._terms = terms

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """A problem that keeps the request, or None where this draw failed."""
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
        self.surname_of = {person: rng.choice(surnames) for person in people}
        self.hidden = self.whole.full
        for person, surname in self.surname_of.items():
            self.hidden &= self.mask(Proposition("surname", (person, surname)))

    def mask(self, sentence: Proposition) -> int:
        return self.whole.mask(constrain(self.terms, self.people, self.surnames, sentence))

    def is_true(self, sentence: Proposition) -> bool:
        return bool(self.mask(sentence) & self.hidden)

    def make(self) -> Problem | None:
        """A problem; None where question or statements do not come out."""
        option_count = self.request.count_options(self.rng)
        asks = self._draw_gap if self.request.type.endswith("entity") else self._draw_claims
        drawn = asks(option_count)
        if drawn is None:
            return None
        asked, options = drawn
        steps = CUTS.list_steps(self.request.difficulty, self.request.type, option_count)
        for _ in range(_TEXTS):
            statements = self._draw_statements(options, steps)
            if statements:
                return self.request.pose(self.people, statements, options, asked, self.surnames)
        return None

    def _draw_claims(self, option_count: int) -> _Asked | None:
        """Options that are claims, so many of them right, of forms that tell nothing."""
        wanted = self.request.list_truths(option_count)
        self.rng.shuffle(wanted)
        chosen: list[Proposition] = []
        taken: set[int] = set()
        for truth in wanted:
            form = self.rng.choice((*OF_ONE, *OF_TWO))
            claims = [claim for claim in self._list_claims(form) if self.is_true(claim) is truth]
            claims = [claim for claim in claims if self.mask(claim) not in taken]
            if not claims:
                return None
            chosen.append(self.rng.choice(claims))
            taken |= {self.mask(chosen[-1]), self.mask(chosen[-1]) ^ self.whole.full}
        return None, chosen

    def _draw_gap(self, option_count: int) -> _Asked | None:
        """A sentence with a gap for a person, and options, so many of them right."""
        form = self.rng.choice((*OF_ONE, *OF_TWO))
        other: Argument = self.rng.choice(self.surnames if form in OF_ONE else self.people)
        asked = Proposition(form, (GAP, other))
        filled = [fill(asked, person) for person in self.people if person != other]
        right = [option for option in filled if self.is_true(option)]
        wrong = [option for option in filled if option not in right]
        if (len(right) > 1) != (self.request.type == "vague_entity") or not right:
            return None
        number = self.request.right
        if len(right) < number or len(wrong) < option_count - number:
            return None
        options = self.rng.sample(right, number) + self.rng.sample(wrong, option_count - number)
        self.rng.shuffle(options)
        return asked, options

    def _list_claims(self, form: str) -> list[Proposition]:
        if form in OF_ONE:
            return [Proposition(form, (x, surname)) for x in self.people for surname in self.surnames]
        return [Proposition(form, self._swap(pair)) for pair in combinations(self.people, 2)]

    def _swap(self, pair: tuple[str, str]) -> tuple[str, str]:
        return pair if self.rng.random() < 0.5 else pair[::-1]

    def _draw_statements(self, options: Sequence[Proposition], steps: range) -> list[Proposition] | None:
        """Statements that allow the hidden arrangement alone and decide the options in such steps.

        None says or denies what an option says, but a relation of kin may: there the surname is to be found.
        """
        masks = [self.mask(option) for option in options]
        banned = {side for mask in masks for side in (mask, mask ^ self.whole.full)}
        chosen, held = self._collect(banned)
        if held != self.hidden:
            return None
        # What says a surname directly goes first where the others say it too: proofs are longer so.
        order = sorted(range(len(chosen)), key=lambda index: chosen[index].template not in OF_ONE)
        if self.request.difficulty == "easy":
            order.reverse()
        stated = [self.mask(sentence) for sentence in chosen]
        kept = [chosen[index] for index in drop_redundant(self.whole, stated, order)]
        stated, costs = [self.mask(sentence) for sentence in kept], [steps_of(sentence) for sentence in kept]
        if max(count_steps(self.whole, stated, costs, mask) for mask in set(masks)) not in steps:
            return None
        self.rng.shuffle(kept)
        return kept

    def _collect(self, banned: set[int]) -> tuple[list[Proposition], int]:
        """True statements until one arrangement is left or none is new, and what they allow."""
        pools = {form: self._list_true(form) for form in _WEIGHTS}
        chosen: list[Proposition] = []
        related: set[Argument] = set()
        held = self.whole.full
        while held != self.hidden and any(pools.values()):
            forms = [form for form in _WEIGHTS if pools[form]]
            (form,) = self.rng.choices(forms, [_WEIGHTS[name] for name in forms])
            statement = pools[form].pop()
            mask = self.mask(statement)
            # Nobody is in two relations of kin: they can never contradict each other.
            if form == KIN and related & set(statement.arguments[:2]):
                continue
            if held & mask != held and (form == KIN or mask not in banned):
                chosen.append(statement)
                held &= mask
                related |= set(statement.arguments[:2]) if form == KIN else set()
        return chosen, held

    def _list_true(self, form: str) -> list[Proposition]:
        """The true statements of a form in random order; relations of kin of random terms."""
        if form == KIN:
            pairs = [claim for claim in self._list_claims("same") if self.is_true(claim)]
            terms = self.rng.choices(list(self.terms), k=len(pairs))
            truths = [Proposition(KIN, (*claim.arguments, t)) for claim, t in zip(pairs, terms, strict=True)]
        else:
            truths = [claim for claim in self._list_claims(form) if self.is_true(claim)]
        self.rng.shuffle(truths)
        return truths


# Scenario surnames: people who have the same surname, or another one, by statements and by kinship.
#
# A name gives no surname away: people are called by first names (`wording`). The first engine counts the ways
# to give everybody a surname by masks, the second is a SAT solver (`judge`).

# Half as many questions as of each other scenario: little but logic is to be known.
_SHARE = 0.5


def build(knowledge: Knowledge) -> Domain:
    """The scenario as a domain of its own."""
    people = read_people(knowledge)
    surnames: dict[str, dict[Language, str]] = {
        row["id"]: {"zh": row["zh"], "en": row["en"]}
        for row in knowledge.rows("social/properties")
        if row["kind"] == "surname"
    }
    terms = {id_: term for id_, term in read_terms(knowledge).items() if term.used and keeps_surname(term)}
    books = {language: make_phrasebook(people, surnames, terms, language) for language in LANGUAGES}
    kinds = {"people": "person", "surnames": "surname"}
    intro = load_sentences("surnames")["intro"]
    intros = IntroPatterns([IntroPattern(SCENARIO, intro, book, kinds) for book in books.values()])
    drawer = SurnameDrawer([person.id for person in people], list(surnames), terms)
    return Domain(
        "social",
        {SCENARIO: {"easy": _SHARE, "medium": _SHARE, "hard": _SHARE}},
        types=lambda _: TYPES,
        draw=drawer.draw,
        decide=lambda problem: puzzle_of(terms, problem).decide(),
        check=lambda problem: puzzle_of(terms, problem).check(),
        labels=lambda problem: label(terms, problem),
        canonical=canonical,
        write_intro=intros.write,
        read_intro=intros.read,
        phrasebook=lambda _, language: books[language],
    )
