"""The report of a benchmark that adds nothing to it: a full page of its shared tables."""

from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from perennial.flows.benchmark import Benchmark
from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page, write_tables
from perennial.flows.kumo.benchmark import BENCHMARK as KUMO
from perennial.flows.kumo.implementation import Kumo
from perennial.flows.stages.compute_statistics import edition_statistics
from perennial.schemas import benchmark
from perennial.schemas.benchmark import Declaration
from perennial.schemas.errors import InvalidOption
from perennial.schemas.statistics import Measure
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.report.page import sections
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.report_root import publish_without_models
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

HINTS = Measure("hints", "any", "hints per episode", "hints are free", "Hints are the mean number of hints.")
# What KUMO does, without what it counts and shows.
SILENT = {name: getattr(Benchmark, name) for name in ("analysis", "report", "presentation", "summary")}
RIDDLES = Declaration("riddles", KUMO.settings, lambda: type("Riddles", (Kumo,), SILENT), measures=(HINTS,))
SETTINGS = ("long", "brief")
DOMAINS = ("rivers", "stones", "birds")
PLAYERS = ("sphinx", "parrot")


def _enter(declaration: Declaration) -> SimpleNamespace:
    """Return an entry point as far as the registry reads it."""
    return SimpleNamespace(name=declaration.name, load=lambda: declaration)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with an edition of the installed benchmark `riddles`, and one of KUMO, `plain`."""
    folder = tmp_path_factory.mktemp("riddles")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark, "entry_points", lambda group: [_enter(KUMO), _enter(RIDDLES)])
        _forget_benchmarks()
        publish_without_models(folder)
        _publish_riddles(folder)
        yield folder
    _forget_benchmarks()


def _forget_benchmarks() -> None:
    benchmark.benchmarks.cache_clear()
    vars(TABLES).pop("_known", None)


def _publish_riddles(root: Path) -> None:
    instances = [
        {
            "instance_id": f"r_{domain}_{setting}_{number}",
            "benchmark": "riddles",
            "domain": domain,
            "setting": setting,
            "seed": 3,
            "index": number,
            "content_hash": f"{domain}{setting}{number}",
            "cluster": f"{domain}{setting}{number}",
            "origin": f"{domain}{setting}{number}",
        }
        for domain, setting, number in product(DOMAINS, SETTINGS, range(4))
    ]
    parts = [
        tiny_edition.play(
            player,
            0,
            "solved" if player == "sphinx" or row["index"] % 2 else "wrong",
            (tiny_edition.MEASURED,),
            instance_id=row["instance_id"],
            tokens=10 + len(player) * row["index"],
        )
        for row, player in product(instances, PLAYERS)
    ]
    staged = dict.fromkeys(
        name for answers in (False, True) for name in staged_tables("riddles", answers=answers)
    )
    rows: dict[str, list[dict[str, Any]]] = {**tiny_edition.add(parts), "instances": instances}
    tables = {
        name: pa.Table.from_pylist(rows.get(name, []), schema=TABLES[name].arrow_schema()) for name in staged
    }
    hints = [
        {
            **tiny_edition.statistic("hints", 2.0 + place),
            "setting": setting,
            "player": player,
            "low": 1.5,
            "high": 4.5,
        }
        for setting, (place, player) in product(SETTINGS, enumerate(PLAYERS))
    ]
    statistics = [*edition_statistics("riddles", tables, 3, {}), *hints]
    tables["statistics"] = pa.Table.from_pylist(statistics, schema=TABLES["statistics"].arrow_schema())
    plan = tiny_edition.plan("r1", benchmark="riddles")
    publish(Store(str(root)), plan, tables, [], datetime(2026, 1, 9, tzinfo=UTC))


@pytest.mark.slow
def test_a_benchmark_without_own_sections_has_a_full_page(root: Path, tmp_path: Path) -> None:
    data = report_data(Store(str(root)))
    assert data.edition == "r1"
    assert dict(data.facts)["benchmark"] == "riddles"
    assert [value for name, value in data.facts if name in ("domains", "instances", "episodes")] == [
        "3",
        "24",
        "48",
    ]
    assert data.settings == ("brief", "long")
    drawn = {section.key: bool(section.drawings or section.grid) for section in sections(data)}
    assert drawn == {
        **dict.fromkeys(("headline", "success_rate", "domains", "player_pairs", "two_settings"), True),
        **dict.fromkeys(("success_and_cost", "statuses"), True),
        "other_benchmarks": False,
        "models": False,
        "scale": False,
        "contamination": False,
        "variance_parts": True,
        "cheaper_models": False,
    }
    page = unescape(write_page(data, tmp_path / "out").read_text(encoding="utf-8"))
    for shown in ("hints per episode", HINTS.doc, "2.000 [1.500,\xa04.500]", "0.500 [", "rivers", "parrot"):
        assert shown in page
    page = page.rpartition("<script>")[0]
    assert "kumo" not in page.lower()
    assert "action" not in page
    assert "truth" not in page


@pytest.mark.slow
def test_its_tables_are_what_the_shared_views_answer(root: Path, tmp_path: Path) -> None:
    store = Store(str(root))
    paths = write_tables(report_data(store), tmp_path / "out", "csv")
    assert [path.stem for path in paths] == [
        *("cheaper_models", "contamination", "cost_frontier", "domains", "headline", "models"),
        *("other_benchmarks", "paper_scores", "player_pairs", "scale", "smallest_changes", "statuses"),
        "variance_parts",
    ]
    headline = report_data(store).tables["headline"].records()
    rates = {(row["setting"], row["player"]): (row["success_rate"], row["hints"]) for row in headline}
    assert rates == {
        (setting, player): rate
        for setting in SETTINGS
        for player, rate in (("sphinx", (1.0, 2.0)), ("parrot", (0.5, 3.0)))
    }
    _, rows = open_catalog(store).query(
        "SELECT player, avg(success_rate) FROM domain_scores WHERE edition = 'r1' GROUP BY 1 ORDER BY 1"
    )
    assert rows == [("parrot", 0.5), ("sphinx", 1.0)]


def test_editions_of_two_benchmarks_are_not_compared(root: Path) -> None:
    with pytest.raises(InvalidOption, match="'plain' is an edition of kumo, but 'r1' of riddles"):
        report_data(Store(str(root)), "r1", "plain")


@pytest.mark.slow
def test_the_page_of_another_benchmark_beside_it_stays_its_own(root: Path) -> None:
    keys = [section.key for section in sections(report_data(Store(str(root)), "plain"))]
    assert keys[-3:] == ["draws", "communities", "topology"]
