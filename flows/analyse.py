"""Stage 5: the figures of an edition, with intervals that respect its instances as clusters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from flows.workspace import Workspace, open_workspace, stage_once
from tasks.statistics.intervals import METHOD, cluster_bootstrap
from tasks.statistics.rates import (
    Convention,
    ScoredEpisode,
    relative_action_count,
    relative_count,
    success_rate,
)
from warehouse.stage import Rows

CONVENTION: Convention = "perennial"
ALL_DOMAINS = "all"
_Group = tuple[str, str, str]


def analyse_edition(root: str, edition: str) -> dict[str, int]:
    """Stage the statistics of the staged episodes; return the row counts."""
    workspace = open_workspace(root, edition)
    return stage_once(workspace, workspace.statistics_key, lambda: {"statistics": _statistics(workspace)})


def _statistics(workspace: Workspace) -> Rows:
    groups: dict[_Group, list[ScoredEpisode]] = defaultdict(list)
    for domain, setting, player, episode in _scored_episodes(workspace):
        groups[setting, ALL_DOMAINS, player].append(episode)
        groups[setting, domain, player].append(episode)
    return [row for group, episodes in groups.items() for row in _rows(group, episodes, workspace.plan.seed)]


def _scored_episodes(workspace: Workspace) -> Iterator[tuple[str, str, str, ScoredEpisode]]:
    staging = workspace.staging
    for config_id, setting in workspace.batches:
        domain = workspace.config(config_id).config.name
        sampled = staging.read_batch(workspace.sample_key(config_id, setting.name), "kumo_instances")
        instances = {row["instance_id"]: row for row in sampled}
        for player in workspace.plan.players:
            key = workspace.episodes_key(config_id, setting.name, player)
            for row in staging.read_batch(key, "episodes"):
                if row["status"] != "api_error":
                    yield domain, setting.name, player, _scored(row, instances[row["instance_id"]])


def _scored(episode: dict[str, Any], instance: dict[str, Any]) -> ScoredEpisode:
    return ScoredEpisode(
        instance_id=instance["instance_id"],
        success=episode["success"],
        tests=episode["tests"],
        optimal_tests=instance["optimal_tests"],
        n_actions=instance["n_actions"],
    )


def _rows(group: _Group, episodes: Sequence[ScoredEpisode], seed: int) -> Iterator[dict[str, Any]]:
    setting, domain, player = group
    clusters = [episode.instance_id for episode in episodes]
    figures = {
        "success_rate": (success_rate(episodes), [float(episode.success) for episode in episodes]),
        "relative_action_count": (
            relative_action_count(episodes, CONVENTION),
            [relative_count(episode, CONVENTION) for episode in episodes],
        ),
    }
    for statistic, (value, values) in figures.items():
        low, high = cluster_bootstrap(values, clusters, seed) or (None, None)
        yield {
            "statistic": statistic,
            "convention": CONVENTION,
            "setting": setting,
            "domain": domain,
            "player": player,
            "n": len(episodes),
            "value": value,
            "low": low,
            "high": high,
            "p_value": None,
            "method": METHOD,
        }
