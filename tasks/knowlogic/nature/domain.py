"""The domain nature, built from its tables and sentences."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    GAP,
    LANGUAGES,
    Argument,
    Knowledge,
    Labels,
    Language,
    Proposition,
    QuestionType,
)
from perennial.tasks.knowlogic.arrangement import Constraint, Puzzle
from perennial.tasks.knowlogic.nature.draw import SCENARIOS, NatureDrawer, Scenario, ScenarioPools
from perennial.tasks.knowlogic.nature.meaning import (
    CUTS,
    FRAME,
    HOLDS,
    ORDERS,
    SLOTS,
    SYMMETRIC,
    FactMaker,
    Meaning,
    Nature,
    constrain,
    notes_in,
    rate,
    read_meanings,
    read_nature,
    rules_of_order,
)
from perennial.tasks.knowlogic.phrasebook import Lexicon, Phrasebook
from perennial.tasks.knowlogic.problem import Domain, IntroPattern, IntroPatterns, Problem

# What an engine finds of a nature question: arrangements, verdicts, labels, canonical form.


@dataclass(frozen=True)
class NatureJudge:
    """Judges what a question says, from nothing but the question and the tables."""

    nature: Nature
    meanings: Mapping[str, Meaning]

    def puzzle(self, problem: Problem) -> Puzzle:
        """What both engines judge; raise ValueError for what cannot be said of the four."""
        stated, asked = (
            [self._constraint(problem, sentence) for sentence in sentences]
            for sentences in (problem.statements, problem.options)
        )
        return Puzzle(FRAME, stated, asked)

    def labels(self, problem: Problem) -> Labels:
        """The labels; raise ValueError where the statements leave an option open."""
        sentences = (*problem.statements, *problem.options)
        used = [self.meanings[sentence.template] for sentence in sentences]
        properties = {meaning.about for meaning in used if meaning.about}
        puzzle = self.puzzle(problem)
        kl = sum(self.nature.properties[name].difficulty for name in properties)
        cl = puzzle.count_steps()
        nm = not self._find_places_asked(problem, puzzle) <= self._find_slots(problem.statements)
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
        """A value that is equal for questions that differ by the numbers of the places alone.

        The things are what they are, but a number is only a name: each place is named by the thing that the
        statements put there. (Where they allow several arrangements, places keep their numbers.)
        """
        kept = self.puzzle(problem).kept
        names: dict[Argument, Argument] = {}
        if kept.bit_count() == 1:
            arrangement = FRAME.arrangement(kept)
            names = {slot + 1: problem.entities[index] for slot, index in enumerate(arrangement)}
        asked = problem.asked and self._rename(problem.asked, names)
        return [
            problem.scenario,
            sorted(map(str, problem.entities)),
            sorted((self._rename(statement, names) for statement in problem.statements), key=repr),
            problem.type if asked is None else asked,
            sorted((self._rename(option, names) for option in problem.options), key=repr)
            if asked is None
            else [],
        ]

    def _rename(self, sentence: Proposition, names: Mapping[Argument, Argument]) -> list[object]:
        meaning = self.meanings[sentence.template]
        places = [names.get(slot, slot) for slot in sentence.arguments[: meaning.slots]]
        if meaning.relation in SYMMETRIC:
            places.sort(key=str)
        return [sentence.template, *places, *sentence.arguments[meaning.slots :]]

    def _constraint(self, problem: Problem, sentence: Proposition) -> Constraint:
        meaning = self._meaning(sentence)
        name = meaning.about
        cells = [] if name is None else [self.nature.cells[str(entity)][name] for entity in problem.entities]
        return constrain(meaning, sentence.arguments, problem.entities, cells)

    def _meaning(self, sentence: Proposition) -> Meaning:
        if sentence.template not in self.meanings:
            raise ValueError(f"no template {sentence.template!r}")
        return self.meanings[sentence.template]

    def _find_slots(self, sentences: tuple[Proposition, ...]) -> set[int]:
        """The places that propositions name."""
        named = (sentence.arguments[: self._meaning(sentence).slots] for sentence in sentences)
        return {int(slot) for slots in named for slot in slots if slot != GAP}

    def _find_places_asked(self, problem: Problem, puzzle: Puzzle) -> set[int]:
        if problem.asked is None or GAP not in problem.asked.arguments[:1]:
            return self._find_slots(problem.options if problem.asked is None else (problem.asked,))
        verdicts = puzzle.decide().verdicts
        right = (option for option, is_right in zip(problem.options, verdicts, strict=True) if is_right)
        return self._find_slots(tuple(right))

    def _rules(self, problem: Problem, used: list[Meaning]) -> set[str]:
        """The rules by which the cells that the question uses follow from other cells of a thing.

        They are those below a used property's cell in its closure; of what orders values, those below each
        pair of neighboring values of the four.
        """
        rules: set[str] = set()
        for meaning in used:
            if meaning.about is None:
                continue
            cells = [str(self.nature.cells[str(entity)][meaning.about]) for entity in problem.entities]
            for entity, cell in zip(problem.entities, cells, strict=True):
                closure = self.nature.closures[str(entity)]
                if (meaning.about, cell) in closure:
                    rules |= {step.rule for step in closure.proof((meaning.about, cell)).values()}
            if meaning.relation in ORDERS:
                rules |= rules_of_order(ORDERS[meaning.relation], cells)
        return rules


# Words of nature: the phrasebook of a scenario, and introductions with the conventions that apply.

Sentences = Mapping[str, Mapping[str, Any]]

_SUBJECT = re.compile(r"<([sab])>")
# The order of a proposition's arguments: slots, then value or entity, then number (`Meaning`).
_PLACES = "sabvek"
# Counts of legs that sentences name: two animals with eight legs have 16 in total.
_NUMBERS = range(17)
# In farms one grows "apples" and "wheat"; elsewhere there is "an apple" and "wheat".
_GROWN = "farm"


def _expand(
    sentences: Sentences, meanings: Mapping[str, Meaning], scenario: str
) -> dict[str, dict[str, Any]]:
    """The patterns with the scenario's subjects, and the order of each proposition's arguments."""
    subject = sentences[f"subject_{scenario}"]
    patterns = {}
    for name in meanings:
        keys = sentences[f"{HOLDS}_{scenario}" if name == HOLDS else name]
        texts = {
            language: _SUBJECT.sub(
                lambda match, language=language: subject[language].replace("{x:", f"{{{match[1]}:"),  # type: ignore[misc]
                keys[language],
            )
            for language in LANGUAGES
        }
        used = set(re.findall(r"\{(\w):", texts["zh"]))
        patterns[name] = texts | {"places": [slot for slot in _PLACES if slot in used]}
    return patterns


def _name(sentences: Sentences, nature: Nature, language: Language, scenario: Scenario) -> Lexicon:
    """The lexicon: slots, numbers, the values of each property, and the entities of the scenario."""
    lexicon: dict[str, dict[Argument, str]] = {
        "slot": {slot: str(slot) for slot in SLOTS},
        "number": {number: str(number) for number in _NUMBERS},
        "name": {
            entity.id: (entity.plurals if scenario.name == _GROWN else entity.singles)[language]
            for entity in nature.entities.values()
            if entity.kind in scenario.kinds
        },
    }
    for (name, value), names in nature.value_names.items():
        keys = sentences.get(name, {})
        wants_article = keys.get("article") and language == "en" and value not in keys.get("mass", ())
        lexicon.setdefault(name, {})[value] = (
            add_article(names[language]) if wants_article else names[language]
        )
    return lexicon


def add_article(noun: str) -> str:
    """An English noun of these tables with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_entity",
    "vague_slot",
    "incorrect_statements",
    "precise_slot",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """The domain; raise KeyError where a table of nature is missing."""
    nature, sentences = read_nature(knowledge), load_sentences("nature")
    meanings = read_meanings(sentences, nature)
    judge, maker = NatureJudge(nature, meanings), FactMaker(meanings)
    choices = {scenario.name: ScenarioPools(scenario, nature) for scenario in SCENARIOS}
    drawers = {name: NatureDrawer(choice, meanings, maker) for name, choice in choices.items()}
    books = {}
    for scenario in SCENARIOS:
        patterns = _expand(sentences, meanings, scenario.name)
        for language in LANGUAGES:
            names = _name(sentences, nature, language, scenario)
            books[scenario.name, language] = Phrasebook(patterns, language, names)
    notes = notes_in(sentences)
    intros = IntroPatterns(
        [
            IntroPattern(name, sentences[f"intro_{name}"], book, {"names": "name"}, notes=notes)
            for (name, _), book in books.items()
        ]
    )
    return Domain(
        "nature",
        {name: {"easy": 1, "medium": 1, "hard": 1} for name in choices},
        types=lambda scenario: TYPES,
        draw=lambda request, rng: drawers[request.scenario].draw(request, rng),
        decide=lambda problem: judge.puzzle(problem).decide(),
        check=lambda problem: judge.puzzle(problem).check(),
        labels=judge.labels,
        canonical=judge.canonical,
        write_intro=intros.write,
        read_intro=intros.read,
        phrasebook=lambda scenario, language: books[scenario, language],
    )
