"""Views over a year of editions: no view joins all answers of an edition with all of its questions."""

from collections.abc import Iterator

import duckdb
import pytest

from perennial.warehouse.catalog.dictionary import question_views, saved_questions
from tests.warehouse.view_plans import read_plan, wide_joins, write_tables


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    contents = write_tables(tmp_path_factory.mktemp("plans"))
    with duckdb.connect() as connection:
        for statement in contents.script().split("\n;\n"):
            connection.execute(statement)
        yield connection


@pytest.mark.slow
def test_no_view_of_one_edition_is_joined_by_the_edition_alone(connection: duckdb.DuckDBPyConnection) -> None:
    found = {}
    for view in question_views():
        columns = {name for name, *_ in connection.execute(f'DESCRIBE "{view}"').fetchall()}
        if "edition" not in columns:
            continue
        filters = [
            "edition = 'two'",
            *(["edition = 'two' AND player = '00007'"] if "player" in columns else []),
        ]
        for chosen in filters:
            joins = list(wide_joins(read_plan(connection, f'FROM "{view}" WHERE {chosen}')))
            if joins:
                found[view, chosen] = joins
    assert found == {}


@pytest.mark.slow
def test_no_saved_question_about_one_edition_is_joined_by_the_edition_alone(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    asked = {
        name: question.ask({"edition": "two"})
        for name, question in saved_questions().items()
        if "edition" in question.defaults
    }
    assert asked
    found = {name: list(wide_joins(read_plan(connection, sql))) for name, sql in asked.items()}
    assert {name: joins for name, joins in found.items() if joins} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("join", "is_wide"), [("JOIN", True), ("LEFT JOIN", False)], ids=["inner", "left"])
def test_such_a_join_is_found_where_sql_leaves_the_order_open(
    connection: duckdb.DuckDBPyConnection, join: str, is_wide: bool
) -> None:
    sql = f"""SELECT a.answer, i.answer FROM a2rbench_answers AS a
        JOIN episodes AS e USING (edition, evaluation, episode_id)
        {join} a2rbench_items AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
        WHERE a.edition = 'two'"""
    assert bool(list(wide_joins(read_plan(connection, sql)))) == is_wide
