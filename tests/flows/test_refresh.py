"""`perennial refresh`: what it publishes, prints and refuses, and that it survives being killed."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perennial.schemas.kumo.things import BOOK_STYLES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import Published
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import (
    SMALL_REFRESH,
    Harness,
    clean_environment,
    edition_content,
    is_running,
    read_until,
    wait_until,
)

STAGES = ("domains", "sample", "books", "gate", "overlap", "publish", "episodes")


def test_the_edition_holds_what_was_asked_for(published: Published) -> None:
    catalog = open_catalog(Store(str(published.root)))
    rows = catalog.query(
        "SELECT domain, setting, count(DISTINCT instance_id), count(*) FROM lineage GROUP BY ALL ORDER BY ALL"
    )[1]
    # Programs play once, random twice.
    assert [row[2:] for row in rows] == [(6, 36)] * 4
    assert {row[1] for row in rows} == {"easy", "6x8"}
    assert catalog.query("SELECT count(*) FROM rejections")[1] == [(0,)]
    assert catalog.query("SELECT DISTINCT verdict, author FROM kumo_books")[1] == [("passed", "template")]
    styles = {style for (style,) in catalog.query("SELECT DISTINCT style FROM kumo_books")[1]}
    assert len(styles) > 3
    assert styles <= set(BOOK_STYLES)
    shown = catalog.query("SELECT sum(instances) FROM book_style_scores WHERE player = 'reader'")[1]
    assert shown == [(24,)]
    assert catalog.query("SELECT min(expected_steps) >= 1 FROM kumo_instances")[1] == [(True,)]
    assert catalog.query("SELECT bool_and(success) FROM audits")[1] == [(True,)]


def test_an_edition_keeps_both_references(published: Published) -> None:
    catalog = open_catalog(Store(str(published.root)))
    asked = "promise_status = 'exact' AND promise_steps BETWEEN 1 AND policy_steps + 1e-9"
    moves = "len(promise_golden) = promise_tests + 1 AND promise_golden[-1] = valid_truths[1]"
    assert catalog.query(f"SELECT count(*) FROM kumo_instances WHERE {asked} AND {moves}")[1] == [(24,)]
    played = (
        "SELECT count(*) FROM episodes JOIN kumo_episodes USING (edition, evaluation, episode_id) "
        "JOIN kumo_instances AS k USING (edition, instance_id) "
        "WHERE player = 'optimum' AND success AND tests = k.promise_tests"
    )
    assert catalog.query(played)[1] == [(24,)]


def test_excess_tests_are_beside_expected_ones(published: Published) -> None:
    rows = query_rows(
        published.root,
        "SELECT excess_tests_algorithm_3, avg(CASE l.player WHEN 'algorithm-3' THEN k.policy_steps "
        "WHEN 'optimum' THEN k.promise_steps ELSE x.tests END - k.policy_steps), "
        "excess_tests_kumo_2025, avg(x.tests - k.optimal_tests) "
        "FROM kumo_leaderboard AS l JOIN episodes AS e USING (edition, player) "
        "JOIN kumo_episodes AS x USING (edition, evaluation, episode_id) "
        "JOIN instances AS i USING (edition, instance_id) "
        "JOIN kumo_instances AS k USING (edition, instance_id) "
        "WHERE i.setting = l.setting GROUP BY l.setting, l.player, 1, 3 HAVING bool_and(x.decided)",
    )
    assert len(rows) == 8
    for excess, expected, realised, on_these in rows:
        assert (excess, realised) == pytest.approx((expected, on_these), abs=1e-9)


def test_the_floor_of_balanced_instances_is_known(published: Published) -> None:
    rows = query_rows(
        published.root,
        "SELECT DISTINCT setting, floor, floor_low, above_floor FROM leaderboard WHERE player = 'reader'",
    )
    assert sorted(rows) == [("6x8", 1 / 6, None, 1.0), ("easy", 0.25, None, 1.0)]


def test_readers_of_rules_solve_everything_and_algorithm_3_is_the_reference(published: Published) -> None:
    catalog = open_catalog(Store(str(published.root)))
    rows = catalog.query(
        "SELECT player, success_rate, relative_action_count_algorithm_3 FROM kumo_leaderboard"
    )[1]
    assert {row[1] for row in rows if row[0] in ("algorithm-3", "optimum", "reader")} == {1.0}
    assert {row[2] for row in rows if row[0] == "algorithm-3"} == {0.0}
    statistics = catalog.query(
        "SELECT count(*) FROM leaderboard JOIN statistics USING (edition, setting, player) "
        "WHERE domain = 'all' AND statistic = 'success_rate' AND abs(value - success_rate) < 1e-12"
    )[1]
    assert statistics == [(len(rows),)]


def test_it_prints_stages_a_table_where_the_data_is_and_what_to_do_next(published: Published) -> None:
    out = published.stdout
    assert re.findall(r"^(\w+) +\d+/\d+ batches", out, re.MULTILINE) == [*STAGES, "publish"]
    # Two domains are too few for intervals of counts.
    row = "easy algorithm-3 12 1.000 [0.056, 1.000] 1.000 [-0.259, 1.000] 0.000 0.000 0.000 [0.000, 0.944] "
    assert row in re.sub(r"[│\s]+", " ", out)
    assert f"{published.root}/tables/<table>/edition=small/" in out
    assert "perennial ask best_players edition=small" in out
    assert "Traceback" not in out


def test_nothing_is_left_in_staging(published: Published) -> None:
    assert not list((published.root / "staging").glob("*"))


@pytest.mark.slow
def test_a_killed_refresh_goes_on_and_gives_the_same_edition(
    by_prefect: Harness, published_by_prefect: Published, tmp_path: Path
) -> None:
    command = ("refresh", *SMALL_REFRESH, "--root", str(tmp_path))
    # Nothing is published before the edition, and no evaluation before its end.
    for stage, unpublished in (("books", "editions"), ("episodes", "evaluations")):
        process = by_prefect.start(*command, cwd=tmp_path)
        read_until(process, f"^{stage}")
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (tmp_path / "tables" / unpublished).exists()
    done = by_prefect.perennial(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "resuming edition small" in done.stdout
    assert edition_content(tmp_path, "small") == edition_content(published_by_prefect.root, "small")
    assert not list((tmp_path / "staging").glob("*"))


@pytest.mark.slow
def test_an_unnamed_refresh_is_named_by_date_and_never_reissues(harness: Harness, tmp_path: Path) -> None:
    command = ("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "5")
    options = ("--players", "algorithm-3", "--root", str(tmp_path), "--json")
    editions = []
    for _ in range(2):
        done = harness.perennial(*command, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        editions.append(json.loads(done.stdout)["edition"])
    assert re.fullmatch(r"kumo-\d{4}-\d\d-\d\d", editions[0])
    assert editions[1] == f"{editions[0]}-2"
    rows = query_rows(tmp_path, "SELECT count(*), count(DISTINCT instance_id) FROM kumo_instances")
    assert rows == [(10, 10)]


@pytest.mark.slow
def test_an_earlier_name_of_a_player_is_understood_and_said(harness: Harness, tmp_path: Path) -> None:
    command = ("refresh", "--players", "oracle,algorithm-3", "--dry-run", "--root", str(tmp_path))
    done = harness.perennial(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("note: player 'oracle' is now called 'algorithm-3'") == 1
    assert "algorithm-3, algorithm-3" not in done.stdout


@pytest.mark.slow
def test_a_published_edition_is_not_made_again(harness: Harness, published: Published) -> None:
    before = {path: path.read_bytes() for path in published.root.rglob("*.parquet")}
    command = ("refresh", *SMALL_REFRESH, "--root", str(published.root))
    same = harness.perennial(*command, cwd=published.root)
    assert same.returncode == 0, same.stderr
    assert "is published already, with these settings: nothing to do" in same.stdout
    other = harness.perennial(*command, "--seed", "1", cwd=published.root)
    assert other.returncode == 5
    assert other.stderr.count("\n") == 1
    assert "already published" in other.stderr
    assert "seed was 0 and is now 1" in other.stderr
    assert {path: path.read_bytes() for path in published.root.rglob("*.parquet")} == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--domains", "alchemy"), 2, r"domain 'alchemy' is not bundled \(see `perennial domains list`"),
        (("--domains", "missing.json"), 2, r"missing\.json"),
        (
            ("--players", "algorithm-3,gpt"),
            2,
            r"'gpt' is a model .programs: algorithm-3, optimum, .*OPENAI_API_KEY.*--base-url",
        ),
        (
            ("--players", "reader", "--writer", "m", "--base-url", "http://h/v1"),
            2,
            "'reader' reads the books",
        ),
        (("--settings", "500x6"), 2, r"500 truths, but domain"),
        (("--settings", "easy,4x6v4"), 2, r"4 valid truths of 4"),
        (("--settings", "4x6v2"), 2, r"2 valid truths: the balanced sampler draws instances with one valid"),
        (("--instances", "0"), 2, "instances"),
        (("--edition", "a/b"), 2, "edition"),
        (("--size", "huge"), 2, "tiny, small, standard, contamination or paper"),
    ],
)
def test_wrong_input_is_one_line_before_any_work(
    harness: Harness, tmp_path: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    done = harness.perennial("refresh", *arguments, "--root", str(tmp_path / "data"), cwd=tmp_path)
    assert done.returncode == code
    assert re.search(told, done.stderr)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["begun", "ready"])
def test_the_embedded_server_dies_with_its_parent(tmp_path: Path, when: str) -> None:
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from perennial.flows.serve import embedded_server\n"
        "from perennial.flows.serve.embedded_server import EmbeddedServer, begin_server\n"
        "if sys.argv[2] == 'begun':\n"
        "    begin_server()\n"
        "    print(embedded_server._begun[0].pid, flush=True)\n"
        "    time.sleep(600)\n"
        "with EmbeddedServer(Path(sys.argv[1])) as server:\n"
        "    server.wait_ready()\n"
        "    print(server._process.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), when],
        stdout=subprocess.PIPE,
        text=True,
        env={**clean_environment(), "PREFECT_HOME": str(tmp_path)},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not is_running(child))
    if when == "begun":
        assert list(tmp_path.iterdir()) == []
