"""Stage 1: the domains and their configurations: bundled, from files, or written by models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from perennial.flows.console import progress
from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.kumo.planning.candidates import PlannedDomain
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.flows.stages.model_calls import BatchCalls, ModelSession, run_session, settle_all
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.plan import AuthoringPlan
from perennial.schemas.kumo.things import SECOND_CONFIGURER, Proposal, SeedConfig
from perennial.schemas.rows import Rows
from perennial.tasks.authors import count_causes
from perennial.tasks.kumo.authors.configurations import NEAR_DUPLICATE, Configured, configure_domain
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
from perennial.warehouse.store.store import Store

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
    edition = KumoEdition(workspace)
    plan = edition.plan.authoring
    calls = session.batch()
    proposed = await propose_domains(
        calls,
        plan.choice("proposer"),
        plan.proposals,
        plan.categories,
        list_known_domains(
            workspace.staging.store,
            workspace.growth.known_editions,
            [*_given_configs(edition), *(edition.config(world).config for world in edition.read_worlds())],
        ),
        ask_json=session.json_asker(calls),
    )
    if proposed.shortfall is not None:
        progress.note(f"warning: {proposed.shortfall}")
    return calls.add_to(
        {
            "kumo_domains": [
                proposal_row(replace(proposal, name=proposal.name + suffix))
                for suffix in ("", SECOND_CONFIGURER)[: 2 if plan.second_configurer else 1]
                for proposal in proposed.proposals
            ],
            "rejections": [rejection.row() for rejection in proposed.rejections],
        }
    )


def list_known_domains(
    store: Store, editions: Sequence[str], configs: Iterable[SeedConfig] = ()
) -> list[KnownDomain]:
    """These domains, the bundled ones, and those of the published editions."""
    listed = [*configs, *map(load_bundled, bundled_domains())]
    published = published_domains(store, editions)
    names = {(config.name, config.goal): None for config in listed} | dict.fromkeys(
        (name.removesuffix(SECOND_CONFIGURER), goal) for name, goal in published
    )
    return [KnownDomain(name, goal) for name, goal in names]


def _given_configs(edition: KumoEdition) -> list[SeedConfig]:
    return [edition.config(config_id).config for config_id in edition.plan.configs]


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
    edition = KumoEdition(workspace)
    calls = session.batch()
    proposals = [proposal_from_row(row) for row in rows]
    known_truths = list_known_truths(
        workspace.staging.store, workspace.growth.known_editions, _given_configs(edition)
    )
    authored = await configure_proposals(session, calls, edition.plan.authoring, proposals, known_truths)
    names = ("kumo_authored_domains", "kumo_seed_configs", "kumo_outcomes", "rejections")
    tables: dict[str, Rows] = {name: [] for name in names}
    for row, domain in zip(rows, authored, strict=True):
        call_ids = domain.call_ids
        if domain.config is not None:
            tables["kumo_seed_configs"].append(config_row(domain.config, list(domain.warnings), call_ids))
            tables["kumo_outcomes"] += outcome_rows(domain.config)
        tables["kumo_authored_domains"].append(
            authored_domain_row(row["domain_id"], domain.status, domain.versions, call_ids)
        )
        tables["rejections"] += [rejection.row() for rejection in domain.rejections]
    return calls.add_to(tables)


async def configure_proposals(
    session: ModelSession,
    calls: BatchCalls,
    authoring: AuthoringPlan,
    proposals: Sequence[Proposal],
    known_truths: Mapping[str, Sequence[str]],
) -> list[Configured]:
    """What came of each proposal: without a configuration where its truths are those of a known domain."""
    asker = session.json_asker(calls)

    async def configure_one(proposal: Proposal) -> Configured:
        # Both models are asked in the same words, which do not tell the second one what it is.
        name = proposal.name.removesuffix(SECOND_CONFIGURER)
        configured = await configure_domain(
            calls,
            authoring.choice("configurer" if name == proposal.name else "second_configurer"),
            replace(proposal, name=name),
            continuations=authoring.continuations,
            repairs=authoring.repairs,
            ask_json=asker,
        )
        return configured.rename(proposal.name)

    outcomes = await settle_all(map(configure_one, proposals))
    # In the order of the proposals, whichever was configured first: so a rerun refuses the same ones.
    taken = dict(known_truths)
    authored = []
    for configured in outcomes:
        config = configured.config
        problem = None
        if config is not None:
            # Two models may name the same things of one subject, but not all of them in the same order.
            first = config.name.removesuffix(SECOND_CONFIGURER)
            is_other = first != config.name and tuple(taken.get(first, ())) != config.truths
            others = {name: truths for name, truths in taken.items() if not (is_other and name == first)}
            problem = refuse_same_truths(config.truths, others)
        if config is not None and problem is not None:
            configured = configured.refuse_as(NEAR_DUPLICATE, config.name, problem)
        elif config is not None:
            taken[config.name] = config.truths
        authored.append(configured)
    return authored


def list_known_truths(
    store: Store, editions: Sequence[str], configs: Iterable[SeedConfig] = ()
) -> dict[str, Sequence[str]]:
    """The truths of the domains that `list_known_domains` lists, by name; none of worlds."""
    listed = [*map(load_bundled, bundled_domains()), *configs]
    return {**published_truths(store, editions), **{config.name: config.truths for config in listed}}


def _reasons(rejections: Rows) -> str:
    return count_causes((row["rule"], f"{row['subject']}: {row['message']}") for row in rejections)
