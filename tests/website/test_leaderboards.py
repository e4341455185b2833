"""The leaderboards of a website: large editions hide behind no small one, programs are lines, no trials."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perennial.flows.website.boards import RateBounds, describe_rows, find_bounds, make_chart
from perennial.flows.website.build import build_site
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.plan import RefreshPlan
from perennial.schemas.statistics import Floor
from perennial.tasks.website.names import player_file
from perennial.warehouse.store.store import Store
from tests.flows import report_root
from tests.warehouse import tiny_edition
from tests.website.folders import read_folder

pytestmark = pytest.mark.slow

OLD_MODEL, NEW_MODEL = "vendor/old-model", "vendor/new-model"


def publish(root: Path, edition: str, instances: int, day: int, models: tuple[str, ...]) -> None:
    """Publish an edition of six times so many questions, played by programs and by these models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_root, "INSTANCES", instances)
        patch.setattr(report_root, "RUNS", 1)
        players = ("algorithm-3", "guesser", *models)
        report_root._publish(root, edition, players, datetime(2026, 1, day, tzinfo=UTC), shift=day)


def mark_trial(plan: RefreshPlan) -> RefreshPlan:
    """Return the plan as one of `perennial try`."""
    return replace(plan, growth=replace(plan.growth, is_trial=True))


def publish_trial(root: Path, edition: str, day: int) -> None:
    """Publish an edition as `perennial try` does."""
    usual = tiny_edition.plan
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_edition, "plan", lambda name: mark_trial(usual(name)))
        publish(root, edition, 1, day, (NEW_MODEL,))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of a large edition, a newer small one and a trial."""
    folder = tmp_path_factory.mktemp("leaderboards")
    publish(folder / "data", "large", 17, 2, (OLD_MODEL,))
    publish(folder / "data", "tiny", 1, 3, (OLD_MODEL, NEW_MODEL))
    publish_trial(folder / "data", "trial", 4)
    build_site(Store(str(folder / "data")), folder / "site")
    files = read_folder(folder / "site")
    return {name: content.decode() for name, content in files.items() if not name.endswith(".parquet")}


def rows_of(page: str) -> Iterator[tuple[str, str]]:
    """Yield the first line of text of each row of a page's tables, and the row."""
    for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL):
        yield re.sub(r"<[^>]*>", " ", row).split()[0], row


@pytest.mark.parametrize("page", ["index.html", "benchmarks/kumo.html"])
def test_a_newer_edition_of_few_questions_hides_no_result_on_many(built: dict[str, str], page: str) -> None:
    rows = dict(rows_of(built[page].partition("sortable")[2]))
    assert "editions/large.html" in rows[OLD_MODEL]
    assert 'data-value="102"' in rows[OLD_MODEL]
    # A model without a result on many is named as well, below those that have one.
    assert "editions/tiny.html" in rows[NEW_MODEL]
    assert built[page].index("on fewer than 100 questions") > built[page].index(rows[OLD_MODEL])
    assert built[page].index("on fewer than 100 questions") < built[page].index(rows[NEW_MODEL])


def test_programs_are_lines_below_models_and_have_no_page(built: dict[str, str]) -> None:
    assert "not compared: the only model of its edition" in built["index.html"]
    home = built["index.html"].partition("sortable")[2]
    body, _, foot = home.partition("<tfoot>")
    for program in ("algorithm-3", "guesser"):
        assert program not in body
        assert player_file(program) not in built
    assert "floor: guesser" in foot
    assert not [name for name, page in built.items() if "players/algorithm" in page]
    edition = built["editions/large.html"]
    assert edition.index(OLD_MODEL) < edition.index("<tfoot>") < edition.index("algorithm-3")


def test_a_model_shows_its_results_in_all_editions(built: dict[str, str]) -> None:
    page = built[player_file(OLD_MODEL)]
    assert "editions/large.html" in page
    assert "editions/tiny.html" in page
    lost = page.partition("Why it lost")[2]
    assert "editions/large.html" in lost.partition("</h3>")[0]


def test_an_edition_of_try_is_left_out_unless_it_is_named(built: dict[str, str], tmp_path: Path) -> None:
    assert not [name for name, text in built.items() if "trial" in name or "trial" in text]
    store = Store(str(tmp_path / "data"))
    publish_trial(tmp_path / "data", "trial", 4)
    with pytest.raises(UnreadableInput, match=r"is a trial.* name it with `--trial trial`"):
        build_site(store, tmp_path / "site")
    with pytest.raises(InvalidOption, match="--trial other: no edition of that name"):
        build_site(store, tmp_path / "site", trials=["other"])
    assert build_site(store, tmp_path / "site", trials=["trial"]).editions == 1
    assert "editions/trial.html" in read_folder(tmp_path / "site")


@pytest.mark.parametrize(
    ("rates", "is_drawn"),
    [
        ({"m": {"a": 0.5, "b": 0.6}}, True),
        ({"m": {"a": 0.5}, "n": {"b": 0.6}}, False),
        ({"m": {"a": 0.5, "b": 0.5}, "n": {"a": 1.0, "b": 1.0}}, False),
        ({"program": {"a": 0.5, "b": 0.6}}, False),
    ],
)
def test_a_chart_needs_a_model_that_changed(rates: dict[str, dict[str, float]], is_drawn: bool) -> None:
    days = [("a", "2026-01-01"), ("b", "2026-01-02")]
    points = {
        player: {edition: (rate, None, None) for edition, rate in by.items()} for player, by in rates.items()
    }
    assert (make_chart("title", days, points, ["m", "n"], None) is not None) == is_drawn


def test_the_rate_of_the_heuristic_is_a_line_of_its_own_beside_the_floor() -> None:
    floor = Floor("guesser", "unread", "It guesses.", heuristic="rule")
    rows = [
        {
            "setting": "hard",
            "player": player,
            "floor": 0.1,
            "success_rate": rate,
            "population": "these domains",
        }
        for player, rate in (("m", 0.5), ("rule", 0.3), ("guesser", 0.1))
    ]
    assert find_bounds(rows, "m", floor) == {"hard": RateBounds(0.1, 0.3, 0.5)}
    assert "The dotted line is rule" in describe_rows(rows, floor)
    assert "The dotted line" not in describe_rows(rows[:1], floor)
    rates = {row["player"]: {"a": (row["success_rate"], None, None)} for row in rows}
    rates["m"]["b"] = (0.6, None, None)
    chart = make_chart("title", [("a", "2026-01-01"), ("b", "2026-01-02")], rates, ["m"], floor)
    assert chart is not None
    assert [(kind, line.name) for kind, line in chart.programs.items()] == [
        ("floor", "guesser"),
        ("heuristic", "rule"),
    ]
