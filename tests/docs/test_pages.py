"""The docs site: its generated reference and its navigation; links of the README; files for contributors."""

import re
from functools import cache
from runpy import run_path

import pytest
import yaml

from perennial.schemas.benchmark import benchmarks, find_declaration
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.dictionary import describe_columns, question_views
from tests.conftest import REPOSITORY
from tests.flows.test_command_line import LEAVES

DOCS = REPOSITORY / "docs"


HOOK = run_path(str(DOCS / "generated_pages.py"))
pages = cache(lambda: dict(HOOK["pages"]()))
WRITTEN = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in DOCS.rglob("*.md")}


def _sections(page: str) -> dict[str, str]:
    return {part.split("\n", 1)[0]: part for part in pages()[page].split("\n## ")[1:]}


def test_the_reference_names_every_table_and_column() -> None:
    sections = _sections("reference/tables.md")
    assert list(sections) == list(TABLES)
    for table in TABLES.values():
        assert f"A row is {table.row}." in sections[table.name]
        shown = re.findall(r"^\| `(\w+)` \| (\S+) \| (.*?) \|", sections[table.name], re.MULTILINE)
        assert shown == [(column.name, column.type, column.doc) for column in table.columns]


def test_the_reference_names_every_view_with_its_question() -> None:
    sections = _sections("reference/views.md")
    assert list(sections) == list(question_views())
    for name, sql in question_views().items():
        assert sql.splitlines()[0].removeprefix("-- ") in sections[name]
        assert "?" in sections[name].split('??? note "SQL"')[0], "a view opens with a question"
        shown = re.findall(r"^\| `(\w+)` \| (\S.*?) \| (.*?) \|$", sections[name], re.MULTILINE)
        assert shown == list(describe_columns(name))


def test_the_reference_names_every_command_with_all_its_options() -> None:
    page = pages()["reference/commands.md"]
    _, *parts = re.split(r"\n#{2,3} ([a-z0-9 -]+)\n", page)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    for command, parser in LEAVES.items():
        path = command.removeprefix("perennial ")
        rows = re.findall(r"^\| `(.+?)` \|", page.split("\n## ")[0] + sections[path], re.MULTILINE)
        for benchmark in benchmarks():
            arguments = ["--benchmark", benchmark, "--help-all"]
            for option in parser.make_context(path, arguments, resilient_parsing=True).command.params:
                is_option = option.param_type_name == "option"
                for name in option.opts if is_option else [option.metavar or option.name]:
                    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ".join(rows)), (path, name)


def test_a_help_says_a_default_once_and_in_words() -> None:
    page = pages()["reference/commands.md"]
    assert re.findall(r".*Default:.*\[default.*", page) == []
    assert re.findall(r"^\| `--[\w-]+ / --no-.*Default: (?!yes\.).*", page, re.MULTILINE) == []


@pytest.mark.parametrize("name", benchmarks())
def test_the_reference_says_what_each_size_sets(name: str) -> None:
    page = pages()["reference/commands.md"].split("\n## refresh\n")[1].split("\n## ")[0]
    section = page.split(f"\nWith `--benchmark {name}`:\n")[1].split("\nWith ")[0]
    for size, values in find_declaration(name).settings().sizes.items():
        shown = re.findall(rf"^- `--size {size}` sets (.*)\.$", section, re.MULTILINE)
        written = {
            key: ",".join(map(str, of)) if isinstance(of, list) else str(of)
            for key, of in values.items()
            if of is not None
        }
        assert dict(re.findall(r"`(\w+) = (.+?)`", "".join(shown))) == written


def test_the_navigation_has_every_page() -> None:
    text = (REPOSITORY / "mkdocs.yml").read_text("utf-8")
    named = re.findall(r"[\w/-]+\.md", text)
    assert sorted(named) == sorted({*WRITTEN, *pages()})


@pytest.mark.parametrize(
    ("page", "folder", "least"), [("write_a_benchmark", "mastermind", 8), ("operate", "deploy", 5)]
)
def test_the_site_shows_the_files_that_a_page_links_to(page: str, folder: str, least: int) -> None:
    text = WRITTEN[f"{page}.md"]
    files = [DOCS / name for name in re.findall(rf"\]\(({folder}/[^)]+)\)", text)]
    assert len(files) >= least
    shown = HOOK["show_files"](text, DOCS)
    assert f"]({folder}/" not in shown
    for file in files:
        assert file.read_text("utf-8").rstrip().replace("\n", "\n    ") in shown


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/write_a_benchmark.md"])
def test_links_of_the_repository_lead_somewhere(name: str) -> None:
    page = REPOSITORY / name
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
    assert [one for one in targets if "://" not in one and not (page.parent / one).exists()] == []


def test_contributor_files_are_well_formed() -> None:
    forms = sorted((REPOSITORY / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) >= 2
    for form in (yaml.safe_load(path.read_text("utf-8")) for path in forms if path.name != "config.yml"):
        assert {"name", "description", "body"} <= set(form)
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert len(ids) == len(set(ids))
    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text("utf-8"))
    assert {hook["language"] for repo in hooks["repos"] for hook in repo["hooks"]} == {"system"}
