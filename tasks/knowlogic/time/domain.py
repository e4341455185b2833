"""Domain time: a week and a life (section 2.1 and Appendix C of the paper)."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
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
    join_domains,
    names_of,
    read_people,
)
from perennial.tasks.knowlogic.time.claims import DAYS, LIFE, WEEK, Times, claim_of, read_times
from perennial.tasks.knowlogic.time.engines import FIRST_YEAR, LAST_YEAR, check, count_steps, decide, prove
from perennial.tasks.knowlogic.time.hidden import OptionMaker, draw_life, draw_week

# The difficulty of questions about time: 0.02 lc + 0.2 cg + 0.25 na + 0.05 dk + 0.5 dq + dc (Appendix D).
#
# The paper leaves the variables open; here:
#
# - lc, 'the length of COT': the statements of the text and one for each own option.
# - cg, 'difficulty of the most challenging statement': 1 a year or a day, 2 a number of years or days from
#   another event (of the text or of history), 3 a duration or a gap.
# - na, 'number of options' (a constant as printed): the right options; 1 where 'none of the above' is right.
# - dk, 'difficulty of knowledge': the obscurities (1 to 3) of the events of history that the text names.
# - dq, 'difficulty of core question': 1 precise, 2 correct statements and vague, 3 incorrect statements.
# - dc: 0.5 in a week, 0 in a life.
#
# The class is ours (`perennial.tasks.knowlogic.problem`): easy up to two statements for four options, medium
# with three, hard above.

CUTS = Cuts(easy=4, medium=5)

# cg by template; what is not listed is 2.
_HARDNESS = {"on": 1, "year": 1, "gap": 3, "lasts": 3, "longer": 3, "shorter": 3, "as_long": 3}
_QUESTIONS: dict[QuestionType, int] = {
    "precise_event": 1,
    "precise_slot": 1,
    "correct_statements": 2,
    "vague_event": 2,
    "incorrect_statements": 3,
}


def level_of(variables: dict[str, float]) -> float:
    """The level of a question."""
    level = 0.02 * variables["lc"] + 0.2 * variables["cg"] + 0.25 * variables["na"]
    return round(level + 0.05 * variables["dk"] + 0.5 * variables["dq"] + variables["dc"], 9)


# Draw a question about times that keeps a request.

# Numbers of events, and most anchors of a text.
SIZES = {WEEK: range(4, 10), LIFE: range(4, 13)}
_ANCHORS = 5
# Fewest events of a text: long proofs need many.
_FEWEST: dict[Difficulty, int] = {"easy": 4, "medium": 5, "hard": 6}
# Texts tried for a request, options and gaps tried for a text.
_TEXTS, _DRAWS, _GAPS = 200, 60, 15
# The place of a template that a question for a time leaves open; all others have an event there.
_EVENT_PLACE = 1
_SLOTS = ("on", "year", "after", "before", "lasts", "anchor_after", "anchor_before")
_NO_EVENTS = ("lasts", "longer", "shorter", "as_long")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a text shall have: events, of which `hub` share a day, the hardest statement (cg), anchors."""

    events: int
    hub: int
    hardest: int
    anchors: tuple[str, ...]


def draw(times: Times, people: Sequence[Person], request: Request, rng: random.Random) -> Problem | None:
    """A problem that keeps the request, or None where this draw failed."""
    makers: dict[str, Callable[..., tuple[Proposition | None, list[Proposition]] | None]] = {
        "precise_event": _draw_event,
        "vague_event": _draw_event,
        "precise_slot": _draw_slot,
    }
    number = request.count_options(rng)
    steps = CUTS.list_steps(request.difficulty, request.type, number)
    for _ in range(_TEXTS):
        plan = _plan(times, request, number, rng)
        if plan is None:
            return None
        person = rng.choice(people).id
        text = (
            draw_week(times, person, plan.events, plan.hub, rng)
            if request.scenario == WEEK
            else draw_life(times, person, plan.events, plan.hardest, plan.anchors, rng)
        )
        if text is None:
            continue
        maker = OptionMaker(times, text, rng)
        drawn = makers.get(request.type, _draw_statements)(maker, request, number, rng)
        if drawn is None:
            continue
        asked, options = drawn
        problem = request.pose((text.person,), text.statements, options, asked)
        if count_steps(prove(times, problem), problem) in steps:
            return problem
    return None


def measure(times: Times, problem: Problem, right: int) -> dict[str, float]:
    """The variables of the difficulty formula, given the number of right options."""
    sentences = (*problem.statements, *problem.options)
    anchors = {event for sentence in sentences for event in sentence.arguments if event in times.history}
    return {
        "lc": len(sentences),
        "cg": max(_HARDNESS.get(statement.template, 2) for statement in problem.statements),
        "na": max(1, right),
        "dk": sum(times.history[str(anchor)].obscurity for anchor in anchors),
        "dq": _QUESTIONS[problem.type],
        "dc": 0.5 if problem.scenario == WEEK else 0.0,
    }


def _plan(times: Times, request: Request, number: int, rng: random.Random) -> Plan | None:
    """A plan with events enough for so many options; None where a text cannot have as many."""
    is_vague_week = request.type == "vague_event" and request.scenario == WEEK
    hub = max(2, request.right) if is_vague_week else 0
    fewest = hub + number - request.right + 1 if hub else number + 1 if "event" in request.type else 0
    sizes = [size for size in SIZES[request.scenario] if size >= max(fewest, _FEWEST[request.difficulty])]
    if not sizes or (request.type.startswith("precise") and request.right > 1):
        return None
    # Of few events, short proofs decide all options.
    size, hardest, anchors = rng.choice(sizes[:2] if request.difficulty == "easy" else sizes), 2, list[str]()
    if request.scenario == LIFE:
        hardest = rng.randint(1, 3)
        if hardest > 1:
            anchors = rng.sample(sorted(times.history), rng.randint(0, min(_ANCHORS, size)))
    return Plan(size, hub, hardest, tuple(anchors))


def _draw_statements(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[None, list[Proposition]] | None:
    true = request.right if request.type == "correct_statements" else number - request.right
    wanted = [True] * true + [False] * (number - true)
    chosen: list[Proposition] = []
    keys = set()
    for _ in range(_DRAWS):
        candidate = maker.draw(is_true=wanted[len(chosen)])
        if candidate is not None and maker.key(candidate) not in keys:
            chosen.append(candidate)
            keys.add(maker.key(candidate))
            if len(chosen) == number:
                return None, rng.sample(chosen, number)
    return None


def _draw_event(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[Proposition, list[Proposition]] | None:
    """A sentence without its event, and events for it: one fits, or several do."""
    is_vague = request.type == "vague_event"
    for _ in range(_GAPS):
        drawn = maker.draw_vague() if is_vague else maker.draw(is_true=True)
        if drawn is None or drawn.template in _NO_EVENTS:
            continue
        asked = _open(drawn, _EVENT_PLACE)
        filled = [fill(asked, event) for event in maker.events if event not in drawn.arguments[2:]]
        fitting = [option for option in filled if maker.is_true(option)]
        if (len(fitting) > 1) is not is_vague:
            continue
        right = [option for option in fitting if maker.accept(option, is_true=True)]
        wrong = [option for option in filled if maker.accept(option, is_true=False)]
        if len(right) >= request.right and len(wrong) >= number - request.right:
            chosen = rng.sample(right, request.right) + rng.sample(wrong, number - request.right)
            return asked, rng.sample(chosen, number)
    return None


def _draw_slot(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[Proposition, list[Proposition]] | None:
    """A sentence without its year, day or number, and choices for it, of which one fits."""
    for _ in range(_GAPS):
        drawn = maker.draw(is_true=True)
        if drawn is None or drawn.template not in _SLOTS:
            continue
        asked, value = _open(drawn, len(drawn.arguments) - 1), drawn.arguments[-1]
        assert isinstance(value, int)
        near = range(value - 6, value + 7) if maker.text.scenario == LIFE else range(DAYS)
        lowest = 0 if drawn.template == "on" else 1
        filled = [fill(asked, number) for number in near if number >= lowest]
        wrong = [option for option in filled if maker.accept(option, is_true=False)]
        if len(wrong) >= number - request.right:
            return asked, rng.sample(
                [drawn] * request.right + rng.sample(wrong, number - request.right), number
            )
    return None


def _open(sentence: Proposition, position: int) -> Proposition:
    arguments = (*sentence.arguments[:position], GAP, *sentence.arguments[position + 1 :])
    return Proposition(sentence.template, arguments)


# What is known of a question about times beside its text, and its form without names and orders.

# The paper's eight relations, by template.
_RELATIONS = {
    "before": "distance",
    "after": "distance",
    "anchor_before": "distance",
    "anchor_after": "distance",
    "same": "same_time",
    "anchor_same": "same_time",
    "earlier": "before",
    "anchor_earlier": "before",
    "later": "after",
    "anchor_later": "after",
    "gap": "gap",
    "longer": "longer_duration",
    "shorter": "shorter_duration",
    "as_long": "same_duration",
}
_DURATIONS = ("lasts", "longer", "shorter", "as_long")
# Templates that fit several times.
_VAGUE = ("earlier", "later", "anchor_earlier", "anchor_later", "longer", "shorter")


def label(times: Times, problem: Problem) -> Labels:
    """Properties, relations, rules, chain length, precision and level.

    The chain length is the number of statements that the proof of the hardest option rests on. Vague is a
    question for several events, or one with an option that fits several times, such as 'in an earlier year'.
    """
    verdicts = decide(times, problem).verdicts
    right = verdicts.count(problem.type != "incorrect_statements")
    variables = measure(times, problem, right)
    proofs = prove(times, problem)
    sentences = (*problem.statements, *problem.options)
    rules: set[str] = set()
    chain_length = count_steps(proofs, problem)
    for option in problem.options:
        claim = claim_of(times, problem.scenario, option)
        try:
            rules |= proofs.rules_for(claim)
        except KeyError:
            # The rules are too weak; all statements together decide it.
            continue
    templates = {sentence.template for sentence in sentences}
    if templates & set(_DURATIONS):
        rules.add("duration_from_start_to_end")
    is_vague = problem.type == "vague_event" or any(option.template in _VAGUE for option in problem.options)
    return Labels(
        properties=_properties_of(times, sentences),
        relations=tuple(sorted({_RELATIONS[name] for name in templates & _RELATIONS.keys()})),
        rules=tuple(sorted(rules)),
        chain_length=chain_length,
        precision="vague" if is_vague else "precise",
        level=level_of(variables),
        difficulty=CUTS.classify(chain_length, problem.type, len(problem.options)),
        variables=variables,
    )


def _properties_of(times: Times, sentences: tuple[Proposition, ...]) -> tuple[str, ...]:
    """Which of the paper's four properties occur: time of occurrence, start, end, duration."""
    named = {event for sentence in sentences for event in sentence.arguments}
    properties = {"time_of_occurrence"}
    properties |= {"start" for span in times.spans.values() if span.start in named}
    properties |= {"end" for span in times.spans.values() if span.end in named}
    properties |= {"duration" for sentence in sentences if sentence.template in _DURATIONS}
    return tuple(sorted(properties))


def canonical(times: Times, problem: Problem) -> object:
    """A value that is equal for questions that differ by the person, by words or by order alone.

    A week that names no day is left as it is by rotation, for it holds differences only.
    """

    def form(sentence: Proposition) -> list[object]:
        claim = claim_of(times, problem.scenario, sentence)
        return [claim.kind, claim.left, claim.right, claim.number]

    asked = problem.asked and [problem.asked.template, *problem.asked.arguments[1:]]
    return [
        problem.scenario,
        problem.type if problem.asked is None else "gap",
        sorted(map(form, problem.statements)),
        asked,
        sorted(map(form, problem.options)),
        problem.has_none,
    ]


# Sentences about times in both languages, and the introductions.

_FILES = {WEEK: "time_week", LIFE: "time_life"}
_INTRO = "intro"
_DAYS: dict[Language, tuple[str, ...]] = {
    "zh": tuple(f"星期{day}" for day in "一二三四五六日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_UNITS = {WEEK: ("天", "day"), LIFE: ("年", "year")}
# Numbers of days or years that a sentence may name.
_COUNTS = {WEEK: range(1, 7), LIFE: range(1, LAST_YEAR - FIRST_YEAR + 1)}


def make_phrasebook(times: Times, people: Sequence[Person], scenario: str, language: Language) -> Phrasebook:
    """The sentences of statements and options."""
    sentences = {key: texts for key, texts in load_sentences(_FILES[scenario]).items() if key != _INTRO}
    events = (times.week if scenario == WEEK else times.life).values()
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names_of(people, language),
        "event": {event.id: event.names[language] for event in events},
        "gerund": {event.id: event.gerund for event in events},
        "anchor": {event.id: event.names[language] for event in times.history.values()},
        "span": {span.id: span.names[language] for span in times.spans.values()},
        "day": dict(enumerate(_DAYS[language])),
        "year": {year: _call_year(year, language) for year in range(FIRST_YEAR, LAST_YEAR + 1)},
        "count": {number: _call_count(number, scenario, language) for number in _COUNTS[scenario]},
    }
    return Phrasebook(sentences, language, lexicon)


def _call_year(year: int, language: Language) -> str:
    return f"{year}年" if language == "zh" else str(year)


def _call_count(number: int, scenario: str, language: Language) -> str:
    zh, en = _UNITS[scenario]
    return f"{number}{zh}" if language == "zh" else f"{number} {en}{'s' if number > 1 else ''}"


TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_event",
    "incorrect_statements",
    "vague_event",
    "precise_slot",
)


def build(knowledge: Knowledge) -> Domain:
    """The domain of the knowledge base: a life and a week joined."""
    return join_domains("time", build_scenario(knowledge, LIFE), build_scenario(knowledge, WEEK))


def build_scenario(knowledge: Knowledge, scenario: str) -> Domain:
    """The domain of one scenario."""
    times, people = read_times(knowledge), read_people(knowledge)
    books = {language: make_phrasebook(times, people, scenario, language) for language in LANGUAGES}
    intro = load_sentences(_FILES[scenario])[_INTRO]
    intros = IntroPatterns(
        [IntroPattern(scenario, intro, book, {"name": "person"}) for book in books.values()]
    )
    return Domain(
        "time",
        {scenario: dict.fromkeys(DIFFICULTIES, 1.0)},
        types=lambda _: TYPES,
        draw=partial(draw, times, people),
        decide=partial(decide, times),
        check=partial(check, times),
        labels=partial(label, times),
        canonical=partial(canonical, times),
        write_intro=intros.write,
        read_intro=intros.read,
        phrasebook=lambda _, language: books[language],
    )
