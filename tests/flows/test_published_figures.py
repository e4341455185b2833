"""The authors' release, imported, gives their published figures back (specs and paper, figure 3)."""

import json
import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import duckdb
import pytest

from perennial.flows.kumo import analysis
from perennial.flows.kumo.release import release_rows
from perennial.flows.kumo.release.import_command import kumo as import_kumo
from perennial.tasks.kumo.search.solve import TIMED_OUT
from perennial.tasks.kumo.statistics import topology_figures
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run

pytestmark = pytest.mark.slow

MAIN_DOMAINS = ("ChemicalEnv", "EducationEnv", "FantasyEnv", "MedicalEnv", "MusicEnv")


@pytest.fixture(scope="module")
def imported(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole release: no figure needs a search of its instances, other processes or hard topology."""
    root = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setattr(release_rows, "solve_exactly", lambda grids, is_balanced: [TIMED_OUT] * len(grids))
        patch.setattr(os, "cpu_count", lambda: 1)
        easy = lambda cells, seed: topology_figures(cells, seed) if cells.setting == "easy" else ()  # noqa: E731
        patch.setattr(analysis, "topology_figures", easy)
        import_kumo(release, root=str(root))
    assert re.search(r"published in [\d.]+ s: .*\b67 kumo_domains", printed.getvalue())
    return root


@pytest.fixture(scope="module")
def catalog(imported: Path) -> Catalog:
    return open_catalog(Store(str(imported)))


def test_figure_3_comes_back(catalog: Catalog, release: Path) -> None:
    published = json.loads((release / "figure3.json").read_text())
    ours = {
        (statistic, domain, player): value
        for statistic, domain, player, value in catalog.query(
            "SELECT statistic, domain, player, value FROM statistics WHERE setting = 'easy' "
            "AND (statistic = 'success_rate' OR convention = 'kumo-2025')"
        )[1]
    }
    compared = [
        abs(ours[statistic, domain, player] - value)
        for statistic in ("success_rate", "relative_action_count")
        for domain, row in published[statistic].items()
        for player, value in row.items()
        if player != "qwq-32b" and (statistic, domain, player) in ours
    ]
    assert len(compared) > 400
    assert sum(gap <= 0.0055 for gap in compared) / len(compared) >= 0.95


def test_mean_optimal_counts_come_back(catalog: Catalog) -> None:
    rows = catalog.query(
        "SELECT setting, round(avg(optimal_tests + 2), 3) FROM kumo_instances "
        "JOIN instances USING (edition, instance_id) "
        f"WHERE domain IN {MAIN_DOMAINS} GROUP BY 1 ORDER BY 1"
    )[1]
    assert rows == [("easy", 3.924), ("hard", 6.692)]


def test_hard_means_come_back(catalog: Catalog) -> None:
    rates = dict(catalog.query("SELECT player, success_rate FROM leaderboard WHERE setting = 'hard'")[1])
    published = {"o1-mini": 0.630, "deepseek-r1": 0.611, "deepseek-v3": 0.550}
    assert {player: round(rates[player], 3) for player in published} == pytest.approx(published, abs=0.0011)


def test_easy_means_are_those_of_the_table_of_runs(catalog: Catalog, release: Path) -> None:
    table = release / "trajectories.parquet"
    plain = dict(
        duckdb.sql(
            "SELECT model, avg(solved) FROM (SELECT model, domain, seed, avg(success::INT) AS solved "
            f"FROM read_parquet('{table}') WHERE agent = 'VanillaAgent' AND n_truths = 4 "
            "AND model <> 'gpt-3.5-turbo-0125' GROUP BY ALL) GROUP BY 1"
        ).fetchall()
    )
    rates = dict(catalog.query("SELECT player, success_rate FROM leaderboard WHERE setting = 'easy'")[1])
    assert len(plain) >= 20
    assert {player: rates[player] for player in plain} == pytest.approx(plain, abs=1e-9)
    errors = dict(catalog.query("SELECT player, parse_error_rate FROM statuses WHERE setting = 'easy'")[1])
    assert errors["llama-3.1-8b-instruct"] == pytest.approx(0.211, abs=0.02)  # published for 100 domains


def test_rates_are_by_instance(catalog: Catalog) -> None:
    # 1,650 episodes on 250 instances, some of which were played ten times: 0.0806 by episode.
    rows = catalog.query(
        "SELECT round(success_rate, 4) FROM leaderboard "
        "WHERE setting = 'hard' AND player = 'llama-3.2-3b-instruct'"
    )[1]
    assert rows == [(0.0603,)]


def test_the_headline_is_a_ratio_of_sums(catalog: Catalog) -> None:
    (row,) = catalog.query(
        "SELECT round(relative_action_count_algorithm_3, 2), round(relative_action_count_kumo_2025, 2) "
        "FROM kumo_leaderboard WHERE setting = 'hard' AND player = 'deepseek-r1'"
    )[1]
    assert row == (0.89, 1.42)
    ratios = catalog.query(
        "SELECT round(avg((CASE WHEN e.success THEN x.tests ELSE k.n_actions END + 1) "
        "/ (k.optimal_tests + 1) - 1), 2) FROM episodes AS e JOIN kumo_episodes AS x USING (episode_id) "
        "JOIN kumo_instances AS k USING (instance_id) JOIN instances AS i USING (instance_id) "
        "WHERE i.setting = 'hard' AND e.player = 'deepseek-r1'"
    )[1]
    assert ratios == [(2.53,)]


def test_few_associations_are_left_within_domains(catalog: Catalog) -> None:
    (row,) = catalog.query(
        "SELECT count(*), count(*) FILTER (topology_trend_p < 0.05), "
        "count(*) FILTER (topology_trend_p_holm <= 0.05), count(*) FILTER (cramers_v_pooled_p < 0.05), "
        "count(*) FILTER (chi_square_p_kumo_2025 < 0.05) FROM topology_association "
        "WHERE setting = 'easy' AND player <> 'oracle' AND NOT starts_with(player, 'sft/')"
    )[1]
    assert row == (20, 4, 2, 3, 11)


def test_defects_are_kept_and_told(catalog: Catalog) -> None:
    rules = dict(catalog.query("SELECT rule, count(*) FROM rejections GROUP BY 1")[1])
    assert {"overlapping-ranges", "always-ruled-out", "undeclared-type", "duplicate-truth"} <= set(rules)
    without = catalog.query("SELECT DISTINCT domain FROM kumo_outcome_runs")[1]
    assert {domain for (domain,) in without} == {"MedicalINDEnv", "MedicalOODEnv"}
    assert catalog.query("SELECT DISTINCT verdict, author FROM kumo_books")[1] == [
        ("unchecked", "kumo-2025-release")
    ]


def test_importing_twice_changes_nothing(imported: Path, release: Path, give: Run) -> None:
    before = {path: path.read_bytes() for path in imported.rglob("*.parquet")}
    command = ("import", "kumo", release, "--root", imported)
    again = give(*command)
    assert again.code == 0
    assert "was imported from the same files before: nothing to do" in again.out
    assert give(*command, "--domains", "MusicEnv").code == 5
    assert {path: path.read_bytes() for path in imported.rglob("*.parquet")} == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("EMPTY",), "not the KUMO authors' repository"),
        (("RELEASE", "--domains", "MoonEnv"), "no domain 'MoonEnv'"),
    ],
)
def test_what_is_no_release_is_named(
    release: Path, tmp_path: Path, give: Run, arguments: tuple[str, ...], told: str
) -> None:
    folders = {"RELEASE": release, "EMPTY": tmp_path}
    named = [folders.get(part, part) for part in arguments]
    done = give("import", "kumo", *named, "--root", tmp_path / "data")
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "data").exists()
