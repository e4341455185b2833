"""The macros of association: the figures of our statistics and of scipy, over any two columns."""

import random
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from math import inf, nan
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from perennial.schemas.kumo.things import Step
from perennial.tasks.statistics.association import compute_corrected_cramers_v
from perennial.tasks.statistics.correlation import pearson
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.dictionary import macro_statements
from perennial.warehouse.confined_sql.process import QueryLimits, open_confined
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics, publish

_EXACT = {"abs": 1e-12, "rel": 1e-12}
_ALL = "cramers_v(a, b), cramers_v_corrected(a, b), chi_square_p(a, b)"
# Every V and r that is published, beside the same by a macro over the rows that it was computed from.
_V = """
    WITH labels AS (
        SELECT i.setting, e.player, k.signature, 2 * count(*) FILTER (e.success) > count(*) AS solved
        FROM episodes AS e
        JOIN instances AS i USING (instance_id)
        JOIN kumo_instances AS k USING (instance_id)
        WHERE e.status <> 'api_error'
        GROUP BY i.setting, e.player, k.signature, e.instance_id
    )
    SELECT concat_ws(' ', setting, t.player), t.instances, any_value(t.cramers_v_kumo_2025),
           any_value(t.chi_square_p_kumo_2025), count(*), cramers_v(signature, solved),
           chi_square_p(signature, solved)
    FROM topology_association AS t
    JOIN labels USING (setting, player)
    GROUP BY setting, t.player, t.instances"""
_R = """
    WITH rates AS (
        SELECT s.setting, s.domain, s.player, s.value, l.player_group
        FROM statistics AS s
        JOIN leaderboard AS l USING (setting, player)
        WHERE s.statistic = 'success_rate'
    )
    SELECT concat_ws(' ', c.setting, c.domain, c.over, c.compared_with), c.players, c.correlation,
           c.correlation_low, c.correlation_high,
           unnest(pearson(r.value, o.value))
    FROM correlations AS c
    JOIN rates AS r ON r.setting = c.setting AND r.domain = c.domain
    JOIN rates AS o ON o.player = r.player
     AND (c.compared_with = 'setting ' || o.setting AND o.domain = 'all'
          OR c.compared_with = 'domain ' || o.domain AND o.setting = c.setting)
    WHERE c.coefficient = 'pearson' AND (c.over = 'all' OR r.player_group = 'models')
    GROUP BY c.setting, c.domain, c.over, c.compared_with, c.players,
             c.correlation, c.correlation_low, c.correlation_high"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A root with one edition: eight models on two settings with two domains, five runs each."""
    store, rows, rng = Store(str(tmp_path_factory.mktemp("macros"))), tiny_edition.rows(), random.Random(3)
    instance, shape = rows["instances"][0], rows["kumo_instances"][0]
    rows["instances"], rows["kumo_instances"] = [], []
    for number in range(24):
        instance_id = f"ki_{number}"
        described = {"domain": ("Weather", "Sea")[number % 2], "setting": ("3x2", "4x6")[number % 4 // 2]}
        rows["instances"].append({**instance, "instance_id": instance_id, **described})
        signature = rng.choice(["1,2|3", "2,2|4", "1,1|2"])
        rows["kumo_instances"].append({**shape, "instance_id": instance_id, "signature": signature})
    plays = [
        tiny_edition.play(
            f"m{player}",
            run,
            "solved" if rng.random() < (player + number % 5) / 12 else "wrong",
            (tiny_edition.MEASURED, Step(2, "truth", "rain", None, None)),
            instance_id=f"ki_{number}",
        )
        for player in range(8)
        for number in range(24)
        for run in range(5)
    ]
    rows.update(tiny_edition.add(plays))
    plan = tiny_edition.plan("e1")
    figures = edition_statistics(plan.growth.benchmark, tiny_edition.tables(rows), plan.growth.seed, {})
    tables = tiny_edition.tables({**rows, "statistics": figures})
    publish(store, plan, tables, [], datetime(2026, 1, 1, tzinfo=UTC))
    return store


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as connection:
        for statement in macro_statements():
            connection.execute(statement)
        yield connection


def _about(figures: Sequence[float | None]) -> list[Any]:
    return [None if figure is None else pytest.approx(figure, **_EXACT) for figure in figures]


@pytest.mark.slow
def test_every_published_v_and_r_is_that_of_a_macro(store: Store) -> None:
    catalog = open_catalog(store)
    for sql, published in ((_V, "topology_association"), (_R, "correlations WHERE coefficient = 'pearson'")):
        rows = catalog.query(sql)[1]
        assert [(len(rows),)] == catalog.query(f"SELECT count(*) FROM {published}")[1]
        assert len(rows) >= 6
        for _, *figures in rows:
            middle = len(figures) // 2
            assert figures[middle:] == _about(figures[:middle])
        assert any(None not in row for row in rows)


@pytest.mark.slow
def test_macros_are_in_a_confined_query_and_in_the_script(store: Store) -> None:
    catalog = open_catalog(store)
    with (
        closing(duckdb.connect()) as plain,
        open_confined(store, QueryLimits(1_000_000_000, inf)) as confined,
    ):
        plain.execute(catalog.contents.script())
        for sql in (_V, _R):
            expected = sorted(catalog.query(sql)[1])
            for rows in (list(confined.stream(sql)[1]), plain.execute(sql).fetchall()):
                assert [row[0] for row in sorted(rows)] == [row[0] for row in expected]
                for row, wanted in zip(sorted(rows), expected, strict=True):
                    assert [*row[1:]] == _about(wanted[1:])
        listed = "SELECT function_name FROM duckdb_functions() WHERE comment LIKE '%of two columns%'"
        names = {name for (name,) in confined.stream(listed)[1]}
        assert names == {"chi_square", "chi_square_p", "cramers_v", "cramers_v_corrected", "pearson"}


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 7), (5, 4), (150, 2), (60, 40), (4000, 3)])
@pytest.mark.parametrize("strength", [0.0, 0.4])
def test_association_is_that_of_scipy(connection: Any, shape: tuple[int, int], strength: float) -> None:
    generator = np.random.default_rng(shape[0])
    n = 25 + 4 * shape[0]
    a, b = (generator.integers(0, size, n) for size in shape)
    b = np.where(generator.random(n) < strength, a % shape[1], b)
    pairs = pa.table({"a": [f"c{one}" for one in a], "b": b})
    table = stats.contingency.crosstab(a, b).count
    chi2, p_value, _, _ = stats.chi2_contingency(table, correction=False)
    v = stats.contingency.association(table, method="cramer")
    ((found_v, corrected, p),) = connection.execute(f"SELECT {_ALL} FROM pairs").fetchall()
    assert len(pairs) == n
    assert found_v == pytest.approx(v, **_EXACT)
    assert corrected == pytest.approx(compute_corrected_cramers_v(chi2, n, *table.shape), **_EXACT)
    assert p == pytest.approx(p_value, abs=1e-12, rel=1e-10)


@pytest.mark.parametrize("dof", [1, 2, 3, 9, 40, 399, 3000])
def test_a_tail_of_chi_squared_is_right_from_1_to_the_smallest(connection: Any, dof: int) -> None:
    for ratio in (0, 1e-9, 0.01, 0.5, 0.97, 1, 1.02, 1.3, 3, 30, 1000):
        sql = f"SELECT gamma_tail({dof}::DOUBLE / 2, {dof * ratio}::DOUBLE / 2)"
        ((p,),) = connection.execute(sql).fetchall()
        assert p == pytest.approx(stats.chi2.sf(dof * ratio, dof), abs=1e-300, rel=5e-12), ratio


@pytest.mark.parametrize("offset", [0, 1e6, 1e9, 1e300])
@pytest.mark.parametrize("n", [2, 3, 4, 60])
def test_pearson_is_ours(connection: Any, offset: float, n: int) -> None:
    generator = np.random.default_rng(n)
    x = [*(generator.normal(size=n) * max(1, offset / 1e6) + offset), None, 1.0, nan, inf]
    y = [*generator.normal(size=n), 1.0, None, 1.0, 1.0]
    pairs = pa.table({"a": x, "b": y})
    ((found,),) = connection.execute("SELECT pearson(a, b) FROM pairs").fetchall()
    assert len(pairs) == n + 4
    expected = pearson(x, y)
    assert found["n"] == n
    for name in ("r", "low", "high"):
        value = getattr(expected, name)
        assert [found[name]] == _about([value])


def test_what_is_undefined_is_null(connection: Any) -> None:
    for values in ("(1, 2)", "(1, 1), (1, 2), (1, 3)", "(1, 1), (2, 1), (3, NULL)", "(NULL::INT, NULL::INT)"):
        sql = f"SELECT {_ALL}, pearson(a, b).r FROM (VALUES {values}) AS t(a, b)"
        assert connection.execute(sql).fetchall() == [(None, None, None, None)], values
    # As many categories as pairs leave nothing to correct; equal columns have no interval.
    sql = f"SELECT {_ALL}, pearson(a, b) FROM (VALUES (1, 1), (2, 2), (3, 3), (4, 4)) AS t(a, b)"
    ((v, corrected, p, line),) = connection.execute(sql).fetchall()
    assert (v, corrected, p) == (1, None, pytest.approx(stats.chi2.sf(12, 9)))
    assert line == {"n": 4, "r": pytest.approx(1), "low": None, "high": None}


def test_macros_work_wherever_an_aggregate_does_and_with_columns_of_any_name(connection: Any) -> None:
    values = "(VALUES (1, true, 1), (1, false, 2), (2, true, 1), (2, true, 3)) AS t(cell, test, side)"
    sql = f"""SELECT cell, cramers_v(test, side) AS v, pearson(side + cell, test).r FROM {values}
        GROUP BY cell HAVING cramers_v(test, side) > 0.5 ORDER BY pearson(side, test).n, v DESC, cell"""
    assert connection.execute(sql).fetchall() == [(1, pytest.approx(1), None)]
