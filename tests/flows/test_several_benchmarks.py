"""`perennial refresh --benchmark a,b` or `all`: an edition of each in one run, within one budget."""

import inspect
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.several import prepare_each
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings.several import load_each
from perennial.warehouse.catalog.catalog import open_catalog, published_editions
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness
from tests.flows.webhook import running_hook
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

ORDER = ("kumo", "beyondbench", "knowlogic", "a2rbench")
SETTINGS = """
runs = 1
[kumo]
domains = ["chemical_analysis"]
settings = ["easy"]
instances = 2
{kumo}
[beyondbench]
tasks = ["addition/standard"]
instances = 3
[knowlogic]
domains = ["nature"]
languages = ["en"]
questions = 3
[a2rbench]
seeds = 1
variations = 0
remapping = false
"""
INSTANCES = {"kumo": 2, "beyondbench": 3, "knowlogic": 3, "a2rbench": 6}
ALL = ("refresh", "--benchmark", ",".join(ORDER), "--root", "data")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    """A model that says "yes" to all four."""
    options = ServerOptions(keys=(KEY,), models=("scripted",), roles="tests.server.one_word")
    with running_server(options) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "perennial.toml").write_text(SETTINGS.format(kumo=""))
    return tmp_path


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in open_catalog(Store(str(folder / "data"))).query(sql)[1]]


@pytest.mark.slow
def test_limits_hold_for_all_together_and_runs_that_were_limited_or_killed_resume(
    keyed: Harness, server: RunningServer, folder: Path
) -> None:
    command = (*ALL, "--base-url", server.url, "--players", "scripted,exact,search,optimum", "--workers", "1")
    before, logged = server.status().answered, len(server.log())
    limited = keyed.perennial(*command, "--max-calls", "4", cwd=folder)
    assert limited.returncode == 7, limited.stderr
    assert "the limit of 4 calls is reached: 4 requests sent" in limited.stderr
    assert limited.stderr.count("\n") == 1
    assert server.status().answered - before == 4
    begun = published_editions(Store(str(folder / "data")))
    assert len(begun) == 2
    process = keyed.start(*command, "--max-calls", "500", cwd=folder)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("items"):
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert len(published_editions(Store(str(folder / "data")))) == 3
    done = keyed.perennial(*command, "--max-calls", "500", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(answers_by_digest(server.log()[logged:]).values()) == {1}
    answered = server.status().answered - before
    assert rows(folder, "SELECT count(*) FROM calls") == [(answered,)]
    told = json.loads(done.stdout)["editions"]
    assert [row["benchmark"] for row in told] == list(ORDER)
    assert {row["benchmark"]: row["instances"] for row in told} == INSTANCES
    assert sum(row["calls"] for row in told) == answered
    assert (
        {row["edition"] for row in told} == set(published_editions(Store(str(folder / "data")))) > set(begun)
    )
    assert not list((folder / "data/staging").iterdir())
    # A program plays the benchmarks that have it, a model all.
    players = rows(
        folder,
        "SELECT benchmark, player FROM episodes JOIN instances USING (edition, instance_id) GROUP BY ALL",
    )
    # The run has ended: the same command would grow new ones.
    planned = json.loads(keyed.perennial(*command, "--dry-run", "--json", cwd=folder).stdout)["plans"]
    named = {plan["plan"]["edition"] for plan in planned.values()}
    assert named.isdisjoint(published_editions(Store(str(folder / "data"))))
    programs = [("kumo", "optimum"), ("a2rbench", "search"), ("beyondbench", "exact"), ("knowlogic", "exact")]
    assert sorted(players) == sorted([*programs, *((name, "scripted") for name in ORDER)])


@pytest.mark.slow
def test_one_that_fails_leaves_the_others_to_be_made(harness: Harness, folder: Path) -> None:
    (folder / "perennial.toml").write_text(SETTINGS.format(kumo="max_collision_probability = 0.0"))
    command = (
        "refresh",
        "--benchmark",
        "kumo,beyondbench",
        "--root",
        "data",
        "--edition",
        "e",
        "--seed",
        "3",
    )
    with running_hook() as hook:
        failed = harness.perennial(*command, "--webhook", hook.url, cwd=folder)
    assert failed.returncode == 1
    events = [(told["event"], told["edition"], (told["error"] or {}).get("type")) for told in hook.taken]
    assert events == [("failed", "e-kumo", "AuditFailed"), ("published", "e-beyondbench", None)]
    failure, publication = hook.taken
    assert failure["text"].startswith("perennial: e-kumo failed: ")
    solved = [score for score in publication["scores"] if score["player"] == "exact"]
    assert solved
    assert all(score["success_rate"] == 1 for score in solved)
    assert (publication["calls"], publication["known_cost_usd"]) == (0, 0)
    assert publication["text"].startswith("perennial: e-beyondbench is published; no calls\n")
    assert "exact 1.000" in publication["text"]
    assert re.fullmatch(r"perennial: error: 1 of 2 editions are published, .*e-kumo: .*\n", failed.stderr)
    assert re.search(r"^failed: e-kumo: ", failed.stdout, re.MULTILINE)
    assert re.search(r"│beyondbench *│e-beyondbench *│ *3│ *1│", failed.stdout)
    assert published_editions(Store(str(folder / "data"))) == ("e-beyondbench",)
    (folder / "perennial.toml").write_text(SETTINGS.format(kumo=""))
    for told in ("resuming edition e-kumo", "edition e-kumo is published already"):
        done = harness.perennial(*command, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert told in done.stdout
        assert "edition e-beyondbench is published already" in done.stdout
    assert published_editions(Store(str(folder / "data"))) == ("e-beyondbench", "e-kumo")
    assert rows(folder, "SELECT DISTINCT seed FROM editions") == [(3,)]


@pytest.mark.slow
def test_a_dry_run_plans_each_and_adds_their_estimates(
    harness: Harness, server: RunningServer, folder: Path
) -> None:
    command = ("refresh", "--benchmark", "all", "--root", "data", "--players", "scripted", "--dry-run")
    command = (*command, "--base-url", server.url)
    document = json.loads(harness.perennial(*command, "--json", cwd=folder).stdout)
    plans = document["plans"]
    assert list(plans) == sorted(ORDER)
    assert {name: plan["counts"]["instances"] for name, plan in plans.items()} == INSTANCES
    calls = sum(row["calls_high"] for plan in plans.values() for row in plan["estimates"])
    assert document["estimate"]["calls_high"] == calls > sum(INSTANCES.values())
    assert document["estimate"]["cost_low_usd"] is None
    told = harness.perennial(*command, cwd=folder)
    assert [told.stdout.count(f"Plan of edition {name}-") for name in ORDER] == [1] * 4
    assert re.search(rf"all 4 editions: [\d,]+ to {calls:,} model calls, cost unknown", told.stdout)
    assert not (folder / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("kumo,nothing",), "'nothing' is not installed; installed: a2rbench, beyondbench, knowlogic, kumo"),
        (("kumo,kumo",), "each once, or all; installed: a2rbench"),
        (("kumo,,knowlogic",), "expected names separated by commas"),
        (("all,kumo",), "expected names separated by commas"),
        (("kumo,a2rbench", "--questions", "3"), "--questions: a setting of knowlogic, and not"),
        (
            ("kumo,knowlogic", "--domains", "nature"),
            r"kumo: domain 'nature' .* --domains goes to every .*\[kumo\]",
        ),
        (("kumo,beyondbench", "--instances", "0"), r"kumo: --instances 0: .*at least 1.*\[kumo\]"),
        (
            ("all", "--instances", "2"),
            r"--instances is a setting of beyondbench, kumo, and not of a2rbench, knowlogic: leave it out, "
            r"and write it in section \[beyondbench\]",
        ),
        (("kumo,a2rbench", "--size", "human"), "kumo: --size 'human': expected tiny, small"),
        (("kumo,a2rbench", "--players", "optimum"), "a2rbench: --players optimum: none of them plays it"),
        (("kumo,knowlogic", "--players", "gpt"), "kumo: 'gpt' is a model"),
        (("kumo,knowlogic", "--edition", "e" * 92), "knowlogic: --edition .*up to 100 letters"),
    ],
)
def test_wrong_input_is_one_line_before_any_work(
    harness: Harness, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = harness.perennial("refresh", "--benchmark", *arguments, "--root", "data", cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(told, done.stderr)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


def test_a_flag_goes_to_each_that_has_it_and_a_section_to_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PERENNIAL_BENCHMARK", "all")
    each = {one.benchmark: one.model_dump() for one in load_each({"size": "tiny", "runs": 2})}
    assert list(each) == sorted(ORDER)
    assert {name: values["runs"] for name, values in each.items()} == dict.fromkeys(each, 2)
    # A flag goes before the file, and so does what its size sets.
    assert (each["kumo"]["instances"], each["beyondbench"]["instances"]) == (None, 3)
    assert each["kumo"]["domains"] == ["chemical_analysis"]
    assert (each["knowlogic"]["questions"], each["a2rbench"]["seeds"]) == (2, 1)
    with pytest.raises(InvalidOption, match="sections: there is no such setting"):
        load_each({"sections": 1})


def test_a_deployment_of_several_has_the_settings_that_they_share(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perennial.flows.serve.deployments import takes_settings

    monkeypatch.chdir(folder)

    def run_of(benchmark: str) -> set[str]:
        def run(**_settings: Any) -> None:
            """Run."""

        monkeypatch.setenv("PERENNIAL_BENCHMARK", benchmark)
        return set(inspect.signature(takes_settings(run)).parameters)

    assert {"players", "runs", "seed", "edition", "max_calls"} <= run_of("all")
    # An own setting may name a file, which a benchmark refuses for itself alone.
    own = {"domains", "languages", "questions", "analysts", "analysed"}
    assert run_of("knowlogic") - run_of("kumo,knowlogic") == own


def test_anchors_and_names_of_programs_play_where_they_are_programs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    flags = {
        "benchmark": "kumo,a2rbench",
        "root": "data",
        "players": "oracle,nearest,m,closed:m",
        "anchors": "search,greedy",
    }
    prepared = prepare_each(load_each(flags), Store("data"), needs_key=False, flags=flags)
    kumo, a2rbench = (one.plan.evaluation for one in prepared)
    assert (kumo.players, kumo.anchors) == (("algorithm-3", "m", "closed:m", "greedy"), ("greedy",))
    assert (a2rbench.players, a2rbench.anchors) == (("nearest", "m", "search"), ("search",))


def test_the_root_is_held_for_the_whole_run(harness: Harness, folder: Path) -> None:
    with lock_root(Store(str(folder / "data")), "a test"):
        done = harness.perennial(*ALL, cwd=folder)
    assert done.returncode == 9
    assert published_editions(Store(str(folder / "data"))) == ()
