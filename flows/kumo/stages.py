"""How an edition grows: its stages in order, each over its batches. Who runs the batches is handed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flows.kumo.author_domains import configure_batch, given_domain_batch, propose_batch
from flows.kumo.check_batches import gate_batch, gate_edition
from flows.kumo.play_episodes import evaluate_batch, refuse_api_errors
from flows.kumo.sample_instances import sample_batch
from flows.kumo.write_books import write_books_batch
from flows.refresh.plan import PlannedDomain
from flows.stages.compute_statistics import analyse_edition
from flows.stages.workspace import Workspace
from schemas.calls import CallPolicy
from schemas.gate import GatePolicy
from schemas.settings import RefreshSettings
from tasks.kumo.players import PLAYERS

Spread = bool | Callable[..., bool]


class StageRunner(Protocol):
    """Runs the batches of a stage."""

    def run(
        self,
        name: str,
        function: Callable[..., dict[str, int]],
        parameters: Sequence[tuple[Any, ...]],
        *,
        spread: Spread = False,
    ) -> dict[str, int]:
        """Run the function with each of the parameters and return the added counts.

        `spread`: the batches need no model and may run in any order, anywhere that sees the data root; or a
        function that says so of a batch's parameters.
        """
        ...


@dataclass(frozen=True, slots=True)
class Policies:
    """How the stages go about their work; nothing here decides what an edition holds."""

    calls: CallPolicy
    gate: GatePolicy
    accept_api_errors: bool

    @classmethod
    def of(cls, settings: RefreshSettings) -> "Policies":
        """Return what the settings say."""
        return cls(settings.call_policy(), settings.gate_policy(), settings.accept_api_errors)


def grow(
    workspace: Workspace, domains: Sequence[PlannedDomain], policies: Policies, stages: StageRunner
) -> None:
    """Stage all that the edition's plan asks for, but for what is staged already."""
    plan = workspace.plan
    work = (workspace.staging.store.root, plan.edition)
    policy = policies.calls
    if domains:
        stages.run("domains", given_domain_batch, [(*work, domain) for domain in domains])
    if plan.authoring.proposals:
        stages.run("proposals", propose_batch, [(*work, policy)])
        stages.run("configs", configure_batch, [(*work, policy)])
    cells = [(config_id, setting.name) for config_id in workspace.configs for setting in plan.settings]
    stages.run("sample", sample_batch, [(*work, *cell) for cell in cells], spread=True)
    books = [(*work, policy, batch) for batch in workspace.batches]
    stages.run("books", write_books_batch, books, spread=not plan.authoring.writer)
    # Before the episodes: no model is paid for playing what would not be published.
    stages.run("gate", gate_batch, [(*work, batch) for batch in workspace.batches], spread=True)
    stages.run("overlap", gate_edition, [(*work, policies.gate)])
    refuse_api_errors(_play(workspace, policies, stages))
    stages.run("statistics", analyse_edition, [work])


def _play(workspace: Workspace, policies: Policies, stages: StageRunner) -> dict[str, int]:
    """Let all players play; return the row counts."""
    plan = workspace.plan
    shared = (workspace.staging.store.root, plan.edition, policies.calls, policies.accept_api_errors)
    played = [(*shared, batch, player) for batch in workspace.batches for player in plan.players]
    return stages.run("episodes", evaluate_batch, played, spread=_needs_no_model)


def _needs_no_model(*values: Any) -> bool:
    *_, player = values
    return player in PLAYERS
