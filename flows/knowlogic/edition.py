"""A KnowLogic edition in growth: its plan, the batches of its scenarios, its domains, questions from rows."""

from typing import cast, get_args

from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EditionConflict
from perennial.schemas.knowlogic.things import DomainName, KnowLogicPlan, Question
from perennial.schemas.rows import Row
from perennial.tasks.knowlogic.growing import plan_scenarios
from perennial.tasks.knowlogic.problem import Domain, find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge


def plan_of(workspace: Workspace) -> KnowLogicPlan:
    """Return KnowLogic's own part of the plan of the edition that is staged."""
    return KnowLogicPlan.from_json(workspace.growth.own)


def load_domain(name: str) -> Domain:
    """Return the domain of that name over the knowledge base that is installed."""
    assert name in get_args(DomainName)
    return find_domain(cast(DomainName, name), load_knowledge())


def domain_of(workspace: Workspace, name: str) -> Domain:
    """Return a domain of the edition.

    Raises EditionConflict where the knowledge base is not the one that the edition was planned with.
    """
    planned, installed = plan_of(workspace).knowledge, load_knowledge().content_id
    if planned != installed:
        raise EditionConflict(
            f"edition {workspace.growth.edition!r} was begun with the knowledge base {planned}, and "
            f"{installed} is installed: install the version of perennial that began it, or begin another "
            f"edition after `perennial editions --prune-staging {workspace.growth.edition}`"
        )
    return load_domain(name)


def batches_of(workspace: Workspace, stage: str) -> list[Batch]:
    """Return a batch of the stage for each scenario that has questions."""
    plan = plan_of(workspace)
    return [
        Batch(stage, (name, scenario))
        for name in plan.domains
        for scenario in plan_scenarios(domain_of(workspace, name), plan.questions)
    ]


def question_of(row: Row) -> Question:
    """Return the question of a row of `knowlogic_questions`."""
    return Question(**row)
