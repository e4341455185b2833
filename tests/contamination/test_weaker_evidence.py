"""View `contamination_gaps`: what stands beside the gap, by the newest later edition on the common scale."""

import duckdb
import pytest

from perennial.warehouse.catalog.dictionary import question_views

TABLES = """
CREATE TABLE editions AS FROM (VALUES ('old', 'x', 1), ('mid', 'x', 2), ('new', 'x', 3), ('other', 'y', 4))
AS e (edition, benchmark, created_at);
CREATE TABLE statistics AS SELECT edition, player, 'contamination_gap' AS statistic, 'any' AS convention,
'models' AS family, 1 AS n, 0.0 AS value, 0.0 AS low, 0.0 AS high, '' AS population, 0.5 AS p_value,
0.5 AS p_adjusted, NULL AS no_interval FROM editions, (VALUES ('m'), ('k')) AS p (player);
CREATE TABLE model_facts (edition VARCHAR, player VARCHAR, training_cutoff DATE);
CREATE TABLE scale AS FROM (VALUES ('x', 'a', 'old', 'm', 0.8), ('x', 'b', 'old', 'm', 0.6),
('x', 'a', 'mid', 'm', 0.1), ('x', 'a', 'new', 'm', 0.5), ('x', 'b', 'new', 'm', 0.5),
('x', 'a', 'old', 'k', 0.3), ('y', 'a', 'other', 'k', 0.1)) AS s (benchmark, setting, other, player, value);
ALTER TABLE scale ADD COLUMN statistic VARCHAR DEFAULT 'rate_in_edition'
"""


def test_the_rate_here_is_compared_with_the_newest_later_edition() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(TABLES)
        connection.execute(f"CREATE VIEW contamination_gaps AS {question_views()['contamination_gaps']}")
        rows = connection.execute(
            "SELECT edition, player, newest_edition, fall_since FROM contamination_gaps "
            "WHERE newest_edition IS NOT NULL ORDER BY edition DESC"
        ).fetchall()
    assert rows == [("old", "m", "new", pytest.approx(0.2)), ("mid", "m", "new", pytest.approx(-0.4))]
