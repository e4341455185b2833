"""`perennial try`: a first score of a model in at most 60 calls, with what went wrong and what to do next."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.flows.console.progress import CallCount
from perennial.flows.editions.diagnosis import find_problems, problem_lines
from perennial.schemas.model_calls import Reply
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.prefect_harness import ONE_WORKER, Harness, clean_environment, wait_until
from tests.server.options import ServerOptions
from tests.server.running import running_server

PROGRAM = """import sys
from perennial.flows.cli.app import main
from tests.flows.plain_audit import judge_by_duckdb
judge_by_duckdb()
try:
    main()
finally:
    print('prefect' in sys.modules, 'openlineage' in sys.modules)
"""
BAD = {"refusal": 0.4, "player.no_answer": 1.0}  # no game is won, whatever the fresh questions are


@pytest.mark.slow
def test_a_model_gets_a_score_a_diagnosis_and_what_to_do_next_without_prefect(
    harness: Harness, tmp_path: Path
) -> None:
    with running_server(ServerOptions(models=("m",), faults=BAD)) as server:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM, "try", "m", "--base-url", server.url, "--root", "data"],
            cwd=tmp_path,
            env={**clean_environment(), **ONE_WORKER, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        asked = len(server.log())
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False True"
    assert not (tmp_path / "data/.prefect").exists()
    assert 7 <= asked < 60
    shown = done.stdout[done.stdout.index("m on kumo") :].splitlines()[:-1]
    assert [line for line in shown if len(line) > 80] == []
    text = "\n".join(shown)
    assert re.search(
        r"^easy +\d of 7  \d\.\d{3} \[0\.\d{3}, \d\.\d{3}\] +0\.\d{3} +1\.000$", text, re.MULTILINE
    )
    counts = {
        name: int(number) for name, number in re.findall(r"^(\w+(?: \w+)?) +(\d) of 7$", text, re.MULTILINE)
    }
    assert set(counts) == {"unparsed", "truncated", "refused", "api error"}
    assert counts["unparsed"] + counts["refused"] == 7
    assert ("I am sorry, but I cannot help with that request." in text) is (counts["refused"] > 0)
    assert ("I cannot tell yet which way to go." in text) is (counts["unparsed"] > 0)
    catalog, edition = open_catalog(Store(str(tmp_path / "data"))), shown[0].rsplit(" ", 1)[1]
    assert catalog.query("SELECT edition FROM editions WHERE is_trial")[1] == [(edition,)]
    problems = find_problems(catalog, edition)
    assert {one.status: one.episodes for one in problems} == {name: n for name, n in counts.items() if n}
    assert problem_lines(catalog, edition)[0].startswith(
        f"problem:   m: {problems[0].episodes} of 7 episodes ("
    )
    first, second = re.findall(r"perennial (?:\\\n|.)+", text[text.index("next:") :])
    page = harness.perennial(*shlex.split(first)[1:], cwd=tmp_path)
    assert (page.returncode, "m" in page.stdout) == (0, True)
    assert second.split()[1:3] in (["models", "check"], ["evaluate", edition], ["refresh", "--size"])


@pytest.mark.slow
def test_another_benchmark_and_json(harness: Harness, tmp_path: Path) -> None:
    with running_server(ServerOptions(models=("m",), roles="tests.server.one_word")) as server:
        chosen = ("--benchmark", "knowlogic", "--base-url", server.url, "--root", "data")
        done = harness.perennial("try", "m", *chosen, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {one["status"]: one["episodes"] for one in document["problems"]} == {"unparsed": 20}
    assert document["spent"]["calls"] == 20
    assert [row["setting"] for row in document["scores"]] == ["medium", "hard"]
    assert set(document["meanings"].values()) == {"at or below the floor: this score shows no ability"}
    again = f"perennial evaluate {document['edition']} --players m-2 --runs 1 --base-url "
    assert document["next"][1].startswith(again)
    assert 0 < document["spent"]["waited_s"] < 20 * 60


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("m", "--base-url", "http://127.0.0.1:9/v1"), 6, "no server answers at http://127.0.0.1:9/v1"),
        (("optimum",), 2, "'optimum' is a program of kumo: name a model"),
        (("m",), 2, "no model can be called: set PERENNIAL_API_KEY"),
        (("m", "--benchmark", "all"), 2, "several benchmarks are chosen"),
        *(((name,), 2, f"MODEL {name!r}: expected one name") for name in ("", " ", "m,n", " m")),
    ],
)
def test_what_cannot_be_tried_is_said_in_one_line(
    arguments: tuple[str, ...], code: int, said: str, harness: Harness, tmp_path: Path
) -> None:
    done = harness.perennial("try", *arguments, "--root", "data", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert said in done.stderr
    assert not list((tmp_path).glob("**/*.parquet"))


def test_the_line_of_progress_has_a_running_score() -> None:
    calls = CallCount()
    calls.add(Reply("call_1", "ok"))
    assert calls.text == "1 calls, cost unknown"
    calls.ended, calls.solved = 7, 4
    assert calls.text.startswith("4 of 7 solved, 1 calls")


@pytest.mark.slow
def test_a_model_that_never_ends_is_told_how_to_play_on(harness: Harness, tmp_path: Path) -> None:
    options = ServerOptions(models=("m",), roles="tests.server.one_action")
    with running_server(options) as server:
        chosen = ("--base-url", server.url, "--root", "data")
        done = harness.perennial("try", "m", *chosen, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (7, 1), done.stderr
        assert len(server.log()) <= 60
        shown, onwards = re.findall(r"`perennial (.*?)`", done.stderr)
        listed = harness.perennial(*shlex.split(shown), cwd=tmp_path)
        assert (listed.returncode, "player" in listed.stdout) == (0, True)
        played = harness.perennial(*shlex.split(onwards), cwd=tmp_path)
        assert played.returncode == 0, played.stderr
        digests = [line.digest for line in server.log()]
    assert len(digests) == len(set(digests))
    catalog = open_catalog(Store(str(tmp_path / "data")))
    assert catalog.count("FROM episodes WHERE player = 'm' AND turns = 50") > 0


@pytest.mark.slow
def test_a_model_whose_replies_are_cut_resumes_with_a_higher_limit_on_the_same_questions(
    harness: Harness, tmp_path: Path
) -> None:
    models = tmp_path / "models.toml"
    models.write_text("[m]\nmax_output = 15\nparameters_billion = 0.135\n")
    with running_server(ServerOptions(models=("m",), hold_after=5)) as server:
        chosen = ("try", "m", "--base-url", server.url, "--root", "data")
        begun = harness.start(*chosen, cwd=tmp_path)
        wait_until(lambda: server.status().held, timeout_s=120)
        begun.send_signal(signal.SIGKILL)
        begun.communicate(timeout=120)
        server.release()
        models.write_text("[m]\nmax_output = 16\n")
        done = harness.perennial(*chosen, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        models.write_text('[m]\nmax_output = 16\n["m-2"]\nmodel = "m"\nmax_output = 2000\n')
        onwards = re.search(r"perennial evaluate (?:\\\n|.)+", done.stdout)
        assert onwards is not None, done.stdout
        again = harness.perennial(*shlex.split(onwards[0].replace("\\\n", ""))[1:], cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    catalog = open_catalog(Store(str(tmp_path / "data")))
    assert catalog.count("FROM episodes WHERE player = 'm-2'") == 7
    assert [path.name for path in (tmp_path / "data/tables/editions").iterdir()] == [
        f"edition={staged}"
        for staged in [re.search(r"edition (\S+) in\s", done.stdout)[1]]  # type: ignore[index]
    ]
    assert "resuming edition" in done.stdout
    shown = " ".join(done.stdout.split())
    assert "truncated 7 of 7 cut by max_output = 16 (7 of 7): raise it in models.toml" in shown
    told = 'replies are cut: add ["m-2"] to models.toml, the same model with a higher max_output; the same '
    assert f"{told}questions: perennial evaluate" in shown
