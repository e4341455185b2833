"""What README and docs say holds: their commands and queries, the players, the output shown."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.main import get_command

from perennial.flows.cli.app import app
from perennial.tasks.kumo.players import PLAYERS
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.conftest import Published

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
DOCS = {path.name: path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "docs").glob("*.md"))}
COMMANDS = [
    command
    for text in (README, *DOCS.values(), (REPOSITORY / "docs/deploy/monthly.sh").read_text("utf-8"))
    for command in re.findall(r"^    (perennial .+)$", text, re.MULTILINE)
]
# The edition is KUMO's, without models, authors and revisions, and has too few players for correlations.
NEEDS_MORE = re.compile(
    r"(FROM|JOIN) (beyondbench|knowlogic|a2rbench|counterfactual|analyst_agreement|configurer_gaps|"
    r"paper_scores|long_context|reliability_scores|non_inferiority|smallest_changes|variance_parts|left_out_settings|"
    r"correlations|profile_correlations|revisions_|authoring_costs|book_judgements|version_preferences)"
)


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) >= 30
    assert len(README.splitlines()) <= 150
    assert "pip install -e '.[figures]' && perennial refresh" in README
    assert "pip install -e '.[test]' && pytest" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_readme_and_docs_parses(command: str) -> None:
    arguments = shlex.split(command, comments=True)[1:]
    found = get_command(app)
    while hasattr(found, "commands") and arguments:
        found = found.commands[arguments.pop(0)]
    context = found.make_context("perennial", arguments, resilient_parsing=False)
    assert context.params


def test_every_query_of_readme_and_docs_answers(published: Published) -> None:
    catalog = open_catalog(Store(str(published.root)))
    queries = {shlex.split(command)[2] for command in COMMANDS if command.startswith("perennial query")}
    assert len(queries) >= 8
    for sql in queries:
        _, rows = catalog.query(sql.replace("'hard'", "'easy'"))
        assert rows or NEEDS_MORE.search(sql), sql


def test_the_python_of_the_docs_runs_on_a_published_root(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = DOCS["querying.md"] + DOCS["share.md"].split("\n## Practice questions\n")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", pages, re.DOTALL | re.MULTILINE)
    (tmp_path / "warehouse").mkdir()
    (tmp_path / "warehouse/data").symlink_to(published.root)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    script = open_catalog(Store(str(published.root))).contents.script()
    (tmp_path / "perennial.sql").write_text(script, encoding="utf-8")
    ran = []
    for block in blocks:
        library = re.match(r"(?:import|from) (\w+)", block)
        assert library
        if find_spec(library[1]):
            exec(block, {})
            ran.append(library[1])
            shown = {"datasets": "Dataset(", "perennial": "status='unparsed'"}.get(library[1], "algorithm-3")
            assert shown in capsys.readouterr().out
    assert {"pandas", "duckdb", "perennial"} <= set(ran)


def test_all_players_are_listed() -> None:
    players = DOCS["kumo.md"].split("| player |", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"^\| `([\w-]+)` \|", players, re.MULTILINE) == list(PLAYERS)


def test_the_output_shown_has_the_form_of_todays(published: Published) -> None:
    shown = DOCS["evaluations.md"].split("```text\n", 1)[1].split("```", 1)[0]

    def form(text: str) -> list[str]:
        kept = (line for line in text.splitlines() if re.match(r"growing |[a-z]+  +\S", line))
        return [re.match(r"[a-z]+", line)[0] for line in kept]  # type: ignore[index]

    # The published edition names its domains, so that it has no worlds; what is compiled already has no line.
    assert form(shown).count("worlds") == 1
    printed = [word for word in form(published.stdout) if word != "start"]
    assert [word for word in form(shown) if word not in ("worlds", "start")] == printed
