"""The shared pages show the report's sections, of the players that are chosen."""

from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.stages.compute_statistics import renew_scale
from perennial.tasks.report.page import sections
from perennial.warehouse.store.store import Store
from tests.flows.report_root import MODEL, publish_two
from tests.web.drawn_charts import charts_of
from tests.web.visiting import errors_of, visit

pytestmark = pytest.mark.slow

PAGES = {
    "leaderboard": ["success_rate"],
    "domains": ["domains"],
    "pairs": ["player_pairs"],
    "drift": ["edition_comparison", "edition_link"],
    "scale": ["scale"],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("headed") / "data"
    publish_two(root)
    renew_scale(Store(str(root)))
    return root


def test_headings_are_those_of_the_report(root: Path) -> None:
    titles = {one.key: one.title for one in sections(report_data(Store(str(root)), "new", "old"))}
    for page, keys in PAGES.items():
        shown = visit(root, page, edition="new")
        assert errors_of(shown) == []
        found = [header.value.replace("\\", "") for header in shown.header]
        assert found[: len(keys)] == [titles[key] for key in keys]
        assert charts_of(shown)


def test_drawings_have_the_chosen_kinds_of_players_alone(root: Path) -> None:
    for page, more in (("domains", {}), ("leaderboard", {}), ("figures", {"figure": "success_and_cost"})):
        everybody, models = (
            [
                {row["player"] for row in chart.tables["rows"]}
                for chart in charts_of(visit(root, page, edition="new", setting="easy", **more, **kinds))
            ]
            for kinds in ({}, {"kinds": "models"})
        )
        assert MODEL in models[0]
        assert "algorithm-3" not in models[0]
        assert ("algorithm-3" in everybody[0]) == (page != "figures")
