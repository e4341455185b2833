"""Scenario kinship of domain social (appendices A and C of the paper).

A text names five to eight people of one family of at most three generations, and says of some who is what of
whom. Its world is closed in words that a reader is shown: they are all related, everyone through whom they
are related is one of them, everyone has at most one spouse, a couple are the parents of each other's
children, siblings have both parents in common, and nobody is related to anybody in two ways. So a family is
a tree (`family`), the statements allow a finite number of families, and a question is kept where they allow
exactly one. This was preferred to a family whose shape the text tells, where the terms would be needed only
to put names on it, and to a family with people who have no names, whose number has no bound.

An option is right only if it holds in this family for every order of births that the statements allow; one
that needs an age which does not follow is refused. Terms are used from the person's own point of view: the
Chinese text says so, and the English one spells each term out as a path.

The first engine grows families statement by statement (`models`); the second is a SAT solver (`solver`). The
reasoning chain of an option is counted in compositions of stated relations (`derivation`).
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

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
    QuestionType,
)
from perennial.tasks.knowlogic.kinship.derivation import (
    Derivations,
    canonical,
    check,
    count_steps,
    count_terms,
    list_pairs,
)
from perennial.tasks.knowlogic.kinship.models import (
    BornFamily,
    Resolved,
    Stated,
    decide,
    draw_family,
    draw_statements,
    find_holder,
    find_models,
    find_truths,
    holds,
    index_people,
    number_people,
    resolve,
)
from perennial.tasks.knowlogic.kinship.terms import Term, read_terms
from perennial.tasks.knowlogic.phrasebook import Phrasebook
from perennial.tasks.knowlogic.problem import (
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
from perennial.tasks.knowlogic.social.world import CUTS, level_of

# Options of a question: sentences that the statements make true or false, and their steps.

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
        return [self.terms[str(truth.arguments[2])].length ** 2 for truth in self.truths]

    @cached_property
    def descriptions(self) -> list[tuple[int, str, int]]:
        """Descriptions that fit exactly one person: of whom, the term, and the person."""
        model = self.stated.model
        pairs = sorted({(int(ego), str(term)) for _, ego, term in (truth.arguments for truth in self.truths)})
        return [
            (ego, term, holder)
            for ego, term in pairs
            if self.terms[term].length <= _DESCRIBED
            and (holder := find_holder(model, self.terms[term], ego)) is not None
        ]

    def steps(self, option: Proposition) -> int | None:
        """The steps that decide an option; None where it does not follow by composition."""
        return count_steps(self.terms, self.stated.model, self.derivations, option)

    def is_fit(self, option: Proposition, wanted: bool, *, is_choice: bool = False) -> bool:
        """Whether an option has this verdict and repeats no statement.

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

    def _is_absurd(self, claim: Resolved) -> bool:
        """Whether the sexes tell that it is false: a woman's wife's sister, a man as a mother."""
        sexes = self.stated.model.family.sexes
        spouses = {shape[0] for shape in claim.term.shapes}
        return sexes[claim.who] != claim.term.sex or spouses == {"h" if sexes[claim.ego] == "m" else "w"}

    def _is_loose(self, claim: Resolved) -> bool:
        """Whether some use the term so: from the view of the spouse or a child, or for a cousin."""
        family = self.stated.model.family
        relation = family.relations[claim.ego][claim.who]
        if relation is None:
            return True
        for other, kin in enumerate(family.relations[claim.ego]):
            is_near = kin is not None and kin.shape in ("h", "w", "s", "d") and other != claim.who
            if is_near and family.comparisons(claim.term, other, claim.who) is not None:
                return True
        true = [term for term in self.terms.values() if relation.shape in term.shapes]
        word = claim.term.words["zh"]
        return any(term.words["zh"].endswith(word) for term in true if term is not claim.term)

    def draw_twins(
        self, form: str, steps: range, rng: random.Random
    ) -> tuple[Proposition, Proposition] | None:
        """A true sentence of this form and a false one about somebody else, decided in such steps.

        They have the same terms. Whoever shows either as often as the other gives nothing away by words:
        a term that a family lets nobody be called wrongly is in no true option. None where this draw failed.
        """
        true = self._draw_true(form, rng)
        if true is None or not self._is_shown(true, True, steps):
            return None
        people = range(self.stated.model.family.size)
        places = [position for position, argument in enumerate(true.arguments) if isinstance(argument, int)]
        changes = [(position, x) for position in places for x in people if x not in true.arguments]
        for position, x in rng.sample(changes, len(changes)):
            arguments = (*true.arguments[:position], x, *true.arguments[position + 1 :])
            false = Proposition(form, arguments)
            if self._is_shown(false, False, steps):
                return true, false
        return None

    def _is_shown(self, option: Proposition, wanted: bool, steps: range) -> bool:
        return self.is_fit(option, wanted) and self.steps(option) in steps

    def _draw_true(self, form: str, rng: random.Random) -> Proposition | None:
        """A true sentence: of names, or with descriptions in the place of the names."""
        if form.endswith("of_holder"):
            truth = rng.choice(self._basic_truths)
        else:
            truth = rng.choices(self.truths, self._weights)[0]
        if form == "is":
            return truth
        who, ego, term = truth.arguments
        left = right = None
        if form.startswith("holder_is"):
            left = self._describe(who, ego, rng)
        if form.endswith("of_holder"):
            right = self._describe(ego, who, rng)
        if form == "holder_is":
            return left and Proposition(form, (*left, ego, term))
        if form == "is_of_holder":
            return right and Proposition(form, (who, *right, term))
        if left is None or right is None or left[0] == right[0]:
            return None
        return Proposition(form, (*left, *right, term))

    @cached_property
    def _basic_truths(self) -> list[Proposition]:
        return [truth for truth in self.truths if self.terms[str(truth.arguments[2])].length == 1]

    def _describe(self, holder: Argument, other: Argument, rng: random.Random) -> tuple[int, str] | None:
        """A description of somebody that does not start from the other person of the sentence."""
        fitting = [(ego, term) for ego, term, who in self.descriptions if who == holder and ego != other]
        return rng.choice(fitting) if fitting else None

    def draw_gap(self, form: str, least: int, rng: random.Random) -> Proposition | None:
        """A sentence with a gap that so many people fit, or more; None where there is none."""
        askable = [asked for asked, number in self.gaps.items() if asked.template == form and number >= least]
        return rng.choice(askable) if askable else None

    @cached_property
    def gaps(self) -> Counter[Proposition]:
        """The sentences with a gap, with the number of people who fit."""
        fitting: Counter[Proposition] = Counter()
        for who, ego, term in (truth.arguments for truth in self.truths):
            fitting[Proposition("is", (GAP, ego, term))] += 1
            fitting[Proposition("is", (who, GAP, term))] += 1
            if self.terms[str(term)].length == 1:
                for b, first, holder in self.descriptions:
                    if holder == ego and b != who:
                        fitting[Proposition("is_of_holder", (GAP, b, first, term))] += 1
        return fitting


# Texts of kinship: the introduction with its conventions, and the words of sentences.

SCENARIO = "kinship"
_COUNTS: dict[Language, dict[int, str]] = {
    "zh": {3: "三", 4: "四", 5: "五", 6: "六", 7: "七", 8: "八"},
    "en": {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"},
}


def build_phrasebook(people: tuple[Person, ...], terms: Mapping[str, Term], language: Language) -> Phrasebook:
    """The sentences of kinship in a language."""
    sentences = {name: patterns for name, patterns in load_sentences("kinship").items() if name != "intro"}
    words: dict[Argument, str] = {term.id: term.words[language] for term in terms.values()}
    steps: dict[Argument, str] = {term: words[term] for term in words if terms[str(term)].length == 1}
    return Phrasebook(
        sentences, language, {"person": names_of(people, language), "term": words, "step": steps}
    )


def _open(books: Mapping[Language, Phrasebook]) -> IntroPatterns:
    """The introductions, each of which counts the people."""
    intro = load_sentences("kinship")["intro"]
    return IntroPatterns(
        [
            IntroPattern(
                SCENARIO,
                {language: intro[language].strip().replace("{count}", word)},
                books[language],
                {"people": "person"},
                size=number,
            )
            for language, words in _COUNTS.items()
            for number, word in words.items()
        ]
    )


# Draw a question of kinship: a family, statements that allow it alone, and four options.

_SIZES: dict[Difficulty, tuple[int, ...]] = {"easy": (5, 5, 5, 6), "medium": (5, 6, 6, 7), "hard": (7, 7, 8)}
BOTH = "holder_is_of_holder"
_TRIES = 60
# Options are drawn so often for the same statements.
_ATTEMPTS = 3
# What is asked, where it is a sentence with a gap, and the options.
_Asked = tuple[Proposition | None, list[Proposition]]


def draw(
    people: Sequence[Person], terms: Mapping[str, Term], request: Request, rng: random.Random
) -> Problem | None:
    """A problem that keeps the request; None where this draw failed."""
    born = _draw_family(terms, request, rng)
    stated = draw_statements(terms, born, request.difficulty, rng)
    if stated is None:
        return None
    options = Options(terms, stated)
    option_count = request.count_options(rng)
    drawer = _draw_gap if request.type in ("precise_entity", "vague_entity") else _draw_sentences
    for _ in range(_ATTEMPTS):
        drawn = drawer(options, request, option_count, rng)
        if drawn is not None:
            return _build(people, born.family.size, stated.statements, request, drawn, rng)
    return None


def _draw_family(terms: Mapping[str, Term], request: Request, rng: random.Random) -> BornFamily:
    """A family in which, if several people are to fit a gap, so many do (where one is found)."""
    is_vague = request.type == "vague_entity"
    sizes = _SIZES[request.difficulty]
    for _ in range(_TRIES):
        born = draw_family(max(rng.choice(sizes), 6 if is_vague else 0), rng, is_wide=is_vague)
        # One more than are shown: what a statement says is no option.
        if not is_vague or max(Options(terms, Stated((), born.model())).gaps.values()) > request.right:
            break
    return born


def _build(
    people: Sequence[Person],
    size: int,
    statements: Sequence[Proposition],
    request: Request,
    drawn: _Asked,
    rng: random.Random,
) -> Problem:
    asked, chosen = drawn
    rng.shuffle(chosen)
    # Whatever the sex that a name suggests.
    names: list[Argument] = [person.id for person in rng.sample(people, size)]

    def with_names(sentence: Proposition) -> Proposition:
        arguments = (
            names[argument] if isinstance(argument, int) else argument for argument in sentence.arguments
        )
        return Proposition(sentence.template, tuple(arguments))

    return request.pose(
        rng.sample(names, len(names)),
        map(with_names, statements),
        map(with_names, chosen),
        asked and with_names(asked),
    )


def count_edges(statements: Sequence[Proposition]) -> int:
    """The pairs of people between whom a relation is stated (`ne` of the difficulty formula)."""
    return len({frozenset(statement.arguments[:2]) for statement in statements if statement.template == "is"})


def _draw_sentences(
    options: Options, request: Request, option_count: int, rng: random.Random
) -> _Asked | None:
    forms = FORMS[request.difficulty]
    nm = int(rng.random() < forms.get(BOTH, 0))
    bounds = CUTS.list_steps(request.difficulty, request.type, option_count)
    wanted = request.list_truths(option_count)
    rng.shuffle(wanted)
    others = {form: weight for form, weight in forms.items() if nm or form != BOTH}
    chosen: list[Proposition] = []
    for number, truth in enumerate(wanted):
        # The first is the hardest, which gives the question its class.
        least, which = (1, others) if number else (bounds.start, {BOTH: 1.0} if nm else others)
        for attempt in count():
            if attempt == _TRIES:
                return None
            form = rng.choices(list(which), list(which.values()))[0]
            twins = options.draw_twins(form, range(least, bounds.stop), rng)
            if twins is not None and not set(twins) & set(chosen):
                chosen.append(twins[not truth])
                break
    return None, chosen


def _draw_gap(options: Options, request: Request, option_count: int, rng: random.Random) -> _Asked | None:
    """A sentence with a gap, and options that fill it, so many of them right."""
    bounds = CUTS.list_steps(request.difficulty, request.type, option_count)
    for _ in range(_TRIES):
        form = "is" if request.difficulty == "easy" or rng.random() < 0.6 else "is_of_holder"
        asked = options.draw_gap(form, max(request.right, 1 + (request.type == "vague_entity")), rng)
        if asked is None:
            continue
        filled = [
            option
            for x in range(options.stated.model.family.size)
            if x not in asked.arguments and (option := fill(asked, x)) not in options.stated.statements
        ]
        verdicts = {option: holds(options.terms, options.stated.model, option) for option in filled}
        steps = {option: options.steps(option) for option in filled}
        usable = [option for option in filled if (cost := steps[option]) is not None and cost < bounds.stop]
        right = [option for option in usable if verdicts[option]]
        wrong = [option for option in usable if options.is_fit(option, False, is_choice=True)]
        fitting = _count_fitting(options, asked)
        if (fitting > 1) != (request.type == "vague_entity"):
            continue
        if len(right) < request.right or len(wrong) < option_count - request.right:
            continue
        chosen = rng.sample(right, request.right) + rng.sample(wrong, option_count - request.right)
        if max(steps[option] or 0 for option in chosen) >= bounds.start:
            return asked, chosen
    return None


def _count_fitting(options: Options, asked: Proposition) -> int:
    """How many people may fit the gap (those whom an unknown age leaves open among them)."""
    people = [x for x in range(options.stated.model.family.size) if x not in asked.arguments]
    return sum(holds(options.terms, options.stated.model, fill(asked, x)) is not False for x in people)


# What is known of a question of kinship beside its text: terms, rules, chain length, level.

# The properties that statements of other templates give.
_PROPERTIES = {"male": "sex", "female": "sex", "older": "age"}


def label(terms: Mapping[str, Term], problem: Problem) -> Labels:
    """The labels of a problem whose statements allow one family.

    Raises ValueError where they allow none or several, or an option does not follow by composition.
    """
    number = index_people(problem)
    statements = number_people(problem.statements, number)
    options = number_people(problem.options, number)
    models = list(find_models(terms, len(number), statements))
    if len(models) != 1:
        raise ValueError(f"the statements allow {len(models)} families")
    derivations = Derivations(models[0].family, list_pairs(terms, statements))
    steps = [count_steps(terms, models[0], derivations, option) for option in options]
    counts = [count for count in steps if count is not None]
    if len(counts) < len(steps):
        raise ValueError("an option does not follow by composition")
    cl, nm, ne = max(counts), int(any(option.template == BOTH for option in options)), count_edges(statements)
    rules = {
        "composition": any(step > count_terms(option) for step, option in zip(counts, options, strict=True)),
        "description": any(option.template != "is" for option in options),
        "elder and younger": any(_compares(terms, option) for option in options),
        "inverse": any(_is_inverse(option, statements) for option in options),
    }
    return Labels(
        properties=tuple(
            sorted({_PROPERTIES[fact.template] for fact in statements if fact.template != "is"})
        ),
        relations=tuple(
            sorted({str(term) for sentence in (*statements, *options) for term in _terms(terms, sentence)})
        ),
        rules=tuple(sorted(rule for rule, is_used in rules.items() if is_used)),
        chain_length=cl,
        precision="vague" if problem.type == "vague_entity" else "precise",
        level=level_of(cl, nm, ne),
        difficulty=CUTS.classify(cl, problem.type, len(options)),
        variables={"cl": cl, "nm": nm, "ne": ne},
    )


def _terms(terms: Mapping[str, Term], sentence: Proposition) -> list[str]:
    return [str(argument) for argument in sentence.arguments if argument in terms]


def _compares(terms: Mapping[str, Term], sentence: Proposition) -> bool:
    return sentence.template == "older" or any(
        ages for term in _terms(terms, sentence) for ages in terms[term].shapes.values()
    )


def _is_inverse(option: Proposition, statements: list[Proposition]) -> bool:
    """Whether an option is about two people of a statement, the other way round."""
    if option.template != "is":
        return False
    return any(fact.template == "is" and fact.arguments[1::-1] == option.arguments[:2] for fact in statements)


TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """The scenario as a domain of its own; raise ValueError for a table that is faulty."""
    terms, people = read_terms(knowledge), read_people(knowledge)
    books = {language: build_phrasebook(people, terms, language) for language in LANGUAGES}
    introductions = _open(books)
    return Domain(
        "social",
        {SCENARIO: {"easy": 1.0, "medium": 1.0, "hard": 1.0}},
        types=lambda _: TYPES,
        draw=lambda request, rng: draw(people, terms, request, rng),
        decide=lambda problem: decide(terms, problem),
        check=lambda problem: check(terms, problem),
        labels=lambda problem: label(terms, problem),
        canonical=canonical,
        write_intro=introductions.write,
        read_intro=introductions.read,
        phrasebook=lambda _, language: books[language],
    )
