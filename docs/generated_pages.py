"""A hook of the docs site: pages made from the code and from files of the repository, each written once."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from typer.main import get_command

from perennial.flows.cli.app import app
from perennial.flows.console.settings_options import GROUPS, OF_BENCHMARKS
from perennial.schemas.benchmark import benchmarks, find_declaration
from perennial.schemas.table_form import Column, Table
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.dictionary import describe_columns, draw_tables, question_of, question_views

_REPOSITORY = Path(__file__).resolve().parent.parent
_EXAMPLE = re.compile(r"\[(`[^`\]]+`)\]\(((?:mastermind|deploy)/[^)]+)\)")
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
    kind = {".py": "python", ".sql": "sql", ".toml": "toml", ".yaml": "yaml", ".sh": "bash"}.get(
        file.suffix, "text"
    )
    code = file.read_text(encoding="utf-8").rstrip().replace("\n", "\n    ")
    return f'??? example "{file.name}"\n\n    ```{kind}\n    {code}\n    ```'


def pages() -> dict[str, str]:
    """Return the text of each generated page by its path in the site."""
    copied = {path: _copy(_REPOSITORY / name) for path, name in _COPIED.items()}
    made = {"commands": command_reference(), "tables": table_reference(), "views": view_reference()}
    return copied | {f"reference/{name}.md": text for name, text in made.items()}


def command_reference() -> str:
    """Return the page of all commands as `--help` describes them, in the order of `perennial --help`."""
    program: Any = get_command(app)
    names = [name for words in GROUPS.values() for name in words]
    first = names.index(next(iter(GROUPS[OF_BENCHMARKS])))
    names[first:first] = [name for name in program.commands if name not in names]
    common = _read_options(program, "perennial")
    lines = ["# Commands", "", f"{_prose(program.help)} Every command takes:", "", *_option_table(common)]
    for name in names:
        lines += _command_lines(program.commands[name], name, set(common))
    return "\n".join(lines)


def _read_options(command: Any, path: str, benchmark: str = "") -> dict[str, str]:
    """What `--help-all` says of each option, by its names; some depend on the benchmark."""
    arguments = ["--help-all", "--benchmark", benchmark] if benchmark else []
    context = command.make_context(path, arguments, resilient_parsing=True)
    return dict(filter(None, (option.get_help_record(context) for option in context.command.params)))


def _command_lines(command: Any, path: str, common: set[str]) -> Iterator[str]:
    """A section: what the command does, its options and those of single benchmarks, an example."""
    heading = "#" * (1 + len(path.split()))
    example = (command.epilog or "").removeprefix("Example: ")
    yield from ("", f"{heading} {path}", "", _prose(command.help), "", f"    {example}", "")
    if parts := getattr(command, "commands", None):
        for name, part in parts.items():
            yield from _command_lines(part, f"{path} {name}", common)
        return
    chosen = benchmarks() if type(command).__name__ == "BenchmarkCommand" else ("",)
    rows = {name: _read_options(command, path, name) for name in chosen}
    shared = dict(set.intersection(*(set(values.items()) for values in rows.values())))
    first = next(iter(rows.values()))
    yield from _option_table(
        {names: text for names, text in first.items() if names in shared and names not in common}
    )
    for name, one in rows.items():
        if others := {names: text for names, text in one.items() if names not in shared}:
            yield from ("", f"With `--benchmark {name}`:", "", *_option_table(others))
            yield from ("", *_size_lines(name)) if path == "refresh" else ()


def _size_lines(benchmark: str) -> Iterator[str]:
    """What each size sets; `--help` says in words what comes of it."""
    for size, values in find_declaration(benchmark).settings().sizes.items():
        texts = {
            key: ",".join(map(str, value)) if isinstance(value, list) else value
            for key, value in values.items()
        }
        if sets := ", ".join(f"`{key} = {text}`" for key, text in texts.items() if text is not None):
            yield f"- `--size {size}` sets {sets}."


def _option_table(rows: Mapping[str, str]) -> Iterator[str]:
    yield from ("| option | meaning |", "| --- | --- |")
    yield from (f"| `{names}` | {_prose(text)} |" for names, text in rows.items())


def _prose(text: str) -> str:
    """Words of a help, without rich's escapes: no Markdown or HTML, but what stands in backticks is code."""
    parts = re.split(r"(`[^`]*`)", text.replace("\\[", "["))
    sign = re.compile(r"[\\*_|\[\]]")
    return "".join(
        part if part[:1] == "`" else sign.sub(r"\\\g<0>", escape(part, quote=False)) for part in parts
    )


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
