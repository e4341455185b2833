"""What a report is made of: figures with their queries, the queried tables, drawings, sections of a page."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

from perennial.schemas.statistics import GROUPS, LINES, Floor, Measure, claimed_names
from perennial.tasks.report.wording import clean, decimals, with_interval

Record = dict[str, Any]
_WHOSE = ("player", "other_player")


@dataclass(frozen=True, slots=True)
class Query:
    """SQL over one edition, `$edition` in the text, that opens with the question it answers as a comment."""

    name: str
    sql: str


def query_view(view: str, question: str, *, name: str = "", where: str = "", order: str = "") -> Query:
    """What a view has of the edition; `where` and `order` narrow and sort it."""
    conditions = f"edition = $edition AND {where}" if where else "edition = $edition"
    sorting = f"ORDER BY {order}\n" if order else ""
    sql = f"\n-- {question}\nSELECT * EXCLUDE (edition)\nFROM {view}\nWHERE {conditions}\n{sorting}"
    return Query(name or view, sql)


@dataclass(frozen=True, slots=True)
class ReportTable:
    """The rows behind a figure, in order, and the SQL that gave them (`sql` as it was run).

    `computed` says in a sentence what was done to the query's rows; empty: these are its rows.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sql: str
    computed: str = ""

    @property
    def question(self) -> str:
        """The question with which the SQL opens, and what explains it; "" where it opens with none."""
        lines = takewhile(lambda line: line.startswith("--"), self.sql.splitlines())
        return " ".join(line.removeprefix("--").strip() for line in lines)

    def without(self, players: Collection[str]) -> "ReportTable":
        """The table without the rows of these players."""
        whose = [column for column, name in enumerate(self.columns) if name in _WHOSE]
        kept = tuple(row for row in self.rows if not any(row[column] in players for column in whose))
        return replace(self, rows=kept)

    def of_setting(self, setting: str) -> "ReportTable":
        """The table without the rows of other settings."""
        if "setting" not in self.columns:
            return self
        column = self.columns.index("setting")
        return replace(self, rows=tuple(row for row in self.rows if row[column] == setting))

    def records(self) -> list[Record]:
        """The rows as dictionaries by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class EditionComparison:
    """Tables of another edition, which the report's edition is compared with.

    `answers` are its answers by pattern, `own_answers` those of the report's edition. `anchors` are the
    players that are the same in both.
    """

    edition: str
    headline: ReportTable
    domains: ReportTable
    answers: ReportTable
    own_answers: ReportTable
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """All that the page of an edition shows: `tables` by name, `settings` in the order of the page.

    `measures` are shown beside the success rate; `additions` are the benchmark's, `drawing_data` is what it
    computed for its drawings. `explorer` is the URL of a `perennial web`, for links to its pages; `data_docs`
    that of the audit's Data Docs. `floor` is what an answer without the work is worth.
    """

    edition: str
    facts: tuple[tuple[str, str], ...]
    settings: tuple[str, ...]
    tables: dict[str, ReportTable]
    measures: tuple[Measure, ...] = ()
    additions: "Report" = field(default_factory=lambda: Report())
    drawing_data: Any = None
    comparison: EditionComparison | None = None
    explorer: str = ""
    data_docs: str = ""
    floor: Floor | None = None

    def players(self) -> list[str]:
        """The players, models first, and of each group the best of the first setting first."""
        rows = self.tables["headline"].records()
        ordered = (row for setting in self.settings for row in rows if row["setting"] == setting)
        return list(dict.fromkeys(row["player"] for row in self.group_rows(ordered)))

    def group_rows(self, rows: Iterable[Record]) -> list[Record]:
        """Sort rows of players by their groups on leaderboards, models first; within a group all stay."""
        groups = self._groups
        return sorted(rows, key=lambda row: GROUPS.index(groups.get(row["player"], GROUPS[-1])))

    def sort_by_setting(self, rows: Iterable[Record]) -> list[Record]:
        """The rows in the order of the settings on the page, without those of other settings."""
        listed = [row for row in rows if row["setting"] in self.settings]
        return sorted(listed, key=lambda row: self.settings.index(row["setting"]))

    def is_program(self, player: str) -> bool:
        """Whether the player is a line of reference and no participant."""
        return self._groups.get(player) in LINES

    @property
    def _groups(self) -> dict[str, str]:
        rows = self.tables["headline"].records()
        return {row["player"]: row["player_group"] for row in rows if row["player_group"] in GROUPS}

    @property
    def claimed(self) -> dict[str, str]:
        """How the page names the players whose answers a log claims."""
        tables = [self.tables["headline"], *([self.comparison.headline] if self.comparison else [])]
        named = claimed_names(row for table in tables for row in table.records())
        return {clean(player): clean(name) for player, name in named.items()}

    def without(self, players: Collection[str]) -> "ReportData":
        """The data without the rows of these players."""
        return replace(self, tables={name: table.without(players) for name, table in self.tables.items()})

    def without_rows(self) -> "ReportData":
        """The data with empty tables."""
        return replace(self, tables={name: replace(table, rows=()) for name, table in self.tables.items()})

    def of_setting(self, setting: str) -> "ReportData":
        """The data of one setting."""
        tables = {name: table.of_setting(setting) for name, table in self.tables.items()}
        return replace(self, settings=(setting,), tables=tables)

    def by_difficulty(self, name: str) -> "ReportData":
        """The data without the benchmark's figures by other classes of difficulty, and their tables."""
        parts = (self.additions.after_rates, self.additions.at_end)
        after_rates, at_end = (
            tuple(figure for figure in part if figure.difficulty in ("", name)) for part in parts
        )
        additions = replace(self.additions, after_rates=after_rates, at_end=at_end)
        unused = queries_of(self.additions.figures).keys() - queries_of(additions.figures).keys()
        tables = {table: rows for table, rows in self.tables.items() if table not in unused}
        return replace(self, tables=tables, additions=additions)

    def known_rows(self, table: str, column: str) -> list[Record]:
        """The table's rows where this column is known."""
        return [row for row in self.tables[table].records() if row[column] is not None]


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart whose data are the rows `rows`: as Vega-Lite, and compiled to Vega."""

    lite: Mapping[str, Any]

    @cached_property
    def vega(self) -> Mapping[str, Any]:
        """The chart as Vega has it.

        It is compiled here and not by the report's page, so that a fault in a chart ends the report.
        """
        from vl_convert import vegalite_to_vega

        spec: dict[str, Any] = vegalite_to_vega(dict(self.lite))
        del spec["$schema"]
        return spec


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart, the rows that are its data `rows`, the heading above it, and what screen readers call it.

    A wide one has a row of the page for itself; it is at least `least_width` CSS pixels wide, and scrolls
    in its place where the page is narrower. `players` are the fields of the rows that hold players.
    """

    heading: str
    title: str
    source: Chart
    rows: tuple[Record, ...]
    is_wide: bool = False
    least_width: int = 0
    players: tuple[str, ...] = ("player", "first")

    @property
    def chart(self) -> Mapping[str, Any]:
        """The Vega specification."""
        return {**self.source.vega, "description": self.title}


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to read on the page: headings, cells as text, and which columns hold numbers.

    `groups` are headings above so many columns each, in order. `best` and `second` are places (row, column)
    that are bold and underlined. Columns with a heading of `players` hold players, and so do the headings
    from `first_player` on.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    groups: tuple[tuple[str, int], ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    second: frozenset[tuple[int, int]] = frozenset()
    players: tuple[str, ...] = ("player",)
    first_player: int | None = None

    def mark_of(self, row: int, column: int) -> str:
        """How the cell is marked: `best`, `second`, or not."""
        return "best" if (row, column) in self.best else "second" if (row, column) in self.second else ""


@dataclass(frozen=True, slots=True)
class Section:
    """One figure or table of the page, with the tables behind it.

    `missing` says in one sentence why nothing is drawn; it is empty where something is.
    """

    key: str
    title: str
    caption: str
    tables: tuple[ReportTable, ...]
    drawings: tuple[Drawing, ...] = ()
    grid: Grid | None = None
    missing: str = ""

    def rename(self, names: Mapping[str, str]) -> "Section":
        """The section with other names of players; other texts stay, though they equal a player's name."""
        if not names:
            return self

        def change(value: Any) -> Any:
            # Pairs of players are two lines, lists of them one.
            for between in ("\n", ", "):
                if isinstance(value, str) and value not in names:
                    value = between.join(names.get(part, part) for part in value.split(between))
            return names.get(value, value) if isinstance(value, str) else value

        def change_scale(part: dict[str, Any]) -> dict[str, Any]:
            # A scale's domain alone holds names: a player may be called as a field is.
            domain = part.get("domain")
            return part | {"domain": [*map(change, domain)]} if isinstance(domain, list) else part

        def change_drawing(drawing: Drawing) -> Drawing:
            rows = tuple(
                {key: change(value) if key in drawing.players else value for key, value in row.items()}
                for row in drawing.rows
            )
            if "series" not in drawing.players:  # Scales with names are those of series.
                return replace(drawing, rows=rows)
            lite = json.loads(json.dumps(drawing.source.lite), object_hook=change_scale)
            return replace(drawing, rows=rows, source=Chart(lite))

        grid = self.grid
        if grid is not None:
            first = len(grid.headings) if grid.first_player is None else grid.first_player
            rows = (
                tuple(
                    change(cell) if heading in grid.players else cell
                    for heading, cell in zip(grid.headings, row, strict=True)
                )
                for row in grid.rows
            )
            headings = (*grid.headings[:first], *map(change, grid.headings[first:]))
            grid = replace(grid, headings=headings, rows=tuple(rows))
        return replace(self, drawings=tuple(map(change_drawing, self.drawings)), grid=grid)


@dataclass(frozen=True, slots=True)
class Extras:
    """What a benchmark computes from its queries: more tables, and whatever its drawings need beside them."""

    tables: tuple[ReportTable, ...] = ()
    drawing_data: Any = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a section shows: caption, drawings, a grid, and names of tables beside those of its figure."""

    caption: str
    drawings: Iterable[Drawing] = ()
    grid: Grid | None = None
    tables: tuple[str, ...] = ()


ShowRows = Callable[[ReportData, list[Record]], Content | str]
UNANALYSED = "The edition's statistics lack these figures: the command perennial analyse computes them."


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the report and of the explorer: called with the data, it returns its section.

    `key` and `title` are those of the section. `queries` are what it is drawn of, beside the headline and,
    where it `is_computed`, what `Report.compute` returns. `show` gets the data and the rows of `table`; it
    may return a sentence that says why nothing is drawn, as `missing` does where there are no rows.
    `difficulty` names the classes of questions that it goes by, where the benchmark has several kinds.
    """

    key: str
    title: str
    queries: tuple[Query, ...]
    table: str
    show: ShowRows
    is_computed: bool = False
    difficulty: str = ""
    missing: str = ""

    def __call__(self, data: ReportData) -> Section:
        """The section, with all tables behind it; players whose answers a log claims are named so."""
        rows = data.tables[self.table].records()
        result = self.show(data, rows) if rows or not self.missing else self.missing
        missing, content = (result, Content("")) if isinstance(result, str) else ("", result)
        computed = (self.key,) * self.is_computed
        names = (self.table, *(query.name for query in self.queries), *computed, *content.tables)
        # What the paper prints is a query that hand-made data may lack.
        tables = tuple(data.tables[name] for name in dict.fromkeys(names) if name in data.tables)
        drawings = tuple(content.drawings)
        section = Section(self.key, self.title, content.caption, tables, drawings, content.grid, missing)
        return section.rename(data.claimed)


def figure(
    title: str,
    *queries: Query,
    key: str = "",
    table: str = "",
    missing: str = UNANALYSED,
    difficulty: str = "",
    is_computed: bool = False,
) -> Callable[[ShowRows], Figure]:
    """A decorator that makes a figure of the function that shows its rows.

    They are those of `table`, else of the first query, else of what is computed under its key; the key is
    the first query's name. With an empty `missing` the function is called where there are no rows, too.
    """

    def declare(show: ShowRows) -> Figure:
        first = queries[0].name if queries else key
        return Figure(key or first, title, queries, table or first, show, is_computed, difficulty, missing)

    return declare


def table_figure(key: str, title: str, caption: str, query: Query) -> Figure:
    """The figure that is the query's rows, to be read as a table."""
    return figure(title, query, key=key, missing="")(lambda _data, _rows: Content(caption))


def grid_figure(
    title: str,
    query: Query,
    caption: Callable[[list[Record]], str],
    columns: Mapping[str, str],
    *,
    texts: int,
    missing: str,
    key: str = "",
) -> Figure:
    """The figure that is a grid of columns of the query, by heading, the first `texts` without numbers."""

    @figure(title, query, key=key, missing=missing)
    def show(_data: ReportData, rows: list[Record]) -> Content:
        cells = {heading: partial(show_cell, name=name) for heading, name in columns.items()}
        return Content(caption(rows), grid=make_grid(rows, cells, texts))

    return show


def show_cell(row: Record, name: str) -> str:
    """What the row has in a column, as text: a number with its interval where the row has one."""
    value = row[name]
    if f"{name}_low" in row:
        return with_interval(value, row[f"{name}_low"], row[f"{name}_high"])
    if isinstance(value, str):
        return clean(value)
    return f"{value:,}" if isinstance(value, int) else decimals(value)


def make_grid(rows: Iterable[Record], columns: Mapping[str, Callable[[Record], str]], texts: int) -> Grid:
    """A grid of a line per row: cells by heading, the first `texts` without numbers."""
    lines = tuple(tuple(cell(row) for cell in columns.values()) for row in rows)
    return Grid(tuple(columns), lines, frozenset(range(texts, len(columns))))


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark adds to the report of an edition, and to its pages of the explorer.

    Figures `after_rates` follow the success rates, those `at_end` all shared figures. `sources` are read by
    `compute` alone, which gets the tables of all queries and the edition's seed. `order` is the query whose
    rows list the settings as the page does; without one they stand by name. Figures `explored` are tables of
    the explorer, which the report does not have.
    """

    after_rates: tuple[Figure, ...] = ()
    at_end: tuple[Figure, ...] = ()
    sources: tuple[Query, ...] = ()
    compute: Callable[[Mapping[str, ReportTable], int], Extras] | None = None
    order: Query | None = None
    explored: tuple[Figure, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Its figures in the order of the page."""
        return (*self.after_rates, *self.at_end)

    @property
    def difficulties(self) -> list[str]:
        """The kinds of classes that its figures go by; none where there is only one."""
        return sorted({figure.difficulty for figure in self.figures} - {""})


def queries_of(figures: Iterable[Figure]) -> dict[str, Query]:
    """The queries that these figures are drawn of, each once, by name."""
    return {query.name: query for figure in figures for query in figure.queries}
