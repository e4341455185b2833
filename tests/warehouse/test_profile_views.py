"""The views of profiles over rows made by hand: newest editions, pooled people, costs, too few models."""

from collections.abc import Iterator
from math import factorial
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

from perennial.schemas.kumo.things import Step
from perennial.tasks.statistics.multiplicity import holm
from perennial.warehouse.catalog.dictionary import question_views
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics


@pytest.fixture
def connection() -> Iterator["duckdb.DuckDBPyConnection"]:
    with duckdb.connect(":memory:") as opened:
        opened.execute("CREATE TABLE editions (edition VARCHAR, benchmark VARCHAR, created_at TIMESTAMP)")
        opened.execute(
            "CREATE TABLE statistics (edition VARCHAR, statistic VARCHAR, convention VARCHAR, "
            "setting VARCHAR, domain VARCHAR, player VARCHAR, other VARCHAR, n BIGINT, value DOUBLE, "
            "low DOUBLE, high DOUBLE, population VARCHAR)"
        )
        opened.execute(
            "CREATE TABLE instances (edition VARCHAR, instance_id VARCHAR, setting VARCHAR, domain VARCHAR)"
        )
        opened.execute(
            "CREATE TABLE episodes (edition VARCHAR, episode_id VARCHAR, instance_id VARCHAR, "
            "player VARCHAR, version VARCHAR, cost_usd DOUBLE)"
        )
        for name in ("profiles", "profile_correlations"):
            opened.execute(f"CREATE VIEW {name} AS {question_views()[name]}")
        yield opened


def _insert(connection: Any, row: tuple[object, ...]) -> None:
    connection.execute(f"INSERT INTO statistics VALUES ({', '.join('?' * len(row))})", row)


def _score(
    connection: Any, edition: str, player: str, score: float, kind: str = "models", domain: str = "all"
) -> None:
    for statistic, convention, value in (("common_rate", "any", score), ("rank_in_kind", kind, 1)):
        row = (edition, statistic, convention, "s", domain, player, "", 10, value, None, None, None)
        _insert(connection, row)


def _edition(connection: Any, edition: str, benchmark: str, day: int, **scores: float) -> None:
    connection.execute(
        "INSERT INTO editions VALUES (?, ?, make_timestamp(2026, 1, ?, 0, 0, 0))", (edition, benchmark, day)
    )
    for player, score in scores.items():
        _score(connection, edition, player, score)


def test_the_newest_edition_with_answers_is_marked_and_all_are_there(connection: Any) -> None:
    _edition(connection, "x1", "x", 1, m=0.5)
    _edition(connection, "x2", "x", 2, m=0.25)
    _edition(connection, "x3", "x", 3)  # nobody has played it yet
    _edition(connection, "y1", "y", 1, m=1.0)
    found = connection.execute("SELECT edition, is_newest, score FROM profiles").fetchall()
    assert found == [("x1", False, 0.5), ("x2", True, 0.25), ("y1", True, 1.0)]
    newest = (
        "SELECT edition, other_edition FROM profile_correlations WHERE is_newest AND coefficient = 'pearson'"
    )
    assert connection.execute(newest).fetchall() == [("x2", "y1")]


def test_costs_are_of_all_episodes_of_the_usual_questions_and_people_are_one_player(connection: Any) -> None:
    _edition(connection, "x1", "x", 1, human=0.5, m=0.5, partly=0.25)
    _score(connection, "x1", "human", 0.5, "people", "d")
    connection.execute("INSERT INTO instances VALUES ('x1', 'i1', 's', 'd'), ('x1', 'i2', 's', 'e')")
    connection.execute(
        "INSERT INTO episodes VALUES ('x1', '1', 'i1', 'human:a', NULL, NULL), "
        "('x1', '2', 'i2', 'human:b', NULL, NULL), ('x1', '3', 'i1', 'm', NULL, 0.25), "
        "('x1', '4', 'i2', 'm', NULL, 0.5), ('x1', '5', 'i1', 'm', 'other', 8), "
        "('x1', '6', 'i1', 'partly', NULL, 0.125), ('x1', '7', 'i2', 'partly', NULL, NULL)"
    )
    columns = "domain, player, rank, episodes, episodes_with_cost, cost_usd"
    assert connection.execute(f"SELECT {columns} FROM profiles").fetchall() == [
        ("all", "human", 1, 2, 0, None),
        ("all", "m", 1, 2, 2, 0.75),
        ("all", "partly", 3, 2, 1, 0.125),
        ("d", "human", 1, 1, 0, None),
    ]


@pytest.mark.parametrize(
    ("one", "other", "players", "why"),
    [
        ([0.1, 0.2, 0.4, 0.3, 0.7, 0.5], [0.1, 0.3, 0.2, 0.5, 0.4, 0.9], 6, "fewer than 7 models have both"),
        ([], [0.1, 0.3], 0, "fewer than 7 models have both"),
        ([0.5] * 7, [0.1, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9], 7, "all models score the same in one of them"),
        (
            [0.05, 0.1, 0.15, 0.2, 0.25, 0.4, 0.5],
            [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 1.0],
            7,
            "interval: the agreement is perfect",
        ),
        ([0.1, 0.2, 0.2, 0.5, 0.7, 0.6, 0.8], [0.2, 0.1, 0.8, 0.9, 0.9, 0.3, 0.6], 7, None),
    ],
)
def test_a_correlation_of_too_few_or_equal_models_says_why_there_is_none(
    connection: Any, one: list[float], other: list[float], players: int, why: str | None
) -> None:
    _edition(connection, "x1", "x", 1, **{f"m{n}": score for n, score in enumerate(one)})
    _edition(connection, "y1", "y", 1, **{f"m{n}": score for n, score in enumerate(other)})
    # Programs, and models of one side alone, do not count.
    for edition, score in (("x1", 0.0), ("y1", 1.0)):
        _score(connection, edition, "exact", score, "programs")
        _score(connection, edition, f"only_{edition}", score)
    rows = connection.execute(
        "SELECT coefficient, players, correlation, correlation_low, correlation_high, undefined FROM "
        "profile_correlations"
    ).fetchall()
    assert [row[0] for row in rows] == ["pearson", "spearman"]
    for coefficient, n, r, low, high, undefined in rows:
        reliable = "disattenuated: a reliability is unknown or not above 0"
        assert (n, undefined) == (players, why or (reliable if coefficient == "pearson" else None))
        if why and not why.startswith("interval"):
            assert (r, low, high) == (None, None, None)
        else:
            test: Any = stats.pearsonr if coefficient == "pearson" else stats.spearmanr
            assert r == pytest.approx(test(one, other).statistic, abs=1e-9)
            assert (low is None, high is None) == (why is not None, why is not None)
            assert why or low < r < high


def test_p_values_are_those_of_t_and_holm_corrects_them_over_newest_editions(connection: Any) -> None:
    """Three settings of newest editions make three correlations a coefficient; older ones stand apart."""
    random = np.random.default_rng(3)
    scores = {name: random.random(12).round(3) for name in ("x1", "y1", "z1")}
    scores["y1"] = (scores["x1"] * 0.8 + scores["y1"] * 0.2).round(3)
    scores["z1"][11] = scores["x1"][0]
    for edition, values in scores.items():
        # An odd and an even number of models: both series of t.
        values = values[:11] if edition == "z1" else values
        _edition(connection, edition, edition[0], 2, **{f"m{n}": float(v) for n, v in enumerate(values)})
    _edition(connection, "x0", "x", 1, **{f"m{n}": float(v) for n, v in enumerate(scores["x1"][::-1])})
    rows = connection.execute(
        "SELECT coefficient, edition, other_edition, is_newest, p_value, p_holm FROM profile_correlations"
    ).fetchall()
    assert len(rows) == 12
    families: dict[tuple[str, bool], list[tuple[float, float]]] = {}
    drawn = {**scores, "x0": scores["x1"][::-1]}
    for coefficient, edition, other, is_newest, p_value, p_holm in rows:
        n = 11 if "z1" in (edition, other) else 12
        test: Any = stats.pearsonr if coefficient == "pearson" else stats.spearmanr
        assert p_value == pytest.approx(test(drawn[edition][:n], drawn[other][:n]).pvalue, abs=1e-9)
        families.setdefault((coefficient, is_newest), []).append((p_value, p_holm))
    assert sorted(map(len, families.values())) == [3, 3, 3, 3]
    for family in families.values():
        assert [adjusted for _, adjusted in family] == pytest.approx(holm([p for p, _ in family]))


def test_perfect_ranks_have_the_p_value_of_their_number_of_orders(connection: Any) -> None:
    for edition, power in (("x1", 1), ("y1", 3)):
        _edition(connection, edition, edition[0], 1, **{f"m{n}": (n / 8) ** power for n in range(7)})
    sql = "SELECT p_value, p_holm FROM profile_correlations WHERE coefficient = 'spearman'"
    ((p_value, p_holm),) = connection.execute(sql).fetchall()
    assert p_value == p_holm == pytest.approx(2 / factorial(7))


def test_a_correlation_without_chance_is_that_over_the_reliabilities(connection: Any) -> None:
    """Of another edition it is for new domains, where both have that; of one edition for these domains."""
    x, y = [0.1, 0.2, 0.2, 0.5, 0.7, 0.6, 0.8], [0.3, 0.1, 0.4, 0.9, 0.6, 0.5, 0.8]
    for edition, scores in (("x1", x), ("y1", y)):
        _edition(connection, edition, edition[0], 1, **{f"m{n}": score for n, score in enumerate(scores)})
    told = (("x1", "new domains", 0.5), ("x1", "these domains", 0.9), ("y1", "these domains", 0.8))
    for edition, population, value in told:
        row = (edition, "reliability", population, "s", "all", "all", "", 7, value, None, None, None)
        _insert(connection, row)
    ends = "disattenuated, disattenuated_low, disattenuated_high"
    columns = f"coefficient, correlation, correlation_low, {ends}, undefined"
    pearson, spearman = connection.execute(f"SELECT {columns} FROM profile_correlations").fetchall()
    share = (0.5 * 0.8) ** 0.5
    _, r, low, free, free_low, free_high, undefined = pearson
    assert (free, free_low, free_high) == pytest.approx((min(1, r / share), low / share, 1))
    assert undefined is None
    assert spearman[3:] == (None, None, None, None)


@pytest.mark.slow
def test_a_player_under_a_programs_former_name_is_a_program() -> None:
    rows = tiny_edition.rows()
    oracle = tiny_edition.play("oracle", 0, "solved", (Step(1, "truth", "rain", None, None),))
    rows.update(tiny_edition.add([{name: rows[name] for name in oracle}, oracle]))
    figures = edition_statistics("kumo", tiny_edition.tables(rows), 3, {})
    kinds = {row["player"]: row["convention"] for row in figures if row["statistic"] == "rank_in_kind"}
    assert kinds == {"m": "models", **dict.fromkeys(("algorithm-3", "oracle", "random"), "programs")}
