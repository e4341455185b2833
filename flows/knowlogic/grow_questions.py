"""Stage `questions`: draw the questions of one scenario in all languages, and count what does not exist."""

from dataclasses import asdict

from perennial.flows.knowlogic.edition import domain_of, plan_of
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.knowlogic.things import Difficulty, Question
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.knowlogic.growing import GrownScenario, ScenarioRequest, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.published import Imported
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.staging import question_row

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
        for place, question in enumerate(questions):
            index = (before[difficulty] + number) * len(plan.languages) + place
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
    """Return how many questions of each difficulty the scenarios before this one have."""
    earlier = list(counts)[: list(counts).index(scenario)]
    return {
        difficulty: sum(counts[name].get(difficulty, 0) for name in earlier)
        for difficulty in counts[scenario]
    }


def _rejection_rows(batch: Batch, counts: dict[Difficulty, int], grown: GrownScenario) -> Rows:
    """Return a row for each difficulty of which questions are missing, with their number."""
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
