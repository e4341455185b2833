"""The dictionary: what each table and view is, and what each of its columns means.

What a table's columns mean is in its schema. What a view's mean is in `columns.toml` beside its SQL: under
the view's name, or under [shared] for all views of that folder (in `warehouse/catalog`: of all folders).
A column without such an entry is one of a table or view that the SQL names, and means what it means there;
the entry `= table.column` says of which one, where there are several.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.statistics import Measure
from perennial.schemas.table_form import DUCKDB_TYPES
from perennial.schemas.tables import SHARED_TABLES, TABLES
from perennial.warehouse.catalog.confinement import quote, table_sql

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


# The SQL of the views, one per analyst's question, shared and of each benchmark, and of the macros.

SHARED = "perennial.warehouse.catalog"
# What benchmarks add to, by view: the SQL of the attribute of their declarations.
_JOINED = {"episode_answers": "answers", "paper_differences": "unlike_paper"}
_MOST_USED = (
    *("leaderboard", "domain_scores", "paired_comparisons", "episodes_wide", "transcripts", "losses"),
    *("token_use", "cost_frontier", "contamination_gaps", "edition_differences"),
)


def question_views() -> dict[str, str]:
    """The SQL of each view by name: those most used, the other shared ones, those of each benchmark."""
    views = {name: sql for package in view_packages() for name, sql in _views_of(package)}
    views = {name: views[name] for name in _MOST_USED} | views
    for name, attribute in _JOINED.items():
        added = (getattr(benchmark, attribute) for benchmark in benchmarks().values())
        views[name] = "\nUNION ALL\n".join((views[name], *filter(None, added)))
    return views


@cache
def macro_statements() -> tuple[str, ...]:
    """The statements that create the macros over any two columns and comment them, in order."""
    sql = (files(SHARED) / "macros.sql").read_text(encoding="utf-8")
    return tuple(part.strip() for part in sql.split("\n;\n") if part.strip())


@cache
def macro_names() -> frozenset[str]:
    """The names of all macros."""
    return frozenset(
        re.findall(r"^CREATE OR REPLACE MACRO (\w+)", "\n".join(macro_statements()), re.MULTILINE)
    )


def view_packages() -> tuple[str, ...]:
    """The packages that hold a folder of views, the shared one first."""
    return (SHARED, *(benchmark.sql for benchmark in benchmarks().values() if benchmark.sql))


def view_names(package: str) -> tuple[str, ...]:
    """The names of the views of one such package."""
    return tuple(name for name, _ in _views_of(package))


@cache
def _views_of(package: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in list_files(package, "views")
        if entry.name.endswith(".sql")
    )


def list_files(package: str, folder: str) -> "list[Traversable]":
    """The files of a package's folder, by name; none where it has no such folder."""
    directory = files(package) / folder
    return sorted(directory.iterdir(), key=lambda entry: entry.name) if directory.is_dir() else []


def question_of(sql: str) -> str:
    """The comment that opens a view's SQL: the question, and what it counts."""
    comment = re.match(r"(?:--.*\n)+", sql)
    return re.sub(r"^-- ?", "", comment[0], flags=re.MULTILINE).strip() if comment else ""


def words_of(sql: str) -> list[str]:
    """The words of the SQL in small letters, each once, without comments on lines of their own."""
    return list(dict.fromkeys(re.findall(r"\w+", without_comments(sql).lower())))


def without_comments(sql: str) -> str:
    """The SQL without comments on lines of their own."""
    return re.sub(r"^\s*--.*$", "", sql, flags=re.MULTILINE)


def in_order(names: Iterable[str], views: Mapping[str, str]) -> Iterator[str]:
    """Those of the names that are views, and what their SQL names, each once, what is needed first."""
    seen: set[str] = set()

    def follow(names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if name in views and name not in seen:
                # Before, as its SQL may have its own name as a word.
                seen.add(name)
                if name not in TABLES:
                    yield from follow(words_of(views[name]))
                yield name

    return follow(names)


class ColumnEntry(NamedTuple):
    """A column of a table or view: its name, DuckDB's type of it, and what it means."""

    column: str
    type: str
    description: str


def describe_relations() -> dict[str, str]:
    """What each view and table is, by name: views most used, the other shared ones, those of benchmarks."""
    texts = {table.name: f"A row is {table.row}." for table in TABLES.values()}
    texts |= {name: question_of(sql) for name, sql in question_views().items()}
    shared = (*_MOST_USED, *(table.name for table in SHARED_TABLES), *view_names(SHARED))
    return {name: texts[name] for name in shared} | texts


def draw_tables(name: str = "") -> str:
    """The tables with their keys and references as a Mermaid diagram; of one table with those beside it."""
    links = [(table.name, ref.to_table, ref.column) for table in TABLES.values() for ref in table.references]
    links += [(table.name, table.extends, "") for table in TABLES.values() if table.extends]
    links = [link for link in links if name in ("", *link[:2])]
    drawn = {name, *(end for link in links for end in link[:2])} if name else set(TABLES)
    lines = ["erDiagram"]
    for table in (TABLES[table] for table in TABLES if table in drawn):
        referring = {ref.column for ref in table.references}
        lines.append(f"    {table.name} {{")
        for column in table.columns:
            marks = ["PK"] * (column.name in table.key) + ["FK"] * (column.name in referring)
            if marks:
                lines.append(f"        {column.type} {column.name} {', '.join(marks)}")
        lines.append("    }")
    lines += [
        f"    {other} ||--o{{ {table} : {column}" if column else f"    {other} ||--|| {table} : extends"
        for table, other, column in links
    ]
    return "\n".join(lines)


def describe_columns(name: str) -> tuple[ColumnEntry, ...]:
    """The columns of the table or view in order; raise KeyError where one is not described."""
    if name in TABLES:
        columns = TABLES[name].file_columns
        return tuple(ColumnEntry(column.name, DUCKDB_TYPES[column.type], column.doc) for column in columns)
    return tuple(ColumnEntry(*column, column_doc(name, column[0])) for column in _view_columns()[name])


def column_doc(name: str, column: str) -> str:
    """What the column of the table or view means; raise KeyError where no entry says it."""
    if name in TABLES:
        return next(field.doc for field in TABLES[name].file_columns if field.name == column)
    package = next(package for package in view_packages() if name in view_names(package))
    entries, shared = _entries(package), _entries(SHARED)
    for section in (entries.get(name, {}), entries.get("shared", {}), shared.get("shared", {})):
        if column in section:
            text = section[column]
            return column_doc(*_place(text)) if text.startswith("= ") else text
    named = set(_docs_of_named(name, column))
    if len(named) != 1:
        raise KeyError(
            f"{package}/views/columns.toml: [{name}] lacks {column}, which may be: {sorted(named)}"
        )
    return named.pop()


def relations_with(column: str) -> list[str]:
    """The views, then the tables, with a column of that name; those of all benchmarks first."""
    shared = view_names(SHARED)
    views = [name for name, columns in _view_columns().items() if column in dict(columns)]
    tables = [name for name, table in TABLES.items() if column in {spec.name for spec in table.file_columns}]
    return [*sorted(views, key=lambda name: name not in shared), *tables]


def comment_statements(name: str, kind: str = "VIEW") -> Iterator[str]:
    """The COMMENT ON statements of the view or table of that name, whose columns they describe."""
    yield f'COMMENT ON {kind} "{name}" IS {quote(describe_relations()[name])}'
    for entry in describe_columns(name):
        yield f'COMMENT ON COLUMN "{name}"."{entry.column}" IS {quote(entry.description)}'


def _docs_of_named(view: str, column: str) -> Iterator[str]:
    """What the column means in each table and view that this view's SQL names."""
    for name in re.findall(r"\b(?:FROM|JOIN) (\w+)", without_comments(question_views()[view])):
        columns = TABLES[name].file_columns if name in TABLES else ()
        if column in {spec.name for spec in columns} | {name for name, _ in _view_columns().get(name, ())}:
            yield column_doc(name, column)


def _place(text: str) -> tuple[str, str]:
    table, column = text.removeprefix("= ").split(".")
    return table, column


@cache
def _entries(package: str) -> dict[str, dict[str, str]]:
    file = files(package) / "views" / "columns.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


@cache
def _view_columns() -> dict[str, tuple[tuple[str, str], ...]]:
    """Name and type of the columns of every view, by view, as DuckDB derives them from the tables'."""
    import duckdb

    views = question_views()
    with duckdb.connect(":memory:") as connection:
        for table in TABLES.values():
            connection.execute(f'CREATE VIEW "{table.name}" AS {table_sql(table, [])}')
        columns = {}
        for name in in_order(views, views):
            connection.execute(f'CREATE VIEW "{name}" AS {views[name]}')
            described = connection.execute(f'DESCRIBE "{name}"').fetchall()
            columns[name] = tuple((column, type_) for column, type_, *_ in described)
    return columns


# The leaderboard of an edition with the measures of its benchmark beside the success rate.


def leaderboard_sql(edition: str, measures: Iterable[Measure]) -> str:
    """The query: each measure adds its column, and the same with _low, _high and _no_interval."""
    listed = tuple(measures)
    columns = "".join(
        f",\n       {m.column}, {m.column}_low, {m.column}_high, {m.column}_no_interval" for m in listed
    )
    joins = "".join(_join(measure) for measure in listed)
    return (
        "-- Which player solves how much in each setting?\n"
        "SELECT setting, place, player_group, rank, player, answers,\n"
        "       instances, attempted, scored, not_asked, success_rate,\n"
        "       success_rate_low, success_rate_high, population,\n"
        "       common_instances, common_rate, common_rate_low, common_rate_high,\n"
        "       adjusted_rate, adjusted_rate_se, adjusted_rate_se_domains, ranked_by,\n"
        "       rank_low, rank_high, floor, floor_low, floor_high,\n"
        f"       above_floor, above_floor_low, above_floor_high{columns}\n"
        f"FROM leaderboard{joins}\n"
        f"WHERE edition = {quote(edition)}\n"
        "ORDER BY setting, place, player"
    )


def _join(measure: Measure) -> str:
    name = measure.column
    return (
        "\nLEFT JOIN (\n"
        f"    SELECT edition, setting, player, value AS {name}, low AS {name}_low, high AS {name}_high,\n"
        f"           no_interval AS {name}_no_interval\n"
        "    FROM statistics\n"
        f"    WHERE statistic = {quote(measure.statistic)} AND convention = {quote(measure.convention)}\n"
        "      AND domain = 'all' AND other = ''\n"
        ") USING (edition, setting, player)"
    )


# Saved questions: SQL that analysts run by name, the shared files first and then those of each benchmark.
#
# A file begins with the question as a comment; lines such as `-- $player = %` name its parameters and their
# defaults, numbers or patterns of LIKE, and a line `-- No row: ...` says what is so where it has no answer.

_PARAMETER = re.compile(r"^\$(\w+) = (.*)$", re.MULTILINE)
_NO_ROW = re.compile(r"^No row: (.*)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A saved question: its name, text, defaults of parameters and SQL, and why it may have no row."""

    name: str
    text: str
    defaults: Mapping[str, str]
    sql: str
    no_row: str = "nothing in the data root fits"

    def ask(self, values_asked: Mapping[str, str]) -> str:
        """The SQL with these values and the other defaults in place of its parameters."""
        values = {**self.defaults, **values_asked}
        return re.sub(r"\$(\w+)", lambda match: quote(values[match[1]]), self.sql)


@cache
def saved_questions() -> dict[str, SavedQuestion]:
    """All saved questions by name."""
    folders = (files(package) / "questions" for package in view_packages())
    texts = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    questions = (_read(entry.name, entry.read_text(encoding="utf-8")) for entry in texts)
    return {question.name: question for question in questions}


def _read(file: str, sql: str) -> SavedQuestion:
    comment = question_of(sql)
    text = " ".join(_NO_ROW.sub("", _PARAMETER.sub("", comment)).split())
    head = (file.removesuffix(".sql"), text, dict(_PARAMETER.findall(comment)), without_comments(sql).strip())
    return SavedQuestion(*head, *_NO_ROW.findall(comment))
