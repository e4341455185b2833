"""An edition grows with the knowledge base that it was planned with, and no other."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.knowlogic import edition, implementation
from perennial.flows.knowlogic.edition import batches_of, domain_of, plan_of
from perennial.flows.knowlogic.grow_questions import check_scenario, grow
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed, EditionConflict
from perennial.schemas.knowlogic.settings import KnowLogicSettings
from perennial.schemas.knowlogic.things import KnowLogicPlan
from tests.knowlogic import toy_domain, toy_edition
from tests.knowlogic.toy_edition import BOTH

PLAN = KnowLogicPlan(("space", "mix"), 6, BOTH, "kb_toy")


class FakeWorkspace:
    """A staged edition of toys: rows stay in memory."""

    def __init__(self, plan: KnowLogicPlan = PLAN) -> None:
        self.growth = SimpleNamespace(own=plan.as_json(), edition="e1", known_editions=(), seed=3)
        self.staging = SimpleNamespace(store=None)
        self.seed = 3
        self.staged: dict[tuple[Batch, str], list[dict[str, Any]]] = {}

    def rows(self, batch: Batch, table: str) -> list[dict[str, Any]]:
        return self.staged[batch, table]


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(edition, "load_knowledge", lambda: toy_edition.KNOWLEDGE)
    monkeypatch.setattr(edition, "find_domain", lambda name, base: toy_domain.build(base, name))
    return FakeWorkspace()


def test_a_plan_is_what_it_was_as_json() -> None:
    assert KnowLogicPlan.from_json(PLAN.as_json()) == PLAN


def test_a_batch_a_scenario_holds_its_questions_and_passes_the_gate(workspace: Any) -> None:
    batches = batches_of(workspace, "questions")
    assert [batch.key for batch in batches] == [
        (domain, scenario) for domain in ("space", "mix") for scenario in ("row_of_four", "row_of_five")
    ]
    indices = []
    for batch in batches:
        tables = grow(workspace, batch, None)  # type: ignore[arg-type]
        assert tables["rejections"] == []
        workspace.staged |= {(batch, name): rows for name, rows in tables.items()}
        indices += [(row["domain"], row["setting"], row["index"]) for row in tables["instances"]]
        (row,) = check_scenario(workspace, Batch("gate", batch.key), None)["knowlogic_gate"]  # type: ignore[arg-type]
        assert row["pairs"] * 2 == len(tables["knowlogic_questions"])
    assert len(set(indices)) == len(indices) == 24


def test_an_unsound_question_stops_the_edition(workspace: Any) -> None:
    batch = Batch("questions", ("space", "row_of_five"))
    rows = grow(workspace, batch, None)["knowlogic_questions"]  # type: ignore[arg-type]
    rows[0]["level"] += 1
    workspace.staged[batch, "knowlogic_questions"] = rows
    with pytest.raises(AuditFailed, match=r"space/row_of_five: the gate found 1 faults in \d questions"):
        check_scenario(workspace, batch, None)  # type: ignore[arg-type]


def test_another_knowledge_base_than_the_plans_is_refused_in_one_line(workspace: Any) -> None:
    assert domain_of(workspace, "space").name == "space"
    other = FakeWorkspace(replace(plan_of(workspace), knowledge="kb_other"))
    with pytest.raises(EditionConflict) as error:
        batches_of(other, "questions")  # type: ignore[arg-type]
    assert "kb_other" in str(error.value)
    assert "\n" not in str(error.value)


def test_exact_plays_editions_of_the_installed_knowledge_base_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implementation, "load_knowledge", lambda: toy_edition.KNOWLEDGE)
    benchmark = find_benchmark("knowlogic")
    assert benchmark.unfit(PLAN.as_json()) == {}
    for knowledge, words in (("kb_other", "grown with kb_other"), ("", "the questions are imported")):
        why = benchmark.unfit(replace(PLAN, knowledge=knowledge).as_json())["exact"]
        assert words in why


def test_the_papers_size_gives_way_to_flags() -> None:
    settings = KnowLogicSettings(size="paper", questions=5).fill_size(["questions"])
    assert (settings.questions, settings.temperature) == (5, 0.7)
