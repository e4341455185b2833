"""The figures of an edition from its episodes one by one, in plain Python: no columns, no NumPy, no SQL."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from statistics import mean

from scipy.stats import t as student

Key = tuple[str, str, str, str, str, str]
"""Statistic, convention, setting, domain, player, other."""
Value = tuple[int, float | None]


@dataclass(frozen=True)
class Played:
    """One episode, with the facts of its instance that figures rest on."""

    domain: str
    setting: str
    instance: str
    player: str
    status: str
    tests: int
    n_actions: int
    optimum: int
    tokens: int | None
    is_decided: bool
    best: int | None = None  # tests of the optimum


def figures(episodes: Sequence[Played]) -> dict[Key, Value]:
    """Return n and value of each figure."""
    found: dict[Key, Value] = {}
    for (setting, domain, player), listed in _groups(episodes).items():
        place = (setting, domain, player, "")
        for name, convention, n, value in _rates(listed):
            found[(name, convention, *place)] = (n, value)
    for setting in {episode.setting for episode in episodes}:
        scored = [e for e in episodes if e.setting == setting and e.status != "api_error"]
        found |= _pairs(setting, scored)
        found |= _items(setting, scored)
    return found


def success_intervals(episodes: Sequence[Played]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the success rates' intervals by setting, domain and player.

    Those of all domains are of new ones. Wilson's interval with Student's t for R (1 - R) / variance trials,
    the variance by CR2; rates of 0 and 1 are left out.
    """
    found = {}
    for (setting, domain, player), listed in _groups(episodes).items():
        rates = _by_instance(_scored(listed), lambda e: float(e.status == "solved"))
        n = len(rates)
        share = mean(rates.values()) if rates else 0.0
        if share in (0, 1):
            continue
        clusters = defaultdict(list)
        for name, rate in rates.items():
            clusters[name.partition("/")[0] if domain == "all" else name].append(rate)
        weights = [len(values) / n for values in clusters.values()]
        variance, degrees = _cr2([mean(values) for values in clusters.values()], weights)
        variance = max(variance, _cr2(list(rates.values()), [1 / n] * n)[0])
        most = n if min(share, 1 - share) * n < 10 else len(_scored(listed))
        trials, quantile = min(most, share * (1 - share) / variance), float(student.ppf(0.975, degrees))
        middle = (share + quantile**2 / 2 / trials) / (1 + quantile**2 / trials)
        spread = share * (1 - share) / trials + quantile**2 / 4 / trials**2
        half = quantile * spread**0.5 / (1 + quantile**2 / trials)
        found[setting, domain, player] = middle - half, middle + half
    return found


def _cr2(means: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Return the variance of the weighted mean of cluster means, and its degrees of freedom."""
    center = sum(w * m for w, m in zip(weights, means, strict=True))
    variance = sum((w * (m - center)) ** 2 / (1 - w) for w, m in zip(weights, means, strict=True))
    parts = [w**2 / (1 - w) for w in weights]
    return variance, 1 / (sum(w**2 for w in weights) + sum(parts) ** 2 - sum(p**2 for p in parts))


def _groups(episodes: Iterable[Played]) -> dict[tuple[str, str, str], list[Played]]:
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.setting, episode.domain, episode.player].append(episode)
        groups[episode.setting, "all", episode.player].append(episode)
    return groups


def _scored(listed: Iterable[Played]) -> list[Played]:
    return [episode for episode in listed if episode.status != "api_error"]


def _by_instance(listed: Iterable[Played], of: Callable[[Played], float]) -> dict[str, float]:
    """Return each instance's mean over runs, by instance in the order of their ids."""
    runs = defaultdict(list)
    for episode in sorted(listed, key=lambda e: e.instance):
        runs[episode.domain, episode.instance].append(of(episode))
    return {"/".join(key): mean(values) for key, values in runs.items()}


def _rates(listed: list[Played]) -> Iterable[tuple[str, str, int, float | None]]:
    def average(
        name: str, chosen: list[Played], of: Callable[[Played], float], convention: str = "any"
    ) -> tuple[str, str, int, float | None]:
        values = _by_instance(chosen, of).values()
        return name, convention, len(chosen), mean(values) if values else None

    scored = _scored(listed)
    yield average("success_rate", scored, lambda e: e.status == "solved")
    yield average("mean_score", scored, lambda e: e.status == "solved")
    yield average("mean_tests", scored, lambda e: e.tests)
    for status in (
        "solved",
        "wrong",
        "unparsed",
        "api_error",
        "turn_limit",
        "refused",
        "truncated",
        "tool_call",
    ):
        yield average(f"status_{status}", listed, lambda e, status=status: e.status == status)
    known = [e for e in scored if e.tokens is not None]
    if known:
        yield average("mean_tokens", known, lambda e: e.tokens)
    for convention in ("algorithm-3", "kumo-2025"):
        yield average("excess_tests", scored, lambda e: _deciding_tests(e) - e.optimum, convention)
    yield average("guess_share", scored, lambda e: e.status in ("solved", "wrong") and not e.is_decided)
    yield average("relative_action_count", scored, lambda e: _count(e, 2) / (e.optimum + 2) - 1, "kumo-2025")
    for convention, of, chosen in (
        ("algorithm-3", lambda e: e.optimum, scored),
        ("optimum", lambda e: e.best, [e for e in scored if e.best is not None]),
    ):
        counts = _by_instance(chosen, lambda e: _count(e, 1))
        references = _by_instance(chosen, lambda e, of=of: of(e) + 1)
        ratio = sum(counts.values()) / sum(references.values()) - 1 if references else None
        yield "relative_action_count", convention, len(chosen), ratio
    runs = defaultdict(list)
    for episode in scored:
        runs[episode.domain, episode.instance].append(episode.status == "solved")
    if runs:
        yield "majority_success", "any", len(runs), mean(2 * sum(r) > len(r) for r in runs.values())
        for k in range(2, min(map(len, runs.values())) + 1):
            drawn = [(sum(r), len(r)) for r in runs.values()]
            at = mean(1 - comb(n - c, k) / comb(n, k) for c, n in drawn)
            yield f"pass_at_{k}", "any", len(runs), at
            yield f"pass_hat_{k}", "any", len(runs), mean(comb(c, k) / comb(n, k) for c, n in drawn)


def _deciding_tests(episode: Played) -> int:
    return episode.tests if episode.is_decided else max(episode.tests, episode.n_actions)


def _count(episode: Played, extra: int) -> int:
    return episode.tests + extra if episode.status == "solved" else episode.n_actions + 1


def _players(scored: list[Played]) -> dict[str, dict[str, float]]:
    names = sorted({e.player for e in scored})
    return {
        name: _by_instance([e for e in scored if e.player == name], lambda e: e.status == "solved")
        for name in names
    }


def _pairs(setting: str, scored: list[Played]) -> dict[Key, Value]:
    found: dict[Key, Value] = {}
    for (one, rates), (other, others) in combinations(_players(scored).items(), 2):
        shared = rates.keys() & others.keys()
        if shared:
            place = (setting, "all", one, other)
            gap = mean(rates[name] - others[name] for name in shared)
            found[("paired_difference", "any", *place)] = (len(shared), gap)
            only = sum(rates[name] > 0.5 >= others[name] for name in shared)
            differ = sum((rates[name] > 0.5) != (others[name] > 0.5) for name in shared)
            found[("mcnemar", "any", *place)] = (differ, only / differ if differ else None)
    return found


def _items(setting: str, scored: list[Played]) -> dict[Key, Value]:
    players = _players(scored)
    found: dict[Key, Value] = {}
    for item in {name for rates in players.values() for name in rates}:
        domain, instance = item.split("/")
        mine = [rates[item] for rates in players.values() if item in rates]
        found[("item_share_solved", "any", setting, domain, "all", instance)] = (len(mine), mean(mine))
    return found
