"""Ranks on the instances that each two players share, few or none shared ones, and the authors' release."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from perennial.schemas.statistics import Floor
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rank_figures import compare_pairs, place_figures, rank_figures
from tests.statistics.simulated_answers import make_grid

Score = tuple[int, int]


PROGRAMS = ("optimum", "guesser")


def kind(player: str) -> str:
    """Which kind of player a name of these tests is."""
    return "programs" if player in PROGRAMS else "models"


def _figures(scores: Mapping[str, Mapping[str, Score]]) -> dict[tuple[str, str], Statistic]:
    """The figures of answers by player and instance, `DOMAIN/NUMBER`."""
    names = sorted({name for of in scores.values() for name in of})
    sizes = Counter(name.split("/")[0] for name in names)
    runs = np.array([[scores[p].get(name, (0, 0))[1] for name in names] for p in sorted(scores)], np.int32)
    solved = np.array([[scores[p].get(name, (0, 0))[0] for name in names] for p in sorted(scores)], np.int32)
    grid = make_grid(runs, solved, [sizes[domain] for domain in sorted(sizes)])
    grid = replace(grid, players=tuple(sorted(scores)))
    found = rank_figures(grid, kind, compare_pairs(grid, kind))
    return {(figure.player, figure.statistic): figure for figure in found if figure.convention != "domains"}


def _half(domain: str, count: int, solved: int) -> dict[str, Score]:
    return {f"{domain}/{number:03}": (int(number < solved), 1) for number in range(count)}


def test_a_player_of_more_instances_is_ranked_on_those_that_all_have() -> None:
    easy, hard = _half("a", 120, 60), _half("b", 300, 30)
    wide = {**_half("a", 120, 90), **hard}
    found = _figures({"narrow": easy, "wide": wide})
    assert found["narrow", "common_rate"].n == found["wide", "common_rate"].n == 120
    assert found["narrow", "common_rate"].value == 0.5
    assert found["wide", "common_rate"].value == 0.75
    assert [found[player, "rank"].value for player in ("wide", "narrow")] == [1, 2]
    assert {found[player, "rank"].convention for player in ("wide", "narrow")} == {"shared"}
    # By their own instances it is the other way round.
    assert sum(solved for solved, _ in wide.values()) / len(wide) < 0.3


def test_a_player_of_few_instances_is_ranked_on_them_and_changes_nobodys_rank() -> None:
    """On the first 30 instances `a` and `few` solve all; over all 200 `b` is ahead of `a`."""
    whole = {"a": _half("a", 200, 80), "b": {**_half("a", 200, 120), "a/000": (0, 1)}}
    found = _figures({**whole, "few": _half("a", 30, 30)})
    assert found["a", "common_rate"].n == 200
    assert [found[player, "rank"].value for player in ("b", "a")] == [2, 2]
    assert (found["few", "rank"].value, found["few", "rank"].n) == (1, 30)
    assert {found[player, "rank"].convention for player in ("a", "b", "few")} == {"shared"}
    assert (found["few", "common_rate"].n, found["few", "common_rate"].value) == (0, None)
    rate = found["few", "adjusted_rate"].value
    assert rate is not None
    assert 0.5 < rate < 1


def test_models_are_ranked_among_models_whatever_programs_have_played() -> None:
    full = {f"{domain}/{number}": (1, 1) for domain in "abcd" for number in range(50)}
    none = dict.fromkeys(full, (0, 1))
    names = [f"{domain}/{number}" for domain in "abcd" for number in range(5)]
    strong, weak = (
        {name: (int(number < solved), 1) for number, name in enumerate(names)} for solved in (20, 9)
    )
    found = _figures({"optimum": full, "guesser": none, "strong": strong, "weak": weak})
    assert [found[player, "rank"].value for player in ("strong", "weak")] == [1, 2]
    assert [found[player, "common_rate"].n for player in ("strong", "weak", "optimum")] == [20, 20, 200]
    assert not {(player, "rank") for player in PROGRAMS} & found.keys()


def test_players_of_fewer_than_five_instances_beside_hundreds_have_no_rank() -> None:
    found = _figures({"a": _half("a", 200, 80), "tried": _half("a", 4, 4), "five": _half("a", 5, 2)})
    assert [found[player, "rank"].value for player in ("a", "five", "tried")] == [1, 2, None]


def test_without_common_instances_the_adjusted_rate_ranks() -> None:
    """`one` and `two` share nothing; `both` shows that the instances of `two` are the harder ones."""
    found = _figures(
        {
            "both": {**_half("a", 150, 120), **_half("b", 150, 15)},
            "one": _half("a", 150, 90),
            "two": _half("b", 150, 60),
        }
    )
    assert found["two", "common_rate"].value is None
    assert [found[player, "rank"].convention for player in ("one", "two", "both")] == [
        *("adjusted", "adjusted", "shared")
    ]
    assert [found[player, "rank"].value for player in ("two", "both", "one")] == [1, 2, 3]
    assert found["both", "adjusted_rate"].value == pytest.approx(0.45)


def test_players_that_nothing_links_are_not_compared() -> None:
    found = _figures({"a": _half("x", 150, 60), "b": _half("x", 150, 90), "alone": _half("y", 150, 140)})
    assert found["alone", "adjusted_rate"].value is None
    assert found["alone", "rank"].value is None
    assert [found[player, "rank"].value for player in ("b", "a")] == [1, 2]


def test_players_of_one_small_set_are_ranked_on_it() -> None:
    found = _figures({"a": _half("x", 10, 6), "b": _half("x", 10, 6), "c": _half("x", 9, 2)})
    assert found["a", "common_rate"].n == 9
    assert [found[player, "rank"].value for player in ("a", "b", "c")] == [1, 1, 3]
    assert found["a", "rank"].convention == "shared"


def test_an_instance_weighs_the_same_however_often_it_was_tried() -> None:
    found = _figures({"a": {"x/1": (9, 9), "x/2": (0, 1)}, "b": {"x/1": (2, 4), "x/2": (1, 4)}})
    assert found["a", "common_rate"].value == 0.5
    assert found["b", "common_rate"].value == 0.375


def test_places_put_models_first_and_the_floor_last() -> None:
    rates = {"guesser": 1.0, "optimum": 0.2, "strong": 0.5, "weak": 0.4, "tried": 1.0, "errors": None}
    ranks = {"strong": 1.0, "weak": 2.0, "tried": None}
    figures = [
        Statistic(name, "easy", domain, player, 10, value, "")
        for name, values in (("success_rate", rates), ("rank", ranks))
        for player, value in values.items()
        for domain in ("all", "d")
    ]
    found = place_figures(figures, kind, Floor("guesser", "", ""))
    assert [(one.player, one.value, one.convention) for one in found] == [
        ("strong", 1, "models"),
        ("weak", 2, "models"),
        ("tried", 3, "models"),
        ("errors", 4, "models"),
        ("optimum", 5, "reference"),
        ("guesser", 6, "floor"),
    ]


def test_the_release_ranks_its_models_as_its_pairs_do(release: Path) -> None:
    """By their own instances gpt-3.5-turbo is above gemma-2-9b; on shared ones far below."""
    players = ["deepseek-v3", "gemma-2-9b-it", "gpt-3.5-turbo", "gpt-4o-mini", "llama-3.1-70b-instruct"]
    table = pq.read_table(
        release / "trajectories.parquet",
        columns=["model", "domain", "seed", "success"],
        filters=[("n_truths", "==", 4), ("n_actions", "==", 6), ("model", "in", players)],
    )
    scores: dict[str, dict[str, Score]] = {player: {} for player in players}
    for model, domain, seed, success in zip(*(column.to_pylist() for column in table.columns), strict=True):
        solved, runs = scores[model].get(f"{domain}/{seed}", (0, 0))
        scores[model][f"{domain}/{seed}"] = solved + bool(success), runs + 1
    found = _figures(scores)
    own = {player: np.mean([solved / runs for solved, runs in scores[player].values()]) for player in players}
    assert own["gpt-3.5-turbo"] > own["gemma-2-9b-it"]
    common = {player: found[player, "common_rate"] for player in players}
    assert common["gpt-3.5-turbo"].n == 250
    assert (common["gemma-2-9b-it"].value or 0) - (common["gpt-3.5-turbo"].value or 0) == pytest.approx(0.12)
    adjusted = {player: found[player, "adjusted_rate"].value or 0 for player in players}
    assert adjusted["gemma-2-9b-it"] - adjusted["gpt-3.5-turbo"] > 0.03
    for player in ("deepseek-v3", "gemma-2-9b-it"):
        assert adjusted[player] == pytest.approx(own[player], abs=1e-9)
