"""Practice questions of KnowLogic: of any domain, scenario and difficulty, in one language each."""

from collections.abc import Callable
from dataclasses import asdict
from typing import get_args

from pydantic import ValidationInfo, field_validator

from perennial.flows.benchmark import Draw, Practice
from perennial.flows.knowlogic.edition import SEAT_COLUMNS, QuestionSeat, load_domain
from perennial.flows.practice.parameters import Parameters
from perennial.schemas.errors import InvalidOption, UnreadableInput, suggest
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    DOMAINS,
    LANGUAGES,
    Difficulty,
    Question,
    QuestionType,
)
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.settings.form import Names, setting
from perennial.tasks.knowlogic.answers import letter_sets, write_answer
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario
from perennial.tasks.knowlogic.layout import instance_id
from perennial.tasks.knowlogic.players import QuestionGame

_KNOWN: dict[str, tuple[str, ...]] = {
    "domains": DOMAINS,
    "difficulties": DIFFICULTIES,
    "languages": LANGUAGES,
}


class KnowLogicParameters(Parameters):
    """Which domains and scenarios, how difficult, and in which languages."""

    domains: Names = setting(list(DOMAINS), f"Domains, separated by commas: some of {', '.join(DOMAINS)}.")
    scenarios: Names = setting([], "Scenarios, separated by commas, such as farm. Default: all.")
    difficulties: Names = setting(
        list(DIFFICULTIES), f"How difficult, separated by commas: some of {', '.join(DIFFICULTIES)}."
    )
    languages: Names = setting(
        list(LANGUAGES), "Languages, one per question, separated by commas: zh (Chinese), en (English)."
    )

    @field_validator("domains", "difficulties", "languages")
    @classmethod
    def _check_names(cls, value: list[str], info: ValidationInfo) -> list[str]:
        choices = _KNOWN[str(info.field_name)]
        wrong = next((name for name in value if name not in choices), "")
        if wrong or not value:
            raise ValueError(f"expected one or more of {', '.join(choices)}{suggest(wrong, choices)}")
        return [name for name in choices if name in value]


class KnowLogicPractice(Practice[KnowLogicParameters, QuestionSeat, QuestionGame]):
    """Questions of the scenarios that have some as asked; InvalidOption where none has."""

    parameters = KnowLogicParameters
    levels = tuple({"difficulties": [difficulty]} for difficulty in DIFFICULTIES)

    def start(
        self, parameters: KnowLogicParameters, seed: int
    ) -> Callable[[int, int], Draw[QuestionSeat] | None]:
        places = _find_places(parameters)
        languages = [language for language in LANGUAGES if language in parameters.languages]

        def draw(index: int, attempt: int) -> Draw[QuestionSeat] | None:
            rng = derive_rng(seed, f"practice/{index}", attempt)
            name = rng.choice(list(places))
            scenario = rng.choice(list(places[name]))
            difficulty = rng.choice(places[name][scenario])
            language = rng.choice(languages)
            subseed = derive_seed(seed, f"practice/{index}/question", attempt)
            request = ScenarioRequest(load_domain(name), scenario, {difficulty: 1}, (language,), subseed)
            questions = [question for drawn in grow_scenario(request).drawn.values() for question in drawn]
            return _draw_of(questions[0]) if questions else None

        return draw

    def open_seat(self, question: PracticeQuestion) -> QuestionSeat:
        game, letters = question.game, question.answer
        language = next((language for language in LANGUAGES if language == game.get("language")), None)
        type_ = game.get("type")
        if (
            language is None
            or question.domain not in DOMAINS
            or letters not in letter_sets(4)
            or type_ not in get_args(QuestionType)
        ):
            raise UnreadableInput(
                "practice question: domain, language, type or letters are none of KnowLogic's"
            )
        return QuestionSeat(
            question.instance_id,
            question.domain,
            language,
            letters,
            question.question[0]["content"],
            type=type_,
            difficulty=str(game.get("difficulty")),
            has_none=game.get("has_none") is True,
        )

    def measure(self, game: QuestionGame) -> dict[str, float]:
        return {"unextracted_rate": float(game.answer is None)}


def _find_places(parameters: KnowLogicParameters) -> dict[str, dict[str, list[Difficulty]]]:
    """The scenarios of each domain, and of each the difficulties, as far as they are asked for."""
    shares = {name: load_domain(name).shares for name in parameters.domains}
    offered = sorted({scenario for by_scenario in shares.values() for scenario in by_scenario})
    for scenario in parameters.scenarios:
        if scenario not in offered:
            raise InvalidOption(
                f"--scenarios {scenario}: expected some of {', '.join(offered)}{suggest(scenario, offered)}"
            )
    wanted = [level for level in DIFFICULTIES if level in parameters.difficulties]
    places: dict[str, dict[str, list[Difficulty]]] = {}
    for name, by_scenario in shares.items():
        for scenario in sorted(by_scenario):
            held = [level for level in wanted if by_scenario[scenario].get(level)]
            if held and (not parameters.scenarios or scenario in parameters.scenarios):
                places.setdefault(name, {})[scenario] = held
    if not places:
        raise InvalidOption(
            f"--scenarios {','.join(parameters.scenarios)}: none has {' or '.join(parameters.difficulties)} "
            "questions: ask for others with --difficulties"
        )
    return places


def _draw_of(question: Question) -> Draw[QuestionSeat]:
    values = asdict(question)
    return Draw(
        QuestionSeat(**{name: values[name] for name in SEAT_COLUMNS}),
        question.domain,
        question.letters,
        {name: values[name] for name in ("language", "type", "difficulty", "has_none")},
        {name: values[name] for name in ("difficulty", "level", "chain_length", "scenario", "language")},
        # A question that an edition holds in another language is not practice either.
        tuple(instance_id(question.pair, language) for language in LANGUAGES),
        write_answer(question.letters, question.language),
    )
