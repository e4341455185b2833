"""What a table of the warehouse is made of: columns, a key, references to other tables."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow

Kind = Literal["questions", "answers", "either", "analysis", "root", "bundled"]
ColumnType = Literal["string", "int64", "float64", "bool", "timestamp", "list<string>", "list<int64>"]
DUCKDB_TYPES: dict[ColumnType, str] = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "list<string>": "VARCHAR[]",
    "list<int64>": "BIGINT[]",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its type, what it means, and what its values must keep to.

    `pattern` is a regular expression for the whole text, in syntax that Python and DuckDB share.
    `volatile` marks wall-clock values, which two runs of the same refresh need not share.
    """

    name: str
    type: ColumnType
    doc: str
    nullable: bool = False
    allowed: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """Each value of `column` occurs in `to_column` of `to_table` of the same edition."""

    column: str
    to_table: str
    to_column: str


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What agrees in `columns` with the `to_columns` of a private row of `to_table` tells of that row."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: a row's meaning, its columns, the key that orders it and makes a row unique.

    `discloses` says which rows tell of private ones without a reference to them.
    `extends` names a table with the same key: each of its rows has one row here, and no other row is here.
    `is_shared`: several batches may stage the same row, which is kept once; its key is one content id.
    `kind` says what publishes its rows: `questions` an edition, `answers` an evaluation, `either` of them,
    `analysis` (figures over the visible evaluations of an edition), or nothing but the `root`; `bundled` rows
    come with the program and are in no file. Files and readers see that as the columns `file_columns` before
    its own.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    references: tuple[Reference, ...] = field(default=())
    is_shared: bool = False
    kind: Kind = "questions"
    extends: str = ""
    discloses: tuple[Disclosure, ...] = ()

    @property
    def of_editions(self) -> bool:
        """Whether its rows belong to editions."""
        return self.kind not in ("root", "bundled")

    @property
    def of_evaluations(self) -> bool:
        """Whether its rows belong to evaluations, or may."""
        return self.kind in ("answers", "either")

    @property
    def unit_columns(self) -> tuple[Column, ...]:
        """The columns that say what published a row."""
        return (EDITION, EVALUATION)[: self.of_editions + self.of_evaluations]

    @property
    def file_columns(self) -> tuple[Column, ...]:
        """All columns of a published file: what published the row, and the table's own."""
        return (*self.unit_columns, *self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name; raise KeyError where there is none."""
        match = next((column for column in self.columns if column.name == name), None)
        if match is None:
            raise KeyError(name)
        return match

    def arrow_schema(self) -> "pyarrow.Schema":
        """Return the table's Arrow schema."""
        import pyarrow as pa

        types = {
            "string": pa.string(),
            "int64": pa.int64(),
            "float64": pa.float64(),
            "bool": pa.bool_(),
            "timestamp": pa.timestamp("us", tz="UTC"),
            "list<string>": pa.list_(pa.string()),
            "list<int64>": pa.list_(pa.int64()),
        }
        return pa.schema([pa.field(c.name, types[c.type], nullable=c.nullable) for c in self.columns])


EDITION = Column("edition", "string", "the edition")
EVALUATION = Column("evaluation", "string", "the evaluation's name, empty for what the edition itself holds")
CALL_ID = Column(
    "call_id", "string", "the model call that produced the row, NULL where no model did", nullable=True
)


def analyses_table(name: str, categories: tuple[str, ...], styles: tuple[str, ...] = ()) -> Table:
    """The table of what analysts say of answers, with a style of reasoning where they choose one."""
    style = Column("reasoning_style", "string", "how the player reasoned", allowed=styles)
    return Table(
        name,
        "what an analyst, a model, says of how an answer came about",
        (
            Column("episode_id", "string", "the episode"),
            Column("analyst", "string", "the model that says so"),
            Column("outcome_category", "string", "why the answer is as it is", allowed=categories),
            *((style,) if styles else ()),
            Column("justification", "string", "the analyst's reason"),
            Column("call_id", "string", "the analyst's call"),
        ),
        key=("episode_id", "analyst"),
        references=(
            Reference("episode_id", "episodes", "episode_id"),
            Reference("call_id", "calls", "call_id"),
        ),
        kind="answers",
    )
