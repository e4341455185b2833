"""The figures from columns are those of single episodes, and however batches are dealt, the same."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from perennial.flows.stages import compute_statistics
from perennial.schemas.tables import TABLES
from tests.statistics.single_episodes import Played, figures, success_intervals
from tests.warehouse.tiny_edition import edition_statistics

SEED = 5
SKILLS = {"algorithm-3": 1.0, "m": 0.7, "sft/n": 0.5, "random": 0.2, "late": 0.4}
STATUSES = ("wrong", "wrong", "unparsed", "turn_limit", "refused", "truncated", "api_error")


def _episodes() -> list[Played]:
    rng = random.Random(3)
    found = []
    for setting, domain, number in [
        (s, d, n) for s in ("easy", "hard") for d in ("A", "B b", "C") for n in range(17)
    ]:
        n_actions, optimum = (6, rng.randrange(4)) if setting == "easy" else (16, 2 + rng.randrange(5))
        best = None if number % 3 == 0 else max(0, optimum - number % 2)
        hardness = rng.random()
        for player, skill in SKILLS.items():
            if player == "late" and (setting == "hard" or number % 4):
                continue
            for _ in range(
                1 if player == "algorithm-3" else rng.choice((1, 2, 3, 5)) if player == "m" else 3
            ):
                solved = rng.random() < skill + (1 - skill) * skill * (0.5 - hardness)
                status = "solved" if solved or player == "algorithm-3" else rng.choice(STATUSES)
                tests = rng.randrange(n_actions + 2)
                tokens = rng.randrange(50, 900) if player == "m" and rng.random() < 0.9 else None
                instance = f"i{number:02}{domain}{setting}"  # by id domains are mixed
                facts = (status, tests, n_actions, optimum, tokens, rng.random() < 0.6, best)
                found.append(Played(domain, setting, instance, player, *facts))
    return found


def _tables(episodes: Sequence[Played]) -> dict[str, pa.Table]:
    facts = {e.instance: e for e in episodes}
    rows: dict[str, list[dict[str, Any]]] = {
        "instances": [
            {"instance_id": name, "domain": e.domain, "setting": e.setting, "cluster": e.domain}
            for name, e in facts.items()
        ],
        "kumo_instances": [
            {
                "instance_id": name,
                "n_actions": e.n_actions,
                "optimal_tests": e.optimum,
                "promise_tests": 1 if e.best is None else e.best,
                "promise_status": "bounds" if e.best is None else "exact",
                "signature": f"1,2|{name[-1]}",
            }
            for name, e in facts.items()
        ],
        "episodes": [
            {
                "episode_id": f"e{i}",
                "instance_id": e.instance,
                "player": e.player,
                "run": i,
                "status": e.status,
                "success": e.status == "solved",
                "score": float(e.status == "solved"),
                "tokens": e.tokens,
            }
            for i, e in enumerate(episodes)
        ],
        "kumo_episodes": [
            {"episode_id": f"e{i}", "tests": e.tests, "decided": e.is_decided} for i, e in enumerate(episodes)
        ],
        "kumo_books": [],
        "kumo_draws": [],
        "kumo_domains": [],
        "kumo_authored_domains": [],
        "kumo_seed_configs": [],
    }
    schemas = {name: pa.schema([f.with_nullable(True) for f in TABLES[name].arrow_schema()]) for name in rows}
    return {name: pa.Table.from_pylist(of, schema=schemas[name]) for name, of in rows.items()}


@pytest.fixture(scope="module")
def episodes() -> list[Played]:
    return _episodes()


@pytest.fixture(scope="module")
def found(episodes: list[Played]) -> list[dict[str, Any]]:
    return edition_statistics("kumo", _tables(episodes), SEED, {})


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("statistic", "convention", "setting", "domain", "player", "other"))


def test_every_figure_is_that_of_single_episodes(episodes: list[Played], found: list[dict[str, Any]]) -> None:
    ours = {_key(row): (row["n"], row["value"]) for row in found}
    plain = figures(episodes)
    assert len(plain) > 700
    assert plain.keys() - ours.keys() == set()
    for key, (n, value) in plain.items():
        assert ours[key][0] == n, key
        assert ours[key][1] == pytest.approx(value, abs=1e-12), key
    other = {key[0] for key in ours.keys() - plain.keys()}
    assert other == {
        *("topology_trend", "cramers_v_pooled", "cramers_v_pooled_permuted"),
        *("topology_classes", "topology_pooled_share"),
        *("change_beyond_chance", "change_detectable"),
        *("success_rate_these_domains", "relative_action_count_these_domains"),
        *("common_rate", "adjusted_rate", "adjusted_rate_se", "place", "rank", "rank_in_kind"),
        "paired_difference_simultaneous",
    }


def test_intervals_are_those_of_plain_sums(episodes: list[Played], found: list[dict[str, Any]]) -> None:
    ours = {_key(row)[2:5]: (row["low"], row["high"]) for row in found if row["statistic"] == "success_rate"}
    plain = success_intervals(episodes)
    assert len(plain) > 10
    for key, interval in plain.items():
        assert ours[key] == pytest.approx(interval, abs=1e-9), key


def test_batches_of_one_player_in_any_process_give_the_same_rows(
    episodes: list[Played], found: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def backwards(function: Callable[..., Any], values: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        given.extend(values)
        return reversed([function(*each) for each in reversed(values)])

    monkeypatch.setattr(compute_statistics, "_EPISODES_A_BATCH", 1)
    monkeypatch.setattr(compute_statistics, "_WORTH_SPREADING", 0)
    shuffled = random.Random(1).sample(episodes, len(episodes))
    assert edition_statistics("kumo", _tables(shuffled), SEED, {}, backwards) == found
    assert len(given) == 9


def test_rows_are_sorted_by_the_tables_key(found: list[dict[str, Any]]) -> None:
    names = TABLES["statistics"].key
    keys = [tuple(row[name] for name in names) for row in found]
    assert keys == sorted(set(keys))


def test_families_are_of_one_setting_and_kind(found: list[dict[str, Any]]) -> None:
    tests = [row for row in found if row["statistic"] == "paired_difference" and row["setting"] == "easy"]
    families = {(row["player"], row["other"]): row["family"] for row in tests}
    assert families["late", "m"] == "models"
    assert families["algorithm-3", "random"] == "programs"
    assert families["algorithm-3", "m"] == "models and programs"
    assert families["m", "sft/n"] == "checkpoints and models"
    # A family of one test is not adjusted.
    alone = next(row for row in tests if (row["player"], row["other"]) == ("algorithm-3", "random"))
    assert alone["p_adjusted"] == alone["p_value"]
