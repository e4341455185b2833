"""One instance, several books: what a writer's edition keeps, and players on two books of one instance."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.schemas.errors import InvalidOption, LimitReached
from perennial.schemas.kumo.settings import KumoSettings
from perennial.tasks.kumo.report_books import book_versions
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

FAULTS = {"writer.missing_rule": 0.4, "writer.wrong_name": 0.3, "reviser.never_right": 0.3}
GROWN = {
    "settings": ["4x4"],
    "sampler": "kumo-2025",
    "instances": 10,
    "writer": "scripted",
    "book_rounds": 2,
    "players": ["scripted", "algorithm-3"],
}
LEADERBOARD = "FROM kumo_leaderboard WHERE edition = 'e' ORDER BY ALL"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(ServerOptions(seed=17, faults=FAULTS)) as running:
        yield running


@pytest.fixture(scope="module")
def grown(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e`, whose books a model wrote, played with its final books."""
    root = tmp_path_factory.mktemp("grown")
    make_edition(root, "e", base_url=server.url, **GROWN)
    return root


@pytest.fixture(scope="module")
def played(grown: Path, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, and the model played its first drafts and the template's books too."""
    root = Path(shutil.copytree(grown, tmp_path_factory.mktemp("played") / "root"))
    make_evaluation(root, "e", players=["scripted"], books=["template", "first"], base_url=server.url)
    return root


def test_the_templates_book_stands_beside_each_that_a_model_wrote(grown: Path) -> None:
    books: dict[str, dict[str, tuple[Any, ...]]] = defaultdict(dict)
    columns = "instance_id, version, author, verdict, checked_by, revision, is_replacement"
    for id_, version, *of in query_rows(grown, f"SELECT {columns} FROM kumo_books WHERE version <> 'draft'"):
        assert version not in books[id_]
        books[id_][version] = tuple(of)
    assert len(books) == 10
    kinds = set()
    for versions in books.values():
        author, verdict, _, revision, is_replacement = versions["final"]
        assert verdict == "passed"
        kinds.add((author, revision > 0))
        assert ("template" in versions) is (author == "scripted") is not is_replacement
        assert ("first" in versions) is (author == "scripted" and revision > 0)
        if author == "scripted":
            assert versions["template"] == ("template", "passed", "symbolic", revision + 1, False)
    assert kinds == {("scripted", False), ("scripted", True), ("template", True)}
    ((read,),) = query_rows(
        grown,
        "SELECT observed FROM audits WHERE starts_with(expectation, 'the reader solves each instance from')",
    )
    by_template = sum(
        "template" in versions or versions["final"][0] == "template" for versions in books.values()
    )
    assert by_template == 10
    assert read == "10 books, read by their grammar"


def test_an_episode_was_shown_the_book_that_its_version_names(played: Path) -> None:
    shown = query_rows(
        played,
        "SELECT coalesce(e.version, 'final'), b.version, e.player, count(*), count(DISTINCT e.episode_id) "
        "FROM episodes AS e JOIN kumo_episodes USING (episode_id) JOIN kumo_books AS b USING (book_id) "
        "GROUP BY ALL",
    )
    books = dict(query_rows(played, "SELECT version, count(*) FROM kumo_books GROUP BY ALL"))
    runs = {("scripted", version): 2 * books[version] for version in ("final", "first", "template")}
    assert {(player, said): n for said, _, player, n, _ in shown} == runs | {("algorithm-3", "final"): 10}
    assert all(said == version and n == ids for said, version, _, n, ids in shown)
    # A model is asked with the very text of the book.
    texts = query_rows(
        played,
        "SELECT count(*), count(*) FILTER (contains(m.content, trim(b.text, chr(10)))) "
        "FROM kumo_lineage AS l JOIN kumo_books AS b ON b.book_id = l.book_id "
        "JOIN call_messages AS m ON m.call_id = l.call_ids[1] "
        "WHERE l.version IS NOT NULL AND l.book_version = l.version AND m.role = 'system'",
    )
    assert texts == [(runs["scripted", "first"] + runs["scripted", "template"],) * 2]


@pytest.mark.parametrize(
    "view",
    ["kumo_leaderboard", "domain_scores", "statuses", "token_use", "item_analysis", "instance_difficulty"],
)
def test_figures_are_of_the_final_books_alone(grown: Path, played: Path, view: str) -> None:
    sql = f"SELECT * FROM {view} WHERE edition = 'e' ORDER BY ALL"
    assert query_rows(played, sql) == query_rows(grown, sql) != []


def test_gain_is_paired_by_instance_and_player(played: Path) -> None:
    rates: dict[str, dict[str | None, float]] = defaultdict(dict)
    means = (
        "SELECT instance_id, version, avg(success::INT) FROM episodes WHERE player = 'scripted' GROUP BY ALL"
    )
    for instance, version, rate in query_rows(played, means):
        rates[instance][version] = rate
    revised = [of for of in rates.values() if "first" in of]
    gain = mean(of[None] - of["first"] for of in revised)
    assert gain > 0
    counts = "domain, setting, player, books, revised, instances"
    rates_shown = "success_first, success_revised, gain, domain_gain"
    (row,) = query_rows(played, f"SELECT {counts}, {rates_shown} FROM revisions_gain")
    first, usual = (mean(of[version] for of in revised) for version in ("first", None))
    n = len(revised)
    assert row[:6] == ("Chemical Analysis", "4x4", "scripted", 10, n, n)
    assert row[6:] == pytest.approx((first, usual, gain, gain * n / 10))
    ((low, high),) = query_rows(played, "SELECT gain_low, gain_high FROM revisions_gain")
    assert low <= gain <= high
    assert low < high
    # As if only these drafts had been exchanged in the domain.
    whole = mean(of[None] for of in rates.values()) - mean(of.get("first", of[None]) for of in rates.values())
    assert row[-1] == pytest.approx(whole)
    ((n_template, difference),) = query_rows(
        played,
        "SELECT instances, difference FROM version_comparisons WHERE version = 'template' AND domain = 'all'",
    )
    beside = [of for of in rates.values() if "template" in of]
    assert (n_template, difference) == (
        len(beside),
        pytest.approx(mean(of[None] - of["template"] for of in beside)),
    )


def test_no_gain_is_shown_where_one_book_was_played(grown: Path) -> None:
    assert query_rows(grown, "FROM revisions_gain") == query_rows(grown, "FROM version_comparisons") == []


def test_the_answers_to_two_books_are_reproduced(played: Path, tmp_path: Path) -> None:
    assert reproduce_unit(Store(str(played)), "e@2", tmp_path).same


def test_an_interrupted_evaluation_of_two_books_resumes(
    grown: Path, played: Path, server: RunningServer, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(grown, tmp_path / "root"))
    settings = {"players": ["scripted"], "books": ["first", "template"], "base_url": server.url}
    with pytest.raises(LimitReached):
        make_evaluation(root, "e", max_calls=60, **settings)
    assert make_evaluation(root, "e", **settings) == "e@2"
    answers = "SELECT * EXCLUDE (seconds) FROM episodes ORDER BY ALL"
    assert query_rows(root, answers) == query_rows(played, answers)


def test_runs_are_numbered_by_the_book(played: Path, server: RunningServer, tmp_path: Path) -> None:
    root = Path(shutil.copytree(played, tmp_path / "root"))
    make_evaluation(root, "e", players=["scripted"], books=["first"], runs=1, base_url=server.url)
    found = query_rows(
        root,
        "SELECT version, list(DISTINCT run ORDER BY run) FROM episodes WHERE player = 'scripted' "
        "GROUP BY ALL",
    )
    assert dict(found) == {None: [0, 1], "template": [0, 1], "first": [0, 1, 2]}


def test_a_dry_run_counts_the_books_that_there_are(grown: Path, give: Run) -> None:
    asked = ("evaluate", "e", "--root", grown, "--runs=3", "--dry-run", "--json", "--players=m,symbolic:m")
    usual = json.loads(give(*asked).out)["estimates"]
    printed = give(*asked, "--books", "template,final,first")
    document = json.loads(printed.out)
    assert document["plan"]["versions"] == ["usual", "first", "template"]
    estimates = {(row["stage"], row["model"]): row["calls_low"] for row in document["estimates"]}
    books = dict(query_rows(grown, "SELECT version, count(*) FROM kumo_books GROUP BY ALL"))
    whole = estimates["episodes", "m"]
    assert [whole] * 2 == [row["calls_low"] for row in usual]
    assert estimates == {
        ("episodes", "m"): whole,
        ("episodes", "symbolic:m"): whole,
        **{
            (f"episodes, {version} books", "m"): pytest.approx(whole * books[version] / 10, abs=1)
            for version in ("first", "template")
        },
    }


def test_books_that_nobody_can_be_shown_are_refused_before_any_work(
    grown: Path, tmp_path: Path, give: Run
) -> None:
    dry = ("evaluate", "e", "--root", grown, "--dry-run")
    assert (
        "player 'algorithm-3' plays only the usual version"
        in give(*dry, "--books", "first", "--players", "algorithm-3").err
    )
    other = give(*dry, "--books", "other").err
    assert "--books 'other': expected some of final, first, second, template" in other
    assert "no second writer wrote books of this edition" in give(*dry, "--books", "second").err
    assert (
        "player 'symbolic:m' plays only" in give(*dry, "--books", "template", "--players", "symbolic:m").err
    )
    with pytest.raises(InvalidOption, match="no template books beside final ones, as no model wrote them"):
        make_edition(tmp_path, "plain", books=["final", "template"])
    assert not (tmp_path / "staging").exists()
    assert KumoSettings(books="first,final").books == ["final", "first"]


def test_the_report_shows_the_gain(played: Path) -> None:
    ((gain,),) = query_rows(
        played,
        "SELECT printf('%.3f', difference) FROM version_comparisons "
        "WHERE version = 'first' AND domain = 'all'",
    )
    section = book_versions(report_data(Store(str(played)), "e"))
    assert section.grid is not None
    assert any(f"{gain} [" in cell for row in section.grid.rows for cell in row)
