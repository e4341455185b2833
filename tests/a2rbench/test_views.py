"""A2RBench's views over a small edition, against SQL over the tables themselves."""

import pytest

from perennial.tasks.statistics.agreement import nominal_alpha
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.a2rbench.made_analyses import ANALYSTS

COLUMNS = {
    "total_accuracy": "true",
    "symbolic_accuracy": "type = 'symbolic'",
    "semantic_accuracy": "type = 'semantic'",
    "seed_accuracy": "variation = 0",
    "augmented_accuracy": "variation > 0",
    "line_accuracy": "dimension = 1",
    "cube_accuracy": "dimension = 3",
}
PLAYERS = {"search", "guesser", "identity", "nearest", *made_edition.MODELS}


@pytest.fixture(scope="module")
def catalog(analysed: Store) -> Catalog:
    return open_catalog(analysed)


def mean(catalog: Catalog, where: str, what: str = "success") -> float:
    """Return the mean over items of the mean over runs; all items have as many runs of a player."""
    ((value,),) = catalog.query(
        f"SELECT avg({what}::INT) FROM episodes JOIN a2rbench_items USING (edition, instance_id) "
        f"JOIN a2rbench_answers USING (edition, episode_id) WHERE {where}"
    )[1]
    return float(value)


@pytest.mark.slow
def test_the_leaderboard_has_a_row_a_player_in_order_of_accuracy(catalog: Catalog) -> None:
    board = catalog.records("FROM a2rbench_leaderboard")
    assert {row["player"] for row in board} == PLAYERS
    assert board[0]["player"] == "search"
    totals = [row["total_accuracy"] for row in board]
    assert totals == sorted(totals, reverse=True)
    for row in board:
        own = f"player = '{row['player']}' AND"
        for column, where in COLUMNS.items():
            assert row[column] == pytest.approx(mean(catalog, f"{own} NOT is_remapped AND {where}")), column
        assert row["remapped_accuracy"] == pytest.approx(mean(catalog, f"{own} is_remapped"))
        assert row["grid_accuracy"] is None
        assert row["delta_s"] == pytest.approx(
            mean(catalog, f"{own} commutes AND NOT is_remapped") - row["remapped_accuracy"]
        )
        assert row["played"] == 20
        assert (row["collapse_rate"] > 0) == (row["player"] in made_edition.MODELS)
        assert row["collapse_rate"] == pytest.approx(mean(catalog, f"{own} NOT is_remapped", "collapsed"))


@pytest.mark.slow
def test_the_curve_has_a_row_a_player_and_variation_and_one_of_all(catalog: Catalog) -> None:
    curve = catalog.records("FROM a2rbench_curve")
    assert len(curve) == (len(PLAYERS) + 1) * len(made_edition.VARIATIONS)
    for row in curve:
        assert (row["wrong_entropy"] is not None) == (row["player"] == "all")
        assert row["items"] == row["played"] == 4
        assert 0 < row["deflate"] < row["gzip"]
    assert [row["variation"] for row in curve[:5]] == ["V0", "V1", "V4", "V5", "V7"]
    search = [row for row in curve if row["player"] == "search"]
    assert {(row["accuracy"], row["pearson_accuracy"]) for row in search} == {(1.0, None)}


def test_measures_count_a_rule_once(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_measures")
    assert [(row["dimension"], row["type"], row["author"], row["rules"]) for row in rows] == [
        (1, "symbolic", "catalogue", 1),
        (1, "semantic", "catalogue", 1),
        (3, "symbolic", "catalogue", 2),
    ]
    cubes = catalog.query(
        "SELECT avg(max_complexity) FROM a2rbench_items WHERE dimension = 3 AND variation = 0"
    )[1]
    assert rows[2]["mean_complexity"] == pytest.approx(cubes[0][0])


def test_remapping_pairs_items_with_their_copies(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_remapping")
    assert {(row["domain"], row["pairs"]) for row in rows} == {
        ("all", 15),
        ("line_symbolic", 5),
        ("cube_symbolic", 10),
    }
    for row in rows:
        assert row["delta_s"] == pytest.approx(row["p0_accuracy"] - row["p1_accuracy"])
        assert row["not_remapped"] == 0
        own = f"player = '{row['player']}' AND is_remapped"
        own += {"all": "", "line_symbolic": " AND dimension = 1"}.get(row["domain"], " AND dimension = 3")
        assert row["p1_accuracy"] == pytest.approx(mean(catalog, own))
        low, high = row["delta_s_low"], row["delta_s_high"]
        # Of one rule alone there is no interval.
        assert (low is None) == (row["domain"] == "line_symbolic")
        assert low is None or low <= row["delta_s"] <= high


def test_scores_have_every_cell_of_every_kind_of_items(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_scores WHERE player = 'm-small'")
    kinds = {"p0": "NOT is_remapped", "seed": "NOT is_remapped AND variation = 0"}
    kinds |= {"augmented": "NOT is_remapped AND variation > 0", "remapped": "is_remapped"}
    cells = {"all": "true", "line": "dimension = 1", "cube": "dimension = 3"}
    cells |= {type_: f"type = '{type_}'" for type_ in ("symbolic", "semantic")}
    names = ("line_symbolic", "line_semantic", "cube_symbolic")
    cells |= {name: " AND ".join(cells[part] for part in name.split("_")) for name in names}
    assert {row["items"] for row in rows} == {*kinds}
    assert {row["cell"] for row in rows if row["items"] == "p0"} == {*cells}
    for row in rows:
        counted = f"{kinds[row['items']]} AND {cells[row['cell']]}"
        assert catalog.query(f"SELECT count(*) FROM a2rbench_items WHERE {counted}")[1] == [(row["played"],)]
        for name, what in (("accuracy", "success"), ("collapse_rate", "collapsed")):
            assert row[name] == pytest.approx(mean(catalog, f"player = 'm-small' AND {counted}", what))
            assert 0 <= row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] <= 1


def test_phases_are_of_each_author_and_of_all(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_phases WHERE player = 'search'")
    asked = catalog.query("SELECT DISTINCT author, ceil(variation / 3)::INT FROM a2rbench_items")[1]
    names = ("seed", "standard", "edge", "complex")
    expected = {(author, names[phase]) for author, phase in asked}
    assert {(row["author"], row["phase"]) for row in rows} == expected | {("all", p) for _, p in expected}
    for row in rows:
        author = "" if row["author"] == "all" else f" AND author = '{row['author']}'"
        where = f"player = 'search' AND NOT is_remapped AND ceil(variation / 3) = {names.index(row['phase'])}"
        assert row["accuracy"] == pytest.approx(mean(catalog, where + author))


def test_failures_are_counted_by_cell_and_by_variation(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_failures")
    counted = catalog.query(
        "SELECT a.analyst, e.player, e.success, a.outcome_category, i.domain, o.variation, count(*) "
        "FROM a2rbench_analyses AS a JOIN episodes AS e USING (edition, episode_id) "
        "JOIN instances AS i USING (edition, instance_id) "
        "JOIN a2rbench_items AS o USING (edition, instance_id) "
        "GROUP BY ALL"
    )[1]
    for row in rows:
        if row["what"] == "style":
            continue
        of_outcome = [
            (category, number)
            for analyst, player, success, category, domain, variation, number in counted
            if (analyst, player, "right" if success else "wrong")
            == (row["analyst"], row["player"], row["outcome"])
            and row["domain"] in ("all", domain)
            and row["variation"] in ("all", f"V{variation}")
        ]
        own = sum(number for category, number in of_outcome if category == row["value"])
        assert row["answers"] == own
        assert row["share"] == pytest.approx(own / sum(number for _, number in of_outcome))
    assert {row["analyst"] for row in rows} == set(ANALYSTS)
    assert {row["player"] for row in rows} == set(made_edition.MODELS)
    assert {(row["domain"] == "all", row["variation"] == "all") for row in rows} == {
        *((True, True), (True, False), (False, True))
    }
    styles = [row for row in rows if row["what"] == "style" and row["domain"] == row["variation"] == "all"]
    assert sum(row["share"] for row in styles) == pytest.approx(
        len({(row["analyst"], row["player"], row["outcome"]) for row in styles})
    )


def test_agreement_is_alpha_over_the_answers_of_two_analysts(catalog: Catalog) -> None:
    said = catalog.query(
        "SELECT list(outcome_category ORDER BY analyst) FROM a2rbench_analyses GROUP BY episode_id"
    )[1]
    rows = {(row["player"], row["what"]): row for row in catalog.records("FROM analyst_agreement")}
    assert set(rows) == {
        (player, what) for player in ("all", *made_edition.MODELS) for what in ("category", "style")
    }
    assert rows["all", "category"]["alpha"] == pytest.approx(nominal_alpha([unit for (unit,) in said]))
    assert (rows["all", "category"]["answers"], rows["all", "style"]["alpha"]) == (len(said), 1.0)


def test_the_papers_tables_count_copies_as_items(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_paper")
    assert {row["player"] for row in rows} == PLAYERS
    for row in rows:
        own = f"player = '{row['player']}'"
        assert row["played"] == 35
        for column, where in COLUMNS.items():
            assert row[column] == pytest.approx(mean(catalog, f"{own} AND {where}")), column


@pytest.mark.slow
def test_dimensions_have_a_row_an_author_and_player(catalog: Catalog) -> None:
    rows = catalog.records("FROM a2rbench_dimensions")
    assert {(row["author"], row["dimension"], row["player"]) for row in rows} == {
        (author, dimension, player)
        for author in ("all", "catalogue")
        for dimension in ("1D", "3D")
        for player in PLAYERS
    }
    for row in rows:
        own = f"player = '{row['player']}' AND dimension = {row['dimension'][0]}"
        assert row["accuracy"] == pytest.approx(mean(catalog, f"{own} AND NOT is_remapped"))
        assert row["paper_accuracy"] == pytest.approx(mean(catalog, own))


def test_an_edition_without_models_that_write_has_no_costs(catalog: Catalog) -> None:
    assert catalog.records("FROM a2rbench_task_costs") == []


def test_an_answer_is_right_where_it_is_the_right_answer(catalog: Catalog) -> None:
    rows = catalog.records("SELECT success, answer, right_answer FROM episodes_wide")
    assert {row["success"] for row in rows} == {True, False}
    assert all(row["success"] == (row["answer"] == row["right_answer"]) for row in rows)
