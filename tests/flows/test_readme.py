"""What the README says holds: its commands, its queries, its tables and views."""

import re
import shlex

import pytest
from typer.main import get_command

from flows.cli.app import app
from schemas.tables import TABLES
from tasks.kumo.players import PLAYERS
from tests.conftest import REPOSITORY
from tests.flows.conftest import Published
from warehouse.catalog.catalog import open_catalog, question_views
from warehouse.store.store import Store

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (perennial .+)$", README, re.MULTILINE)


def _first_column(heading: str) -> list[str]:
    table = README.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) >= 8
    assert "pip install -e . && perennial refresh" in README
    assert "pip install -e '.[test]' && pytest" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_parses(command: str) -> None:
    arguments = shlex.split(command)[1:]
    found = get_command(app)
    while hasattr(found, "commands") and arguments:
        found = found.commands[arguments.pop(0)]
    context = found.make_context("perennial", arguments, resilient_parsing=False)
    assert context.params


def test_every_query_of_the_readme_answers(published: Published) -> None:
    catalog = open_catalog(Store(str(published.root)))
    queries = [shlex.split(command)[2] for command in COMMANDS if command.startswith("perennial query")]
    assert len(queries) >= 4
    for sql in queries:
        _, rows = catalog.query(sql.replace("'hard'", "'easy'"))
        assert rows, sql


def test_tables_views_and_players_are_all_listed() -> None:
    assert _first_column("table") == list(TABLES)
    assert sorted(_first_column("view")) == sorted(question_views())
    assert _first_column("player") == list(PLAYERS)
    for table in TABLES.values():
        assert f"| `{table.name}` | {table.row} |" in README


def test_the_output_shown_has_the_form_of_todays(published: Published) -> None:
    shown = README.split("```text\n", 1)[1].split("```", 1)[0]

    def form(text: str) -> list[str]:
        kept = (line for line in text.splitlines() if re.match(r"[a-z]+ +\S", line))
        return [re.match(r"[a-z]+", line)[0] for line in kept]  # type: ignore[index]

    assert form(shown) == form(published.stdout)
