"""The tables of benchmarks' pages on their papers: the options and views that they name exist."""

import re
from dataclasses import dataclass
from functools import cache

import pytest
from typer.main import get_command

from perennial.flows.cli.app import app
from perennial.warehouse.catalog.dictionary import describe_relations
from tests.conftest import REPOSITORY

COLUMNS = ["number", "what", "ours", "command or view"]
# The numbered figures and tables of each paper, by the page of its benchmark.
NUMBERED = {
    "kumo": {"figure": range(1, 15), "table": range(1, 2)},
    "beyondbench": {"figure": range(1, 6), "table": range(1, 31)},
    "knowlogic": {"figure": range(1, 30), "table": range(1, 9)},
    "a2rbench": {"figure": range(1, 5), "table": range(1, 9)},
}
PAGES = {name: (REPOSITORY / f"docs/{name}.md").read_text("utf-8") for name in NUMBERED}


@dataclass(frozen=True)
class Item:
    """A row of a table, its cells as they are written."""

    number: str
    what: str
    ours: str
    command: str


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _items(page: str) -> list[Item]:
    chapter = page.split("\n## The paper's tables and figures\n", 1)[1].split("\n## ", 1)[0]
    header, _, *rows = (line for line in chapter.splitlines() if line.startswith("|"))
    assert _cells(header) == COLUMNS
    return [Item(*_cells(row)) for row in rows]


TABLES = {name: _items(page) for name, page in PAGES.items()}
ITEMS = [item for items in TABLES.values() for item in items]


def _spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def _options(command: str, benchmark: str) -> set[str]:
    """The options of a command, which can depend on the benchmark (`--benchmark NAME`, or nothing: KUMO)."""
    found = get_command(app)
    for word in command.split():
        found = found.commands[word]  # type: ignore[attr-defined]
    parameters = found.make_context("perennial", benchmark.split(), resilient_parsing=True).command.params
    return {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}


def _numbers_of(written: str, kind: str) -> set[int]:
    """The numbers of figures or tables that a cell names: `figures 3e and 6d`, `tables 8 to 12`."""
    numbers: set[int] = set()
    for named in re.findall(rf"\b{kind}s? ((?:\d+(?:[a-z](?:-[a-z])?)?(?:, | and | to )?)+)", written):
        numbers |= {int(number) for number in re.findall(r"\d+", named)}
        for first, last in re.findall(r"(\d+) to (\d+)", named):
            numbers |= set(range(int(first), int(last) + 1))
    return numbers


@pytest.mark.parametrize("paper", TABLES)
def test_each_numbered_figure_and_table_of_the_paper_has_its_row(paper: str) -> None:
    for kind, numbers in NUMBERED[paper].items():
        named = {number for item in TABLES[paper] for number in _numbers_of(item.number, kind)}
        assert named == set(numbers), kind


def test_each_row_says_what_is_done_and_what_differs() -> None:
    for item in ITEMS:
        assert item.number, item
        assert item.what, item
        assert re.fullmatch(r"same(; .+)?|(differs|absent): .+", item.ours), item
        assert not (item.ours.startswith("absent") and item.command), item
        # names only, so that none is overlooked
        assert item.command == ", ".join(f"`{span}`" for span in _spans(item.command)), item


@pytest.mark.parametrize("name", PAGES)
def test_each_command_option_and_view_of_a_table_exists(name: str) -> None:
    named = [span for item in TABLES[name] for span in _spans(item.command)]
    views = {span for span in named if re.fullmatch(r"\w+", span)} - set(get_command(app).commands)  # type: ignore[attr-defined]
    assert any(span.startswith("--") for span in named)
    assert views
    assert views <= set(describe_relations())
    for span in sorted({*named} - views):
        command = span.split("--")[0].strip() or "refresh"
        benchmark = f"--benchmark {name}" if command in ("refresh", "evaluate") else ""
        assert set(re.findall(r"--[\w-]+", span)) <= _options(command, benchmark), span


@pytest.mark.parametrize("name", PAGES)
def test_each_view_and_table_that_a_page_names_is_in_the_catalog(name: str) -> None:
    named = set(re.findall(rf"`({name}_\w+)(?:\.\w+)?`", PAGES[name]))
    assert named
    assert named <= set(describe_relations())
