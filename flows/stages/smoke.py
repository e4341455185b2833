"""Play one instance with every model before the rest is bought, so that a wrong parameter costs one episode.

The replies are in the ledger: the batches that follow use them.
"""

from collections.abc import Sequence

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console import progress
from perennial.flows.stages.play_episodes import play_first_episode
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EndpointFailed
from perennial.warehouse.ledger.ledger import ledger_file
from perennial.warehouse.ledger.reading import LedgerReader, describe_causes


def try_players(workspace: Workspace, batches: Sequence[Batch], policies: Policies) -> None:
    """Play the first run on the first instance with each model that has a batch that is not staged.

    Raises EndpointFailed, naming the player and why, where a call failed for good: nothing else is bought.
    """
    programs = find_benchmark(workspace.plan.benchmark).programs
    first: dict[str, Batch] = {}
    for batch in batches:
        if batch.key[-1] not in programs and not workspace.is_done(batch):
            first.setdefault(batch.key[-1], batch)
    for player, batch in first.items():
        episode = play_first_episode(workspace, batch, policies)
        if episode is None:
            continue
        if episode["status"] == "api_error" and not policies.accept_api_errors:
            with LedgerReader(ledger_file(workspace.staging.store.root)) as ledger:
                causes = describe_causes(ledger.causes(workspace.plan.unit, "player"))
            raise EndpointFailed(
                f"--smoke: a call of player {player!r} failed for good, and nothing else was bought: "
                f"{causes}: the same command tries again; with a corrected models.toml, or without this "
                f"player, `perennial evaluate {workspace.plan.edition}` with these --players does"
            )
        tokens = "tokens unknown" if episode["tokens"] is None else f"{episode['tokens']:,} tokens"
        cost = "cost unknown" if episode["cost_usd"] is None else f"${episode['cost_usd']:.4f}"
        progress.note(
            f"{'smoke':<12} {player}: {episode['status']} after {episode['turns']} turns, {tokens}, {cost}, "
            f"{episode['seconds']:.1f} s"
        )
