"""Stages `worlds` and `counterfactuals`: domains that are drawn with the edition's seed."""

from itertools import count

from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.rows import Rows
from perennial.tasks.kumo.worlds import World, draw_world, make_counterfactual
from perennial.warehouse.kumo.published_domains import published_domains
from perennial.warehouse.kumo.rows import config_row, domain_row, outcome_rows


def draw_worlds(workspace: Workspace, _batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the edition's worlds: the first ones of its seed that no edition has held."""
    worlds = _choose_worlds(workspace)
    return {
        "kumo_domains": [
            domain_row(
                world.config, "world", world.kind, None if world.sparsity is None else str(world.sparsity)
            )
            for world in worlds
        ],
        "kumo_seed_configs": [config_row(world.config, []) for world in worlds],
        "kumo_outcomes": [row for world in worlds for row in outcome_rows(world.config)],
    }


def draw_counterfactuals(workspace: Workspace, _batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the counterfactuals of the given domains."""
    edition = KumoEdition(workspace)
    configs = [
        make_counterfactual(edition.config(config_id).config, workspace.seed)
        for config_id in edition.plan.configs
    ]
    return {
        "kumo_domains": [domain_row(config, "counterfactual") for config in configs],
        "kumo_seed_configs": [config_row(config, []) for config in configs],
        "kumo_outcomes": [row for config in configs for row in outcome_rows(config)],
    }


def _choose_worlds(workspace: Workspace) -> list[World]:
    edition = KumoEdition(workspace)
    published = published_domains(workspace.staging.store, workspace.growth.known_editions)
    used = {name for name, _ in published}
    used |= {edition.domain_name(config_id) for config_id in edition.plan.configs}
    chosen: dict[str, World] = {}
    for index in count():
        if len(chosen) == edition.plan.worlds:
            break
        world = draw_world(workspace.seed, index, edition.plan.sparse)
        if world.config.name not in used:
            chosen.setdefault(world.config.name, world)
    return list(chosen.values())
