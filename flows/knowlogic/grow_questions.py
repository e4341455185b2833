"""Stage `questions`: draw the questions of one scenario in all languages, and count what does not exist."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import cast

from perennial.flows.knowlogic.edition import domain_of, load_domain, plan_of
from perennial.flows.stages.workspace import Policies, Workspace, refuse_faults
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import InstancesExhausted, InvalidOption, join_choices, suggest
from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    DOMAINS,
    LANGUAGES,
    Difficulty,
    Language,
    Question,
)
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.knowlogic.growing import (
    GrownScenario,
    ScenarioRequest,
    TestedQuestion,
    check_pair,
    find_repeats,
    grow_scenario,
    plan_scenarios,
)
from perennial.tasks.knowlogic.published import Imported
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.staging import question_row

# Stage `gate`: prove each question and read its texts back before any model is paid for an answer.


def check_scenario(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one scenario; raise AuditFailed, naming the pairs, where one is unsound."""
    name, scenario = batch.key
    domain, languages = domain_of(workspace, name), plan_of(workspace).languages
    rows = workspace.rows(Batch("questions", batch.key), "knowlogic_questions")
    drawn = (Question(**row) for row in rows)
    questions = sorted(drawn, key=lambda question: (question.pair, question.language))
    faults = [f"{repeat}: another question shows the same" for repeat in find_repeats(questions)]
    tested: list[TestedQuestion] = []
    for pair, group in groupby(questions, key=lambda question: question.pair):
        check = check_pair(domain, list(group), languages)
        faults += [f"{pair}: {fault}" for fault in check.faults]
        tested.append(check)
    refuse_faults(f"{name}/{scenario}", faults, len(tested), "questions")
    row = {
        "domain": name,
        "scenario": scenario,
        "pairs": len(tested),
        "texts": sum(check.texts for check in tested),
        "proved": sum(check.is_proved for check in tested),
        "options": sum(check.options for check in tested),
        "changes": sum(check.changes for check in tested),
        "refused": sum(check.refused for check in tested),
    }
    return {"knowlogic_gate": [row]}


# Draw one fresh question: of a domain, scenario, difficulty and language, or of drawn ones.


def draw_question(
    domain: str = "", seed: int = 0, *, scenario: str = "", difficulty: str = "", language: str = ""
) -> Question:
    """Return one question; equal arguments give the same one. What is "" is drawn by the seed.

    Raises InvalidOption for what does not exist, InstancesExhausted where nothing was found.
    """
    rng = derive_rng(seed, "knowlogic/draw", 0)
    area = load_domain(_choose("domain", domain, DOMAINS) if domain else rng.choice(DOMAINS))
    scenarios = [_choose("scenario", scenario, sorted(area.shares))] if scenario else sorted(area.shares)
    held = {name: [level for level in DIFFICULTIES if area.shares[name].get(level)] for name in scenarios}
    if difficulty:
        offered = [level for level in DIFFICULTIES if any(level in levels for levels in held.values())]
        chosen = _choose("difficulty", difficulty, offered)
        scenarios = [name for name in scenarios if chosen in held[name]]
    picked = rng.choice(scenarios)
    if not difficulty:
        chosen = rng.choice(held[picked])
    spoken = _choose("language", language, LANGUAGES) if language else LANGUAGES[0]
    request = ScenarioRequest(area, picked, {cast(Difficulty, chosen): 1}, (cast(Language, spoken),), seed)
    questions = [question for drawn in grow_scenario(request).drawn.values() for question in drawn]
    if not questions:
        raise InstancesExhausted(f"{area.name}/{picked}: no {chosen} question was found; give another --seed")
    return questions[0]


def _choose(option: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise InvalidOption(f"{option} {value!r}: expected {join_choices(choices)}{suggest(value, choices)}")
    return value


EXHAUSTED = "space_exhausted"
Counts = dict[str, dict[Difficulty, int]]


def grow(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the questions of one scenario, and of what is missing."""
    plan, (name, scenario) = plan_of(workspace), batch.key
    domain = domain_of(workspace, name)
    counts = plan_scenarios(domain, plan.questions)
    issued = issued_instances(workspace.staging.store, workspace.growth.known_editions)
    request = ScenarioRequest(domain, scenario, counts[scenario], plan.languages, workspace.seed, issued)
    grown = grow_scenario(request)
    before = _count_before(counts, scenario)
    tables: dict[str, Rows] = {"instances": [], "knowlogic_questions": []}
    for (difficulty, number), questions in grown.drawn.items():
        for language_index, question in enumerate(questions):
            # The versions of a question in several languages stand next to each other.
            index = (before[difficulty] + number) * len(plan.languages) + language_index
            tables["instances"].append(shared_row(question, index, workspace.growth.seed))
            tables["knowlogic_questions"].append(asdict(question))
    return tables | {"rejections": _rejection_rows(batch, counts[scenario], grown)}


def shared_row(question: Question | Imported, index: int, seed: int | None) -> dict[str, object]:
    """Return the question's row of `instances`."""
    return question_row(
        question.instance_id,
        benchmark="knowlogic",
        domain=question.domain,
        setting=question.difficulty,
        seed=seed,
        index=index,
        cluster=question.pair,
        origin=question.pair,
    )


def _count_before(counts: Counts, scenario: str) -> dict[Difficulty, int]:
    """How many questions of each difficulty the scenarios before this one have."""
    earlier = list(counts)[: list(counts).index(scenario)]
    return {
        difficulty: sum(counts[name].get(difficulty, 0) for name in earlier)
        for difficulty in counts[scenario]
    }


def _rejection_rows(batch: Batch, counts: dict[Difficulty, int], grown: GrownScenario) -> Rows:
    """One row per difficulty: which questions are missing, and how many."""
    return [
        Rejection(
            "questions",
            f"{'/'.join(batch.key)} {difficulty}",
            EXHAUSTED,
            f"{number} of {counts[difficulty]} questions: too few exist that neither this edition nor an "
            "earlier one holds",
            domain=batch.key[0],
            setting=difficulty,
            amount=number,
        ).row()
        for difficulty, number in sorted(grown.missing.items())
    ]
