"""The stages by which an edition of KUMO grows, declared once: order, batches and tables derive from here."""

from collections.abc import Callable, Sequence

from flows.kumo import author_domains, play_episodes, sample_instances, write_books
from flows.kumo.edition import CONFIGS, PROPOSALS, KumoEdition, given_batch
from flows.kumo.gate import check_batches
from flows.stages import compute_statistics
from flows.stages.workspace import Workspace
from schemas.benchmark import Batch, Stage, always
from tasks.kumo.players import PLAYERS


def _given_domains(workspace: Workspace) -> Sequence[Batch]:
    return [given_batch(config_id) for config_id in KumoEdition(workspace).plan.configs]


def _proposals(workspace: Workspace) -> Sequence[Batch]:
    return [PROPOSALS] if KumoEdition(workspace).plan.authoring.proposals else []


def _configs(workspace: Workspace) -> Sequence[Batch]:
    return [CONFIGS] if KumoEdition(workspace).plan.authoring.proposals else []


def _cells(stage: str) -> Callable[[Workspace], Sequence[Batch]]:
    return lambda workspace: [cell.batch(stage) for cell in KumoEdition(workspace).cells]


def _episodes(workspace: Workspace) -> Sequence[Batch]:
    players = workspace.plan.evaluation.players
    return [c.batch("episodes", player) for c in KumoEdition(workspace).cells for player in players]


def _needs_no_writer(workspace: Workspace, _batch: Batch) -> bool:
    return not KumoEdition(workspace).plan.authoring.writer


def _needs_no_model(_workspace: Workspace, batch: Batch) -> bool:
    return batch.key[-1] in PLAYERS


_PLAYABLE = ("kumo_seed_configs", "instances", "kumo_instances", "kumo_books")

STAGES = (
    Stage(
        "domains",
        "Takes the given domains and their configurations.",
        _given_domains,
        author_domains.take_domain,
        writes=("kumo_domains", "kumo_seed_configs", "kumo_outcomes"),
    ),
    Stage(
        "proposals",
        "Lets a model propose new domains.",
        _proposals,
        author_domains.propose,
        writes=("kumo_domains", "rejections"),
        earlier=("kumo_domains",),
    ),
    Stage(
        "configs",
        "Lets a model write a seed configuration for each proposed domain, and validates it.",
        _configs,
        author_domains.configure,
        reads=("kumo_domains",),
        writes=("kumo_seed_configs", "kumo_outcomes", "rejections"),
    ),
    Stage(
        "sample",
        "Draws instances that no earlier edition holds and solves each one exactly.",
        _cells("sample"),
        sample_instances.sample,
        reads=("kumo_seed_configs",),
        writes=("instances", "kumo_instances", "rejections"),
        earlier=("instances",),
        spreads=always,
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
        spreads=_needs_no_writer,
    ),
    # Before the episodes: no model is paid for playing what would not be published.
    Stage(
        "gate",
        "Tests the grader on each instance, and that it is solved from its book.",
        _cells("gate"),
        check_batches.check_cell,
        reads=(*_PLAYABLE, "rejections"),
        spreads=always,
        repeats=True,
    ),
    Stage(
        "overlap",
        "Compares the instances with those of earlier editions, and with how many there can be.",
        lambda _workspace: [check_batches.EDITION],
        check_batches.check_edition,
        reads=_PLAYABLE,
        writes=("audits",),
        earlier=("instances", "kumo_instances"),
        repeats=True,
    ),
    Stage(
        "episodes",
        "Lets players play the instances whose book passed its check.",
        _episodes,
        play_episodes.play,
        reads=_PLAYABLE,
        writes=("episodes", "turns", "kumo_episodes", "kumo_moves"),
        spreads=_needs_no_model,
    ),
    Stage(
        "statistics",
        "Computes the figures of the edition from its episodes.",
        lambda _workspace: [compute_statistics.EDITION],
        compute_statistics.compute_statistics,
        reads=(
            *("kumo_seed_configs", "instances", "kumo_instances", "episodes", "kumo_episodes"),
            "external_scores",
        ),
        writes=("statistics",),
    ),
)
