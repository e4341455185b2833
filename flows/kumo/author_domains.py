"""Stage 1: the domains and their configurations: bundled, from files, or written by models."""

from collections.abc import Sequence
from functools import partial

from perennial.flows.console import progress
from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.kumo.planning.candidates import PlannedDomain
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.tasks.authors import count_causes
from perennial.tasks.kumo.authors.configurations import Configured, configure_domain
from perennial.tasks.kumo.authors.proposal import KnownDomain, propose_domains, refuse_same_truths
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from perennial.warehouse.kumo.published_domains import published_domains, published_truths
from perennial.warehouse.kumo.rows import (
    authored_domain_row,
    config_row,
    domain_row,
    outcome_rows,
    proposal_from_row,
    proposal_row,
)

Domains = tuple[PlannedDomain, ...]  # the inputs of KUMO's stages: those that are given


def take_domain(_workspace: Workspace, batch: Batch, policies: Policies[Domains]) -> dict[str, Rows]:
    """Return the rows of one given domain: `kumo_domains`, `kumo_seed_configs`, `kumo_outcomes`."""
    domain = next(domain for domain in policies.inputs or () if domain.config.config_id == batch.key[0])
    return {
        "kumo_domains": [domain_row(domain.config, domain.source)],
        "kumo_seed_configs": [config_row(domain.config, list(domain.warnings))],
        "kumo_outcomes": outcome_rows(domain.config),
    }


def propose(workspace: Workspace, _batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of the domains that the proposer proposes.

    Raises UnusableConfig where every proposal was refused: there would be nothing to configure.
    """
    tables = run_session(workspace, policies.calls, partial(_propose_rows, workspace))
    plan = KumoEdition(workspace).plan
    if not tables["kumo_domains"] and not (plan.configs or plan.worlds):
        raise UnusableConfig(
            f"none of the domains that {plan.authoring.proposer!r} proposed could be used: "
            f"{_reasons(tables['rejections'])}; try another model, or name --domains"
        )
    return tables


async def _propose_rows(workspace: Workspace, session: ModelSession) -> dict[str, Rows]:
    plan = KumoEdition(workspace).plan.authoring
    calls = session.batch()
    proposed = await propose_domains(
        calls,
        plan.choice("proposer"),
        plan.proposals,
        plan.categories,
        _list_known_domains(workspace),
        ask_json=session.json_asker(calls),
    )
    if proposed.shortfall is not None:
        progress.note(f"warning: {proposed.shortfall}")
    return calls.add_to(
        {
            "kumo_domains": [proposal_row(proposal) for proposal in proposed.proposals],
            "rejections": [rejection.row() for rejection in proposed.rejections],
        }
    )


def _list_known_domains(workspace: Workspace) -> list[KnownDomain]:
    """The domains of this edition, the bundled ones, and those of editions published before."""
    edition = KumoEdition(workspace)
    config_ids = (*edition.plan.configs, *edition.read_worlds())
    configs = [edition.config(config_id).config for config_id in config_ids]
    configs += [load_bundled(name) for name in bundled_domains()]
    published = published_domains(workspace.staging.store, workspace.growth.known_editions)
    names = {(config.name, config.goal): None for config in configs} | dict.fromkeys(published)
    return [KnownDomain(name, goal) for name, goal in names]


def configure(workspace: Workspace, _batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of the proposed domains' configurations.

    A domain whose configuration is never valid is dropped; the reason is in `rejections`. Raises
    UnusableConfig where no domain at all is left.
    """
    edition = KumoEdition(workspace)
    proposed = edition.read_proposed()
    tables = run_session(workspace, policies.calls, partial(_configure_all, workspace, proposed))
    if not tables["kumo_seed_configs"] and not (edition.plan.configs or edition.plan.worlds):
        raise UnusableConfig(
            f"none of the {len(proposed)} proposed domains got a valid configuration from "
            f"{edition.plan.authoring.configurer!r}: {_reasons(tables['rejections'])}; "
            "try another model, or name --domains"
        )
    return tables


async def _configure_all(workspace: Workspace, rows: Rows, session: ModelSession) -> dict[str, Rows]:
    plan = KumoEdition(workspace).plan.authoring
    calls = session.batch()
    asker = session.json_asker(calls)
    outcomes = await settle_all(
        configure_domain(
            calls,
            plan.choice("configurer"),
            proposal_from_row(row),
            continuations=plan.continuations,
            repairs=plan.repairs,
            ask_json=asker,
        )
        for row in rows
    )
    known_truths = _list_known_truths(workspace)
    names = ("kumo_authored_domains", "kumo_seed_configs", "kumo_outcomes", "rejections")
    tables: dict[str, Rows] = {name: [] for name in names}
    for row, configured in zip(rows, outcomes, strict=True):
        _add_configured(tables, row, configured, known_truths)
    return calls.add_to(tables)


def _add_configured(
    tables: dict[str, Rows], row: Row, configured: Configured, known_truths: dict[str, Sequence[str]]
) -> None:
    """Add the rows of a proposed domain; one that is used is then among the known ones."""
    config, call_ids = configured.config, configured.call_ids
    rejections = list(configured.rejections)
    problem = None if config is None else refuse_same_truths(config.truths, known_truths)
    if problem is not None:
        status = "near_duplicate"
        rejections.append(Rejection("configuration", row["name"], status, problem, call_ids[-1]))
    elif config is None:
        status = "dropped"
    else:
        status = "accepted" if configured.versions == 1 else "repaired"
        known_truths[config.name] = config.truths
        tables["kumo_seed_configs"].append(config_row(config, list(configured.warnings), call_ids))
        tables["kumo_outcomes"] += outcome_rows(config)
    tables["kumo_authored_domains"].append(
        authored_domain_row(row["domain_id"], status, configured.versions, call_ids)
    )
    tables["rejections"] += [rejection.row() for rejection in rejections]


def _list_known_truths(workspace: Workspace) -> dict[str, Sequence[str]]:
    """The truths of the domains that `_list_known_domains` lists, by name."""
    edition = KumoEdition(workspace)
    configs = [load_bundled(name) for name in bundled_domains()]
    configs += [edition.config(config_id).config for config_id in edition.plan.configs]
    published = published_truths(workspace.staging.store, workspace.growth.known_editions)
    return {**published, **{config.name: config.truths for config in configs}}


def _reasons(rejections: Rows) -> str:
    return count_causes((row["rule"], f"{row['subject']}: {row['message']}") for row in rejections)
