"""A KnowLogic edition: its plan, batches and domains, questions from rows, and as they are played."""

from dataclasses import dataclass, fields
from functools import partial
from typing import cast, get_args

from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EditionConflict
from perennial.schemas.game import Episode
from perennial.schemas.knowlogic.things import DomainName, KnowLogicPlan, Language
from perennial.schemas.rows import Row
from perennial.tasks.knowlogic.growing import plan_scenarios
from perennial.tasks.knowlogic.players import QuestionForm, QuestionGame
from perennial.tasks.knowlogic.problem import Domain, find_domain
from perennial.tasks.play import InstanceSeat
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
            f"edition after `perennial editions prune {workspace.growth.edition}`"
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


@dataclass(frozen=True, slots=True)
class QuestionSeat(InstanceSeat):
    """A question as it is played: the prompt as published, and the right letters."""

    instance_id: str
    domain: str
    language: Language
    letters: str
    prompt: str
    template_hash: str = ""
    type: str | None = None
    difficulty: str = ""
    has_none: bool = False

    def start(self) -> QuestionGame:
        """Return a fresh game of it."""
        find = partial(load_domain, self.domain)
        form = QuestionForm(self.domain, self.type, self.difficulty, self.has_none)
        return QuestionGame(self.prompt, self.letters, self.language, find, self.template_hash, form)

    def own_rows(self, episode_id: str, episode: Episode[QuestionGame]) -> dict[str, list[Row]]:
        """Return the row of `knowlogic_answers`."""
        game = episode.game
        answer = game.answer
        row = {
            "episode_id": episode_id,
            "letters": None if answer is None else answer.letters,
            "extracted": answer is not None,
            "brackets": None if answer is None else answer.brackets,
            "error_class": game.error_class,
            "lenient_letters": game.lenient,
        }
        return {"knowlogic_answers": [row]}


# Of a row of `knowlogic_questions`.
SEAT_COLUMNS = tuple(field.name for field in fields(QuestionSeat))
