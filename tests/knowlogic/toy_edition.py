"""An edition of toy questions, played by the programs: rows of every staged table, without a data root."""

import random
from dataclasses import asdict
from functools import cache
from itertools import groupby
from typing import Any, cast

from perennial.flows.benchmark import find_benchmark
from perennial.flows.knowlogic.edition import QuestionSeat
from perennial.flows.knowlogic.grow_questions import shared_row
from perennial.schemas.knowlogic.things import DomainName, Knowledge, Language, Question
from perennial.schemas.tables import staged_tables
from perennial.tasks.knowlogic.growing import ScenarioRequest, check_pair, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.problem import Domain
from perennial.tasks.play import play_program
from tests.knowlogic import toy_domain

Rows = dict[str, list[dict[str, Any]]]
PEOPLE = [
    ("m01", "m", "王伟", "王", "伟", "James"),
    ("m02", "m", "李强", "李", "强", "John"),
    ("m03", "m", "张磊", "张", "磊", "Robert"),
    ("f01", "f", "赵燕", "赵", "燕", "Susan"),
    ("f02", "f", "何洁", "何", "洁", "Emily"),
    ("f03", "f", "朱琳", "朱", "琳", "Sandra"),
]
_COLUMNS = ("id", "sex", "zh", "surname", "given", "en")
KNOWLEDGE = Knowledge(
    {"names/people": tuple(dict(zip(_COLUMNS, row, strict=True)) for row in PEOPLE)}, "kb_toy"
)
BOTH: tuple[Language, ...] = ("zh", "en")


def domain(name: str = "space") -> Domain:
    """Return the toy domain under a name."""
    return toy_domain.build(KNOWLEDGE, cast(DomainName, name))


@cache
def grow(
    questions: int = 24, name: str = "space", languages: tuple[Language, ...] = BOTH, seed: int = 3
) -> list[Question]:
    """Return the questions of a toy domain."""
    of = domain(name)
    return [
        question
        for scenario, counts in plan_scenarios(of, questions).items()
        for each in grow_scenario(ScenarioRequest(of, scenario, counts, languages, seed)).drawn.values()
        for question in each
    ]


def rows(questions: int = 24) -> Rows:
    """Return the rows of an edition of one domain and of its evaluation."""
    names = (*staged_tables("knowlogic", answers=False), *staged_tables("knowlogic", answers=True))
    tables: Rows = {name: [] for name in names}
    grown = grow(questions)
    tables["knowlogic_questions"] = [asdict(question) for question in grown]
    tables["instances"] = [shared_row(question, index, 3) for index, question in enumerate(grown)]
    tables["knowlogic_gate"] = gate_rows(grown)
    programs = find_benchmark("knowlogic").programs
    for question in grown:
        seat = QuestionSeat(
            question.instance_id, "space", question.language, question.letters, question.prompt
        )
        for player in ("random", "single"):
            episode = play_program(programs[player], seat.start(), 0, random.Random(question.prompt))
            id_ = seat.episode_id(player, 0)
            tables["knowlogic_answers"] += seat.own_rows(id_, episode)["knowlogic_answers"]
            shared = {"episode_id": id_, "instance_id": question.instance_id, "player": player, "run": 0}
            tables["episodes"].append(
                shared
                | {"version": None, "status": episode.status, "success": episode.success}
                | {"score": episode.result.score, "turns": 1, "tokens": None, "cost_usd": None}
                | {"seconds": 0.1}
            )
    return tables


def gate_rows(grown: list[Question]) -> list[dict[str, Any]]:
    """Return the gate's rows of grown questions."""
    found = []
    for scenario, group in groupby(grown, key=lambda question: question.scenario):
        own = list(group)
        tested = [
            check_pair(domain(), list(pair), BOTH) for _, pair in groupby(own, key=lambda each: each.pair)
        ]
        row = {"domain": "space", "scenario": scenario, "pairs": len(tested)}
        for name in ("texts", "options", "changes", "refused"):
            row[name] = sum(getattr(each, name) for each in tested)
        found.append(row | {"proved": sum(each.is_proved for each in tested)})
    return found
