"""A hook of the docs site: pages made from the code and from files of the repository, each written once."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perennial.schemas.table_form import Column, Table
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.dictionary import describe_columns, draw_tables, question_of, question_views

_REPOSITORY = Path(__file__).resolve().parent.parent
_EXAMPLE = re.compile(r"\[(`[^`\]]+`)\]\((mastermind/[^)]+)\)")
_COPIED = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to the site's files."""
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_of: Any) -> str:
    """Show on the site, below a paragraph that links to a file of an example, what the file holds."""
    return show_files(markdown, _REPOSITORY / "docs")


def show_files(text: str, folder: Path) -> str:
    """Return the page with the files that it links to as blocks of code, and the links as plain names."""
    shown = []
    for paragraph in text.split("\n\n"):
        files = [folder / name for _, name in _EXAMPLE.findall(paragraph)]
        shown.append(_EXAMPLE.sub(r"\1", paragraph))
        shown += [_block(file) for file in files]
    return "\n\n".join(shown)


def _block(file: Path) -> str:
    kind = {".py": "python", ".sql": "sql", ".toml": "toml"}.get(file.suffix, "text")
    code = file.read_text(encoding="utf-8").rstrip().replace("\n", "\n    ")
    return f'??? example "{file.name}"\n\n    ```{kind}\n    {code}\n    ```'


def pages() -> dict[str, str]:
    """Return the text of each generated page by its path in the site."""
    copied = {path: _copy(_REPOSITORY / name) for path, name in _COPIED.items()}
    return {**copied, "reference/tables.md": table_reference(), "reference/views.md": view_reference()}


def table_reference() -> str:
    """Return the page of all tables: what a row is, the key, and each column with what its values keep to."""
    head = f"# Tables\n\n```mermaid\n{draw_tables()}\n```"
    return "\n".join([head, *(line for table in TABLES.values() for line in _table_lines(table))])


def view_reference() -> str:
    """Return the page of all views, those most used first: the question of each, its columns, and its SQL."""
    lines = ["# Views"]
    for name, sql in question_views().items():
        lines += [
            "",
            f"## {name}",
            "",
            question_of(sql),
            "",
            "| column | type | meaning |",
            "| --- | --- | --- |",
        ]
        lines += [f"| `{one.column}` | {one.type} | {one.description} |" for one in describe_columns(name)]
        lines += ["", '??? note "SQL"', "", "    ```sql"]
        lines += [f"    {line}" for line in sql.rstrip().splitlines()] + ["    ```"]
    return "\n".join(lines)


def _table_lines(table: Table) -> Iterator[str]:
    yield f"\n## {table.name}\n\nA row is {table.row}. Key: {', '.join(f'`{name}`' for name in table.key)}.\n"
    yield "| column | type | meaning | values |\n| --- | --- | --- | --- |"
    refers = {one.column: f"in `{one.to_table}.{one.to_column}`" for one in table.references}
    for column in table.columns:
        values = "; ".join(filter(None, [*_values(column), refers.get(column.name, "")]))
        yield f"| `{column.name}` | {column.type} | {column.doc} | {values} |"


def _values(column: Column) -> Iterator[str]:
    if column.allowed:
        yield ", ".join(f"`{value}`" for value in column.allowed)
    if column.minimum is not None:
        yield f"at least {column.minimum:g}"
    if column.maximum is not None:
        yield f"at most {column.maximum:g}"
    if column.nullable:
        yield "may be NULL"


def _copy(path: Path) -> str:
    """Return a file of the repository with links that work in the site; others become plain text."""

    def link(found: re.Match[str]) -> str:
        text, target = found[1], found[2]
        copied = {name: page for page, name in _COPIED.items()}
        if target.startswith("docs/"):
            return f"[{text.removeprefix('docs/')}]({target.removeprefix('docs/')})"
        if target in copied:
            return f"[{text}]({copied[target]})"
        return found[0] if "://" in target or target.startswith("#") else text

    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, path.read_text(encoding="utf-8"))
