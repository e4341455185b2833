"""Saved questions that are of models alone, over rows made by hand: what programs do changes no answer."""

import duckdb

from perennial.warehouse.catalog.dictionary import saved_questions

# None of them has a rank: models count that share no instance too.
BOARD = """CREATE TABLE leaderboard AS FROM (VALUES
    ('e', 'models', 'weak', NULL), ('e', 'models', 'strong', NULL), ('e', 'reference', 'exact', NULL)
) AS t(edition, player_group, player, rank)"""


def test_an_instance_that_only_a_program_solves_is_one_that_no_model_solves() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(BOARD)
        connection.execute(
            """CREATE TABLE episodes AS SELECT 'e' AS edition, * FROM (VALUES
                ('hard', 'exact', true), ('hard', 'weak', false), ('hard', 'strong', false),
                ('once', 'weak', false), ('once', 'strong', false), ('once', 'strong', true),
                ('unplayed', 'exact', false)) AS t(instance_id, player, success)"""
        )
        connection.execute(
            """CREATE TABLE instances AS
            SELECT DISTINCT edition, instance_id, 'b' AS benchmark, 'd' AS domain, 's' AS setting
            FROM episodes"""
        )
        rows = connection.execute(saved_questions()["unsolved_instances"].ask({})).fetchall()
    assert rows == [("e", "b", "d", "s", "hard", 2, 2)]


def test_domains_are_separated_by_models() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(BOARD)
        connection.execute(
            """CREATE TABLE domain_scores AS SELECT 'e' AS edition, 'b' AS benchmark, 's' AS setting, *,
                rate - 0.1 AS success_rate_low, rate + 0.1 AS success_rate_high, rate AS success_rate
            FROM (VALUES ('wide', 'exact', 1.0), ('wide', 'weak', 0.25), ('wide', 'strong', 0.75),
                ('alone', 'exact', 1.0), ('alone', 'weak', 0.0)) AS t(domain, player, rate)"""
        )
        found = connection.sql(saved_questions()["separating_domains"].ask({})).fetchall()
    assert [row[2:6] + row[7:9] for row in found] == [("wide", 2, "strong", 0.75, "weak", 0.25)]
