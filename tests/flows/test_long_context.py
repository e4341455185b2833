"""A book among those of other domains: what models are shown, the gap to the book alone, and refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.tasks.kumo.report_books import book_versions
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import SETTINGS, make_edition
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

DOMAINS = ["chemical_analysis", "mammal_identification", "tree_identification"]
GROWN = {
    "domains": DOMAINS,
    "counterfactual": True,
    "settings": ["4x4"],
    "instances": 2,
    "runs": 1,
    "players": ["scripted", "hasty"],
    "books": ["among-3", "final", "among-2"],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e` of three domains and their counterfactuals, played with one, two and three books."""
    root = tmp_path_factory.mktemp("among")
    options = ServerOptions(roles="tests.kumo.hasty_player", models=("scripted", "hasty"))
    with running_server(options) as server:
        make_edition(root, "e", base_url=server.url, **GROWN)
    return root


@pytest.fixture(scope="module")
def shown(root: Path) -> dict[tuple[str, int], list[tuple[str, str]]]:
    """Return domain and id of each book in the first message, by instance and number of books."""
    texts = {
        text.strip("\n"): (domain, id_)
        for text, domain, id_ in query_rows(
            root, "SELECT text, domain, instance_id FROM kumo_books JOIN instances USING (instance_id)"
        )
    }
    messages = query_rows(
        root,
        "SELECT DISTINCT e.instance_id, e.version, m.content FROM episodes AS e "
        "JOIN turns AS t USING (edition, evaluation, episode_id) JOIN call_messages AS m USING (call_id) "
        "WHERE m.role = 'system' AND e.version IS NOT NULL",
    )
    found = {
        (id_, int(version.removeprefix("among-"))): [
            texts[text] for text in re.findall(r"^<BOOK>\n(.*?)\n</BOOK>$", content, re.DOTALL | re.MULTILINE)
        ]
        for id_, version, content in messages
    }
    assert len(found) == 2 * 12
    return found


def test_one_book_of_each_domain_is_shown_and_the_own_one_at_any_place(
    shown: dict[tuple[str, int], list[tuple[str, str]]],
) -> None:
    places: dict[int, set[int]] = {2: set(), 3: set()}
    for (id_, number), books in shown.items():
        subjects = {domain.removesuffix(" (counterfactual)") for domain, _ in books}
        assert len(books) == len(subjects) == number
        places[number].add([of for _, of in books].index(id_))
    assert places == {2: {0, 1}, 3: {0, 1, 2}}


def test_fewer_books_are_some_of_more(shown: dict[tuple[str, int], list[tuple[str, str]]]) -> None:
    assert all(set(books) < set(shown[id_, 3]) for (id_, number), books in shown.items() if number == 2)


def test_no_other_book_names_a_truth_of_the_instance(root: Path, shown: dict[tuple[str, int], Any]) -> None:
    truths = dict(query_rows(root, "SELECT instance_id, truths FROM kumo_instances"))
    for (id_, _), books in shown.items():
        others = [of for _, of in books if of != id_]
        assert not any(set(truths[id_]) & set(truths[of]) for of in others)


def test_the_gap_is_none_for_who_finds_the_book_and_large_for_who_reads_the_last(
    root: Path, shown: dict[tuple[str, int], list[tuple[str, str]]]
) -> None:
    columns = "player, books, instances, success_rate, success_rate_alone, gap, gap_low, gap_high, population"
    found = {
        (player, books): of
        for player, books, *of in query_rows(root, f"SELECT {columns} FROM long_context WHERE domain = 'all'")
    }
    assert set(found) == {(player, books) for player in ("scripted", "hasty") for books in (2, 3)}
    for (player, books), (n, rate, alone, gap, low, high, population) in found.items():
        assert (n, alone, gap, population) == (12, 1, pytest.approx(1 - rate), "new domains")
        assert low <= gap <= high
        last = sum(of[-1][1] == id_ for (id_, number), of in shown.items() if number == books)
        assert rate == 1 if player == "scripted" else last / 12 <= rate < 0.9
    tokens = "SELECT avg(prompt_tokens), avg(prompt_tokens_alone) FROM long_context WHERE books = 3"
    ((among, alone),) = query_rows(root, tokens)
    assert 2 < among / alone < 3


def test_rates_by_place_are_of_where_the_book_stood(
    root: Path, shown: dict[tuple[str, int], list[tuple[str, str]]]
) -> None:
    found = query_rows(
        root,
        "SELECT player, third, instances, success_rate, success_rate_low, success_rate_high "
        "FROM long_context_places WHERE books = 3",
    )
    places = [[of for _, of in books].index(id_) for (id_, number), books in shown.items() if number == 3]
    assert {(player, third): n for player, third, n, *_ in found} == {
        (player, place + 1): places.count(place) for player in ("scripted", "hasty") for place in range(3)
    }
    assert all(low <= rate <= high + 1e-9 for *_, rate, low, high in found)
    assert all(rate == 1 for player, third, _, rate, *_ in found if player == "scripted" or third == 3)


def test_the_report_lists_it_and_the_same_answers_are_read_again(root: Path, tmp_path: Path) -> None:
    section = book_versions(report_data(Store(str(root))))
    assert section.grid is not None
    assert {row[2] for row in section.grid.rows} == {"among-2", "among-3"}
    assert reproduce_unit(Store(str(root)), "e@1", tmp_path).same


def test_a_dry_run_counts_the_tokens_of_all_books(run: Run) -> None:
    asked = ("evaluate", "e", "--players", "m", "--books", "final,among-3", "--dry-run", "--json")
    rows = {row["stage"]: row for row in json.loads(run(*asked).out)["estimates"]}
    alone, among = rows["episodes"], rows["episodes, among-3 books"]
    assert among["calls_low"] == alone["calls_low"]
    assert 1.3 < among["prompt_tokens"] / alone["prompt_tokens"] < 3


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"books": ["among-4"]}, "shows books of 4 domains, and this edition has 3: give among-3 at most"),
        (
            {"books": ["among-2"], "protocol": "kumo-2025", "counterfactual": False, "release": "."},
            "has no words for several books",
        ),
        ({"books": ["among-51"]}, "expected some of final, first, second, template, among-2 to among-50"),
        ({"books": ["among-2"], "domains": DOMAINS[:1]}, "this edition has 1: leave it out"),
    ],
)
def test_what_cannot_be_shown_is_one_line(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    given = {**SETTINGS, **GROWN, "players": ["m"], "root": str(tmp_path), **asked}
    with pytest.raises(InvalidOption, match=said):
        prepare_refresh(load_settings(given), Store(str(tmp_path)), needs_key=False)


def test_an_edition_that_got_fewer_domains_than_planned_is_refused(root: Path) -> None:
    settings = load_settings({"edition": "e", "root": str(root), "players": ["m"], "books": ["among-4"]})
    with pytest.raises(InvalidOption, match="this edition has 3: give among-3 at most"):
        prepare_evaluation(settings, Store(str(root)), needs_key=False)
