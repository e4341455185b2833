"""View `non_inferiority` over rows made by hand: which of two models is cheaper, and within which margin."""

from typing import Any

import duckdb
import pytest

from perennial.warehouse.catalog.dictionary import question_views, saved_questions

COLUMNS = (
    "player, other_player, cost_unit, cost, other_cost, saving, difference_low, smallest_margin, within_03"
)


def answer(
    pairs: list[tuple[str, str, float, float | None]],
    uses: list[tuple[str, str, float | None, int | None]],
    sql: str = f"SELECT {COLUMNS} FROM non_inferiority",
) -> list[Any]:
    """Answer the SQL for models with these differences and bounds, and what they used on each instance."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "CREATE TABLE paired_comparisons (edition VARCHAR, benchmark VARCHAR, setting VARCHAR, "
            "player VARCHAR, other_player VARCHAR, instances BIGINT, difference DOUBLE, "
            "difference_low DOUBLE, population VARCHAR, no_interval VARCHAR, family VARCHAR)"
        )
        connection.execute(
            "CREATE TABLE instances AS SELECT 'e' AS edition, unnest(['1', '2']) AS instance_id, "
            "'s' AS setting"
        )
        connection.execute(
            "CREATE TABLE episodes (edition VARCHAR, instance_id VARCHAR, player VARCHAR, status VARCHAR, "
            "version VARCHAR, cost_usd DOUBLE, tokens BIGINT)"
        )
        for player, other, difference, low in pairs:
            family = "programs" if player == "random" else "models"
            both = (("e", "b", "s", player, other, 2, difference, low), ("new domains", None, family))
            connection.execute(
                f"INSERT INTO paired_comparisons VALUES ({', '.join('?' * 11)})", sum(both, ())
            )
        for player, instance, cost, tokens in uses:
            row = ("e", instance, player, "solved", None, cost, tokens)
            connection.execute("INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute(f"CREATE VIEW non_inferiority AS {question_views()['non_inferiority']}")
        return connection.execute(sql).fetchall()


BOTH = [("mini", "maxi", -0.01, -0.02), ("maxi", "mini", 0.01, 0.0)]


def test_the_cheaper_model_is_compared_in_dollars_over_the_shared_instances() -> None:
    uses = [
        ("mini", "1", 0.1, 900),
        ("mini", "1", 0.3, 900),
        ("maxi", "1", 0.8, 100),
        ("maxi", "2", 8.0, 100),
    ]
    ((*names, cost, other, saving, low, margin, within),) = answer(BOTH, uses)
    assert names == ["mini", "maxi", "US dollars"]
    assert (cost, other, saving, low, margin, within) == pytest.approx((0.2, 0.8, 0.75, -0.02, 0.02, True))


@pytest.mark.parametrize("price", [None, 0.0], ids=["unknown", "free"])
def test_tokens_stand_in_for_prices(price: float | None) -> None:
    uses = [("mini", "1", price, 300), ("maxi", "1", price, 400)]
    assert answer(BOTH, uses) == [("mini", "maxi", "tokens", 300, 400, 0.25, -0.02, 0.02, True)]


def test_models_of_one_cost_and_programs_are_in_no_pair() -> None:
    uses = [("mini", "1", 0.5, 300), ("maxi", "1", 0.5, 400), ("random", "1", 0.1, 1)]
    assert answer([*BOTH, ("random", "maxi", 0.0, -0.1)], uses) == []


@pytest.mark.parametrize(
    ("low", "margin", "within"),
    [(-0.03, 0.03, False), (-0.0299, 0.0299, True), (0.2, 0, True), (None, None, None)],
)
def test_a_margin_is_shown_where_the_bound_is_above_it(low: float | None, margin: Any, within: Any) -> None:
    uses = [("mini", "1", 0.1, 1), ("maxi", "1", 0.5, 1)]
    assert answer([("mini", "maxi", 0.0, low)], uses)[0][-2:] == (margin, within)


@pytest.mark.parametrize(("margin", "count"), [("0.03", 1), ("0.02", 0), ("1", 1)])
def test_the_question_asks_for_any_margin(margin: str, count: int) -> None:
    uses = [("mini", "1", 0.1, 1), ("maxi", "1", 0.5, 1)]
    asked = saved_questions()["non_inferior"].ask({"margin": margin})
    assert len(answer(BOTH, uses, asked)) == count
