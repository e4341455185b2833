"""The stages by which an edition of KUMO grows, declared once: order, batches and tables derive from here."""

from collections.abc import Callable, Sequence

from perennial.flows.benchmark import Stage, always
from perennial.flows.kumo import author_domains, sample_instances, write_books
from perennial.flows.kumo import gate as check_batches
from perennial.flows.kumo.edition import (
    CONFIGS,
    COUNTERFACTUALS,
    PROPOSALS,
    WORLDS,
    KumoEdition,
    WorkCell,
    batch_of_given,
)
from perennial.flows.kumo.sample_instances import draw_counterfactuals, draw_worlds
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.kumo.plan import KumoPlan


def _given_domains(workspace: Workspace) -> Sequence[Batch]:
    return [batch_of_given(config_id) for config_id in KumoEdition(workspace).plan.configs]


def _once(batch: Batch, is_planned: Callable[[KumoPlan], object]) -> Callable[[Workspace], Sequence[Batch]]:
    return lambda workspace: [batch] if is_planned(KumoEdition(workspace).plan) else []


def _cells(stage: str) -> Callable[[Workspace], Sequence[Batch]]:
    return lambda workspace: [cell.batch(stage) for cell in KumoEdition(workspace).cells]


def _name_domain(workspace: Workspace, batch: Batch, policies: Policies[author_domains.Domains]) -> str:
    (config_id,) = batch.key
    names = {domain.config.config_id: domain.config.name for domain in policies.inputs or ()}
    name = names[config_id] if config_id in names else KumoEdition(workspace).domain_name(config_id)
    return f"{batch.stage} {name}"


def _name_cell(workspace: Workspace, batch: Batch, _policies: Policies) -> str:
    """Stage, domains and setting, and which chunk of the setting where there are several."""
    edition, cell = KumoEdition(workspace), WorkCell.from_batch(batch)
    first, *others = edition.configs_of(cell)
    name = edition.domain_name(first) + (f" and {len(others)} more" if others else "")
    return f"{batch.stage} {name} {cell.setting}" + (f" {cell.chunk}" if cell.chunk else "")


_PLAYABLE = ("kumo_seed_configs", "instances", "kumo_instances", "kumo_books")

STAGES = (
    Stage(
        "domains",
        "Uses the given domains and their configurations.",
        _given_domains,
        author_domains.take_domain,
        writes=("kumo_domains", "kumo_seed_configs", "kumo_outcomes"),
        label=_name_domain,
    ),
    Stage(
        "worlds",
        "Draws new synthetic worlds.",
        _once(WORLDS, lambda plan: plan.worlds),
        draw_worlds,
        writes=("kumo_domains", "kumo_seed_configs", "kumo_outcomes"),
        earlier=("kumo_domains",),
    ),
    Stage(
        "counterfactuals",
        "Exchanges the facts of the given domains among their truths.",
        _once(COUNTERFACTUALS, lambda plan: plan.counterfactual),
        draw_counterfactuals,
        reads=("kumo_seed_configs",),
        writes=("kumo_domains", "kumo_seed_configs", "kumo_outcomes"),
    ),
    Stage(
        "proposals",
        "Lets a model propose new domains.",
        _once(PROPOSALS, lambda plan: plan.authoring.proposals),
        author_domains.propose,
        writes=("kumo_domains", "rejections"),
        earlier=("kumo_domains",),
    ),
    Stage(
        "configs",
        "Lets a model write a seed configuration for each proposed domain, and validates it.",
        _once(CONFIGS, lambda plan: plan.authoring.proposals),
        author_domains.configure,
        reads=("kumo_domains",),
        writes=("kumo_authored_domains", "kumo_seed_configs", "kumo_outcomes", "rejections"),
        earlier=("kumo_domains", "kumo_seed_configs"),
    ),
    Stage(
        "sample",
        "Draws instances that no earlier edition holds by a SAT solver, and solves each one exactly.",
        _cells("sample"),
        sample_instances.sample,
        reads=("kumo_seed_configs",),
        writes=("instances", "kumo_instances", "kumo_draws", "rejections"),
        shows=("kumo_draws",),
        earlier=("instances",),
        spreads=always,
        label=_name_cell,
        # Each chunk avoids what the chunks before it drew.
        chain=lambda batch: batch.key[:2],
    ),
    Stage(
        "books",
        "Writes the knowledge book of each instance and checks it.",
        _cells("books"),
        write_books.write_books,
        reads=("kumo_seed_configs", "instances", "kumo_instances"),
        writes=("kumo_books", "rejections"),
        spreads=lambda workspace, _batch: not KumoEdition(workspace).plan.authoring.writer,
        label=_name_cell,
    ),
    # Before any evaluation: no model is paid for playing what would not be published.
    Stage(
        "gate",
        "Tests the grader on each instance, and that it is solved from its book.",
        _cells("gate"),
        check_batches.check_cell,
        reads=(*_PLAYABLE, "rejections"),
        spreads=always,
        label=_name_cell,
        repeats=True,
    ),
    Stage(
        "overlap",
        "Compares the instances with those of earlier editions, and with how many there can be.",
        lambda _workspace: [check_batches.EDITION],
        check_batches.check_edition,
        reads=(*_PLAYABLE, "kumo_draws"),
        writes=("audits",),
        earlier=("instances", "kumo_instances"),
        repeats=True,
    ),
)
