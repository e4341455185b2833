"""What SQL may do in a catalog: one statement that reads, and no file but those that the catalog names.

DuckDB itself opens no other file, loads no extension and changes no setting. It would still let SQL write to
the files that it may read, even in the middle of a SELECT (`WITH x AS (COPY ... TO ...)`): so the statement's
syntax tree, as DuckDB parses it, is checked as well.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import QueryFailed
from perennial.schemas.table_form import DUCKDB_TYPES, Table
from perennial.schemas.units import evaluation_of, is_evaluation, split_unit

if TYPE_CHECKING:
    import duckdb


Setting = str | int | bool
READING = "SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW, SUMMARIZE or EXPLAIN"
# DuckDB reads the proxy from the environment, its password included, and SQL could read it from there.
_HARMLESS: Mapping[str, Setting] = {
    "http_proxy": "",
    "http_proxy_username": "",
    "http_proxy_password": "",
    "enable_progress_bar": False,
    "python_enable_replacements": False,
    "python_scan_all_frames": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
# The queries in DuckDB's syntax tree that read. Others write, such as INSERT_QUERY_NODE and COPY_QUERY_NODE.
_READING_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "RECURSIVE_CTE_NODE"}
# Table functions that neither open a file, nor run SQL that is a value, nor change anything.
_TABLE_FUNCTIONS = {
    *("range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree", "query_table"),
    *("histogram", "histogram_values", "pragma_table_info", "pragma_version", "test_all_types"),
    *("duckdb_columns", "duckdb_functions", "duckdb_tables", "duckdb_types", "duckdb_views"),
}
_WRITING_FUNCTIONS = {"nextval", "setval", "write_log"}


def confine(
    connection: "duckdb.DuckDBPyConnection", files: Iterable[str], settings: Mapping[str, Setting]
) -> None:
    """Let the connection read these files and no others from now on, and lock its settings, these among them.

    Raises what DuckDB raises for a setting that it refuses.
    """
    for name, value in {**_HARMLESS, **settings}.items():
        connection.execute(f"SET {name} = {_literal(value)}")
    connection.execute(f"SET allowed_paths = [{quote_all(files)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def check_statement(connection: "duckdb.DuckDBPyConnection", sql: str) -> str:
    """The SQL as it may be run; raise QueryFailed for anything but one statement that reads.

    Raises what DuckDB raises where the SQL cannot be parsed.
    """
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise QueryFailed(
            f"the SQL is not UTF-8 text (at character {error.start + 1}): give it in UTF-8, with a locale "
            "such as LC_ALL=C.UTF-8"
        ) from None
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        count = f"{len(statements)} statements" if statements else "no statement"
        raise QueryFailed(f"the query holds {count}: expected one, that begins with {READING}")
    (statement,) = statements
    kind = statement.type.name
    if kind not in ("SELECT", "EXPLAIN"):
        remedy = "; a PIVOT needs its values: PIVOT ... ON column IN (...)" if kind == "MULTI" else ""
        raise QueryFailed(f"a query only reads: this is {kind}, expected one of {READING}{remedy}")
    explain, select = _without_explain(statement.query) if kind == "EXPLAIN" else ("", statement.query)
    for refused in _writing_parts(_syntax_tree(connection, select)):
        raise QueryFailed(f"a query only reads what is published: {refused} is not allowed")
    return explain + _without_semicolon(select)


def _without_semicolon(sql: str) -> str:
    """Remove the semicolon that ends the statement, and comments after it."""
    import duckdb

    text = sql.encode()
    for start, kind in duckdb.tokenize(sql):
        if kind == duckdb.token_type.operator and text[start : start + 1] == b";":
            return text[:start].decode()
    return sql


def _without_explain(sql: str) -> tuple[str, str]:
    """The EXPLAIN of the SQL, with its ANALYZE, and what it explains.

    An EXPLAIN with options is left as it is, and so refused: what it explains does not begin at a token that
    is known here.
    """
    import duckdb

    text = sql.encode()
    starts = [start for start, kind in duckdb.tokenize(sql) if kind != duckdb.token_type.comment]
    words = [text[start:end].split() for start, end in zip(starts, [*starts[1:], None], strict=True)]
    length = 2 if len(words) > 1 and words[1][0].upper() == b"ANALYZE" else 1
    explain = "EXPLAIN ANALYZE " if length == 2 else "EXPLAIN "
    return explain, text[starts[length] :].decode() if len(starts) > length else ""


def _syntax_tree(connection: "duckdb.DuckDBPyConnection", select: str) -> Any:
    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [select]).fetchall()[0]
    try:
        tree = json.loads(text)
    except RecursionError:
        raise QueryFailed("the query is nested too deeply: split it into several") from None
    if tree["error"]:
        raise QueryFailed(f"a query only reads: expected one of {READING} ({tree['error_message']})")
    return tree["statements"]


def without_order(connection: "duckdb.DuckDBPyConnection", sql: str) -> str:
    """SQL of the same rows in any order: to count them none needs to be sorted."""
    if sql.startswith("EXPLAIN"):
        return sql
    statements = _syntax_tree(connection, sql)
    node = statements[0]["node"]
    kinds = {modifier["type"] for modifier in node["modifiers"]}
    if "ORDER_MODIFIER" not in kinds or kinds & {"LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER"}:
        return sql
    node["modifiers"] = [part for part in node["modifiers"] if part["type"] != "ORDER_MODIFIER"]
    tree = json.dumps({"error": False, "statements": statements})
    return str(connection.execute("SELECT json_deserialize_sql(?::VARCHAR)", [tree]).fetchall()[0][0])


def _writing_parts(tree: Any) -> Iterator[str]:
    """In words each part of the tree that may do more than read the catalog's tables."""
    rest = [tree]
    while rest:
        part = rest.pop()
        if isinstance(part, list):
            rest.extend(part)
        elif isinstance(part, dict):
            rest.extend(part.values())
            kind = part.get("type")
            if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _READING_NODES:
                yield kind.removesuffix("_NODE").removesuffix("_QUERY")
            if kind == "TABLE_FUNCTION":
                name = str(part["function"]["function_name"]).lower()
                if name not in _TABLE_FUNCTIONS:
                    yield f"the table function {name}"
            if str(part.get("function_name")).lower() in _WRITING_FUNCTIONS:
                yield f"the function {part['function_name']}"


def quote(text: str) -> str:
    """Quote the text as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quote_all(texts: Iterable[str]) -> str:
    """The texts as SQL literals with commas between, for IN."""
    return ", ".join(map(quote, texts))


def _literal(value: Setting) -> str:
    return quote(value) if isinstance(value, str) else str(value).lower()


# The names of published files, relative to the data root.

PART = "part-0"  # what an edition itself publishes; evaluations have names of their own
FORMAT = 12  # of data roots; raised when tables change so that other versions would err


def table_file(table: str, unit: str) -> str:
    """The name of the table's file of that edition or evaluation, relative to the data root."""
    edition, name = split_unit(unit)
    return f"tables/{table}/edition={edition}/{name or PART}.parquet"


def row_file(unit: str) -> str:
    """The name of the file whose presence publishes the edition or evaluation."""
    return table_file("evaluations" if is_evaluation(unit) else "editions", unit)


def unit_of(file: str) -> str:
    """The edition or evaluation whose table's file this is."""
    _, _, folder, part = file.split("/")
    edition, name = folder.removeprefix("edition="), part.removesuffix(".parquet")
    return edition if name == PART else evaluation_of(edition, name)


# The SQL of a table: the rows of its files, of any version, with all of its columns.


def table_sql(table: Table, places: Sequence[str]) -> str:
    """The SQL of the rows that these files hold of the table; of none where there is no file."""
    columns = [(column.name, DUCKDB_TYPES[column.type]) for column in table.file_columns]
    nothing = "SELECT " + ", ".join(f'NULL::{type_} AS "{name}"' for name, type_ in columns) + " WHERE false"
    if not places:
        return nothing
    listed = ", ".join(quote(path) for path in places)
    return f"{nothing} UNION ALL BY NAME SELECT * FROM read_parquet([{listed}], hive_partitioning = false)"
