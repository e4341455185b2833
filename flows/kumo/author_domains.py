"""Stage 1: the domains and their configurations: bundled, from files, or written by models."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from flows.console import progress
from flows.console.input_files import load_bundled
from flows.refresh.plan import PlannedDomain
from flows.stages.model_calls import ModelSession, all_settled, run_session
from flows.stages.workspace import Workspace, open_workspace, stage_once
from schemas.calls import CallPolicy, ModelChoice
from schemas.errors import UnusableConfig
from tasks.kumo.authors.configuration import Configured, configure_domain
from tasks.kumo.authors.proposal import KnownDomain, propose_domains
from warehouse.catalog.catalog import published_domains
from warehouse.kumo.bundled_domains import bundled_domains
from warehouse.kumo.rows import (
    Row,
    config_row,
    domain_row,
    outcome_rows,
    proposal_from_row,
    proposal_row,
    rejection_row,
)
from warehouse.staging.staging import Rows


def stage_domain(workspace: Workspace, domain: PlannedDomain) -> dict[str, int]:
    """Stage the rows of one given domain: `domains`, `seed_configs`, `outcomes`; return their counts."""

    def rows() -> dict[str, Rows]:
        return {
            "domains": [domain_row(domain.config, domain.source)],
            "seed_configs": [config_row(domain.config, list(domain.warnings))],
            "outcomes": outcome_rows(domain.config),
        }

    return stage_once(workspace, workspace.author_key(domain.config.config_id), rows)


def given_domain_batch(root: str, edition: str, domain: PlannedDomain) -> dict[str, int]:
    """Stage one given domain as a batch; return the row counts."""
    return stage_domain(open_workspace(root, edition), domain)


def propose_batch(root: str, edition: str, policy: CallPolicy) -> dict[str, int]:
    """Stage the domains that the proposer proposes; return the row counts.

    Raises UnusableConfig where every proposal was refused: there would be nothing to configure.
    """
    workspace = open_workspace(root, edition)
    work = partial(_proposed, workspace)
    counts = stage_once(workspace, workspace.proposals_key, lambda: run_session(workspace, policy, work))
    if not counts.get("domains") and not workspace.plan.configs:
        raise UnusableConfig(
            f"none of the domains that {workspace.plan.authoring.proposer!r} proposed could be used: "
            f"why stands in {_staged_rejections(workspace)}; try another model, or name --domains"
        )
    return counts


async def _proposed(workspace: Workspace, session: ModelSession) -> dict[str, Rows]:
    plan = workspace.plan.authoring
    calls = session.batch()
    proposed = await propose_domains(
        calls,
        ModelChoice(plan.proposer, plan.params),
        plan.proposals,
        plan.categories,
        _known(workspace),
        ask_json=session.json_asker(calls),
    )
    if proposed.shortfall is not None:
        progress.note(f"warning: {proposed.shortfall}")
    return calls.added_to(
        {
            "domains": [proposal_row(proposal) for proposal in proposed.proposals],
            "rejections": [rejection_row(rejection) for rejection in proposed.rejections],
        }
    )


def _known(workspace: Workspace) -> list[KnownDomain]:
    """Return the domains of this edition, the bundled ones, and those of editions published before."""
    configs = [workspace.config(config_id).config for config_id in workspace.plan.configs]
    configs += [load_bundled(name) for name in bundled_domains()]
    published = published_domains(workspace.staging.store, workspace.plan.known_editions)
    names = {(config.name, config.goal): None for config in configs} | dict.fromkeys(published)
    return [KnownDomain(name, goal) for name, goal in names]


def configure_batch(root: str, edition: str, policy: CallPolicy) -> dict[str, int]:
    """Stage the configurations of the proposed domains, each as soon as it is there; return the counts.

    A domain whose configuration never holds is dropped; why stands in `rejections`. Raises
    UnusableConfig where no domain at all is left.
    """
    workspace = open_workspace(root, edition)
    proposed = workspace.proposed()
    missing = [row for row in proposed if not workspace.staging.is_done(_key(workspace, row))]
    if missing:
        run_session(workspace, policy, partial(_configure_all, workspace, missing))
    if not workspace.configs:
        raise UnusableConfig(
            f"none of the {len(proposed)} proposed domains got a valid configuration from "
            f"{workspace.plan.authoring.configurer!r}: why stands in {_staged_rejections(workspace)}; "
            "try another model, or name --domains"
        )
    return _added([workspace.staging.counts(_key(workspace, row)) for row in proposed])


async def _configure_all(workspace: Workspace, rows: Rows, session: ModelSession) -> None:
    await all_settled(_configure(workspace, row, session) for row in rows)


async def _configure(workspace: Workspace, row: Row, session: ModelSession) -> None:
    plan = workspace.plan.authoring
    calls = session.batch()
    configured = await configure_domain(
        calls,
        ModelChoice(plan.configurer, plan.params),
        proposal_from_row(row),
        continuations=plan.continuations,
        repairs=plan.repairs,
        ask_json=session.json_asker(calls),
    )
    workspace.staging.write_batch(_key(workspace, row), calls.added_to(_configured_rows(configured)))


def _configured_rows(configured: Configured) -> dict[str, Rows]:
    config = configured.config
    rejections = [rejection_row(rejection) for rejection in configured.rejections]
    if config is None:
        return {"rejections": rejections}
    return {
        "seed_configs": [config_row(config, list(configured.warnings), configured.call_ids)],
        "outcomes": outcome_rows(config),
        "rejections": rejections,
    }


def _key(workspace: Workspace, row: Row) -> str:
    return workspace.configure_key(row["domain_id"])


def _staged_rejections(workspace: Workspace) -> str:
    return workspace.staging.store.location(f"{workspace.staging.folder}/rejections")


def _added(counts: Sequence[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for tables in counts:
        total.update(tables)
    return dict(total)
