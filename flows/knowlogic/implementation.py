"""What KnowLogic does: it grows, plays, counts and shows questions with letters for options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perennial.flows.benchmark import Benchmark, Practice, Preparation, Stage, always
from perennial.flows.knowlogic.edition import SEAT_COLUMNS, QuestionSeat, batches_of
from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.analysts import AnalystPlan
from perennial.schemas.game import Sheet
from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, KnowLogicPlan
from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject, ReadJson
from perennial.tasks.knowlogic.answers import read_answer, write_answer
from perennial.tasks.knowlogic.growing import plan_scenarios
from perennial.tasks.knowlogic.players import PLAYERS, QuestionGame
from perennial.tasks.knowlogic.problem import find_domain
from perennial.tasks.knowlogic.statistics import (
    COUNTS,
    DIFFERENCE,
    DIFFERENCE_IN_DOMAIN,
    LABELS,
    LISTS,
    PlayedQuestions,
    QuestionColumns,
    question_figures,
)
from perennial.tasks.statistics.agreement import agreement_figures, read_analyses
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import Analysis
from perennial.warehouse.catalog.catalog import Catalog, rows_with
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

    from perennial.flows.web.page import Opened, Page
    from perennial.schemas.knowlogic.settings import KnowLogicSettings
    from perennial.schemas.presentation import Presentation
    from perennial.tasks.papers import Comparison
    from perennial.tasks.report.content import Report

# Tokens: of a prompt; of an answer without its reasoning; of a reply that thinks at length, without a limit.
_PROMPT, _ANSWER, _LONG_REPLY = 350, 5, 4_000
_QUESTIONS, _PLAYED, _ANALYSED = "labelled_questions", "played_questions", "analysed_answers"
_COLUMN_OF = {"property": "properties", "relation": "relations", "level": "band"}


class KnowLogic(Benchmark["KnowLogicSettings", None, QuestionSeat, QuestionGame]):
    """Short texts in two languages, with four options of which some follow from them."""

    # Grow

    def prepare(self, settings: KnowLogicSettings, store: Store) -> Preparation[None]:
        knowledge = load_knowledge()
        domains = tuple(name for name in DOMAINS if name in settings.domains)
        languages = tuple(name for name in LANGUAGES if name in settings.languages)
        plan = KnowLogicPlan(domains, settings.questions, languages, knowledge.content_id)
        scenarios = sum(
            len(plan_scenarios(find_domain(name, knowledge), plan.questions)) for name in plan.domains
        )
        pairs = len(plan.domains) * plan.questions
        return Preparation(
            plan.as_json(),
            shown={"scenarios": f"{scenarios} of {len(plan.domains)} domains"},
            counts={"pairs": pairs, "instances": pairs * len(plan.languages)},
            protocol=settings.analyst_plan().as_protocol(),
        )

    def stages(self) -> tuple[Stage, ...]:
        from perennial.flows.knowlogic import grow_questions

        return (
            Stage(
                "questions",
                "Draws questions that no earlier edition holds, of each difficulty and type, in all "
                "languages.",
                partial(batches_of, stage="questions"),
                grow_questions.grow,
                writes=("instances", "knowlogic_questions", "rejections"),
                earlier=("instances",),
                spreads=always,
            ),
            Stage(
                "gate",
                "Proves each question by two engines and reads its texts back.",
                partial(batches_of, stage="gate"),
                grow_questions.check_scenario,
                reads=("knowlogic_questions",),
                writes=("knowlogic_gate",),
                spreads=always,
            ),
        )

    def practice(self) -> Practice:
        from perennial.flows.knowlogic.practice import KnowLogicPractice

        return KnowLogicPractice()

    # Play

    programs = PLAYERS
    reads = ("instances", "knowlogic_questions")
    one_shot = True
    plays_imports = True

    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[QuestionSeat]:
        rows = rows_with(store, "knowlogic_questions", edition, "instance_id", ids, columns=SEAT_COLUMNS)
        seats = {row["instance_id"]: QuestionSeat(**row) for row in rows}
        return [seats[id_] for id_ in ids if id_ in seats]

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        from perennial.flows.knowlogic.readers import READING

        counts = prepared.counts if prepared else read_counts(store, plan.edition)
        calls = counts["instances"] * plan.runs
        answering = estimate_players(
            plan,
            PLAYERS,
            prices,
            calls=calls,
            prompt_tokens=calls * _PROMPT,
            answer_tokens=calls * _ANSWER,
            longest_reply=_LONG_REPLY,
        )
        return [*answering, *READING.estimate(counts["instances"], plan, prices)]

    def protocol(self, settings: KnowLogicSettings, store: Store, growth: EditionPlan) -> JsonObject:
        return settings.analyst_plan().as_protocol()

    def reading_stages(self) -> tuple[Stage, ...]:
        from perennial.flows.knowlogic.readers import READING

        return (READING.stage(),)

    def readers(self, protocol: ReadJson) -> Sequence[ModelChoice]:
        return AnalystPlan.from_protocol(protocol).choices()

    def unfit(self, plan_part: ReadJson) -> dict[str, str]:
        """`exact` reads texts of the installed knowledge base, and `guesser` knows none that are imported."""
        plan = KnowLogicPlan.from_json(dict(plan_part))
        if not plan.knowledge:
            return {
                "exact": "reads the texts of this program's templates alone, and the questions are imported",
                "guesser": "has learned from questions that are drawn here, and the questions are imported",
            }
        if plan.knowledge != load_knowledge().content_id:
            return {
                "exact": f"reads texts by the knowledge base, and the edition was grown with "
                f"{plan.knowledge}, another one than is installed"
            }
        return {}

    def draw_seat(self, domain: str, setting: str, seed: int) -> QuestionSeat:
        from perennial.flows.knowlogic.grow_questions import draw_question

        question = draw_question(domain, seed, difficulty=setting)
        return QuestionSeat(
            question.instance_id, question.domain, question.language, question.letters, question.prompt
        )

    def draw_sheet(self, game: QuestionGame) -> Sheet:
        """The prompt, to which letters are typed."""

        def reply(answer: str) -> str:
            return answer if read_answer(answer) is not None else write_answer(answer, game.language)

        return Sheet(game.prompt, reply)

    # Count

    def analysis(self) -> Analysis:
        from perennial.flows.knowlogic.readers import READING

        return Analysis(
            queries={
                name: (files("perennial.flows.knowlogic") / f"{name}.sql").read_text(encoding="utf-8")
                for name in (_QUESTIONS, _PLAYED)
            }
            | {_ANALYSED: READING.query},
            table_figures=_figures,
            floors=(files("perennial.flows.knowlogic") / "known_floors.sql").read_text(encoding="utf-8"),
            families=(DIFFERENCE, DIFFERENCE_IN_DOMAIN),
        )

    def compare_paper(self, store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
        from perennial.flows.knowlogic.paper import compare_paper

        return compare_paper(store, path, step)

    # Show

    def summary(self, catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
        """What the gate proved, and how many questions are missing."""
        where = f"WHERE edition = '{plan.edition}'"
        _, ((pairs, options, texts, changes),) = catalog.query(
            "SELECT sum(proved)::BIGINT, sum(options)::BIGINT, sum(texts)::BIGINT, sum(changes)::BIGINT "
            f"FROM knowlogic_gate {where}"
        )
        facts = {
            "gate": f"{pairs or 0:,} questions have one arrangement by two engines, {options or 0:,} options "
            f"are decided, {texts or 0:,} texts read back; {changes or 0:,} changed texts and wrong answers "
            "refused"
        }
        _, missing = catalog.query(
            f"SELECT subject, amount FROM rejections {where} AND stage = 'questions' ORDER BY 1"
        )
        listed = [f"{subject}: {amount:,} questions missing" for subject, amount in missing]
        return facts | ({"left out": "; ".join(listed) + " (table rejections)"} if listed else {})

    def report(self) -> Report:
        from perennial.tasks.knowlogic.report import REPORT

        return REPORT

    def pages(self) -> tuple[Page, ...]:
        from perennial.flows.knowlogic.web import QUESTIONS

        return (QUESTIONS,)

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.knowlogic.web import show_question

        show_question(edition, instance_id)

    def show_reference(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.knowlogic.web import show_letters

        show_letters(edition, instance_id)

    def presentation(self) -> Presentation:
        from perennial.flows.knowlogic.presentation import PRESENTATION

        return PRESENTATION


def _figures(tables: Mapping[str, pyarrow.Table], seed: int) -> Iterable[Statistic]:
    questions = _questions(tables[_QUESTIONS])
    yield from question_figures(questions, _read_players(tables[_PLAYED], len(questions)))
    yield from agreement_figures(read_analyses(tables[_ANALYSED].to_pylist()), seed)


def _questions(table: pyarrow.Table) -> QuestionColumns:
    names = ("pair", "language", "domain", "difficulty")
    pair, language, domain, difficulty = (np.array(table[name].to_pylist(), dtype=str) for name in names)
    _, number = np.unique(pair, return_inverse=True)
    level = np.array([np.nan if value is None else value for value in table["level"].to_pylist()], float)
    labels = {
        label: [_values(label, value) for value in table[_COLUMN_OF.get(label, label)].to_pylist()]
        for label in LABELS
    }
    return QuestionColumns(number, language, domain, difficulty, level, labels)


def _values(label: str, value: object) -> list[str]:
    if value is None:
        return []
    return [str(element) for element in value] if label in LISTS and isinstance(value, list) else [str(value)]


def _read_players(table: pyarrow.Table, number: int) -> Iterator[PlayedQuestions]:
    for row, player in enumerate(table["player"].to_pylist()):
        places = table["number"][row].values.to_numpy()
        columns = {}
        for name in COUNTS:
            columns[name] = np.zeros(number, np.int64)
            columns[name][places] = table[name][row].values.to_numpy()
        yield PlayedQuestions(player, columns)
