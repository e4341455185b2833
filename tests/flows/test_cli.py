"""Commands that read, their formats, their help and what they import."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.flows.console.input_files import write_lines
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.flows.conftest import Published
from tests.flows.prefect_harness import Harness, clean_environment
from tests.flows.test_cli_domains import document, write


def test_editions_are_listed(harness: Harness, published: Published, tmp_path: Path) -> None:
    done = harness.perennial(
        "editions", "list", "--root", str(published.root), "--format", "json", cwd=tmp_path
    )
    edition, evaluation = json.loads(done.stdout)
    assert (edition["edition"], edition["benchmark"], edition["seed"]) == ("small", "kumo", 0)
    assert (edition["instances"], edition["episodes"]) == (24, None)
    assert (evaluation["edition"], evaluation["episodes"]) == ("small@1", 144)
    assert evaluation["players"] == "algorithm-3, optimum, greedy, random, reader"


@pytest.mark.slow
def test_domains_are_listed_with_the_editions_that_hold_them(
    harness: Harness, published: Published, tmp_path: Path
) -> None:
    done = harness.perennial("domains", "list", "--root", str(published.root), "--json", cwd=tmp_path)
    editions = {row["name"]: row["editions"] for row in json.loads(done.stdout)}
    assert {name for name, count in editions.items() if count == 1} == {
        "mineral_identification",
        "chemical_analysis",
    }
    assert len(editions) == len(bundled_domains())


@pytest.mark.slow
def test_sample_then_solve(harness: Harness, tmp_path: Path) -> None:
    sampled = harness.perennial(
        *("domains", "sample", "--config", "mineral_identification", "--truths", "4", "--actions", "6"),
        *("--count", "20", "--seed", "7", "--out", "easy.jsonl", "--json"),
        cwd=tmp_path,
    )
    assert sampled.returncode == 0, sampled.stderr
    assert json.loads(sampled.stdout)["written"] == 20
    lines = [json.loads(line) for line in (tmp_path / "easy.jsonl").read_text().splitlines()]
    assert {"truths", "actions", "observations", "seed", "valid_truth", "states"} <= set(lines[0])
    solved = harness.perennial(
        *("solve", "--config", "mineral_identification", "--instances", "easy.jsonl", "--json"), cwd=tmp_path
    )
    assert solved.returncode == 0, solved.stderr
    document = json.loads(solved.stdout)
    assert document["unsolved"] == 0
    for line, record in zip(lines, document["instances"], strict=True):
        assert record["golden_answer"] == line["valid_truth"]
        assert record["expected_steps"] >= 1
        assert record["promise_status"] == "exact"
        assert 1 <= record["promise_steps"] == record["promise_steps_low"] <= record["policy_steps"] + 1e-9
        assert record["promise_golden"][-1] == line["valid_truth"]
    shown = harness.perennial(
        *("solve", "--config", "mineral_identification", "--instances", "easy.jsonl"), cwd=tmp_path
    )
    assert "20 solved, 0 past 60 s" in shown.stderr


@pytest.mark.slow
def test_sample_keeps_what_it_found(harness: Harness, tmp_path: Path) -> None:
    write(tmp_path, "trees.json", actions=["Smell"], outcomes=document()["outcomes"][:1])
    options = ("--config", "trees.json", "--out", "drawn.jsonl", "--count", "9", "--sampler", "kumo-2025")
    done = harness.perennial("domains", "sample", *options, "--truths", "2", "--actions", "1", cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(r"error: .*Trees.*2.*9", done.stderr)
    assert len((tmp_path / "drawn.jsonl").read_text().splitlines()) == 2
    for wrong in (("--truths", "3", "--actions", "1"), ("--truths", "2", "--actions", "2")):
        done = harness.perennial("domains", "sample", *options, *wrong, cwd=tmp_path)
        assert done.returncode == 2
        assert "Trees" in done.stderr


def test_sample_never_repeats_a_published_instance(
    harness: Harness, published: Published, tmp_path: Path
) -> None:
    done = harness.perennial(
        *(
            "domains",
            "sample",
            "--config",
            "mineral_identification",
            "--truths",
            "4",
            "--actions",
            "6",
            "--count",
            "6",
        ),
        *("--root", str(published.root), "--out", "more.jsonl", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    # The edition was drawn with the same seed, so every first attempt is a duplicate.
    assert json.loads(done.stdout)["duplicates"] >= 6


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"--out .*no-such-folder"):
        write_lines(tmp_path / "no-such-folder" / "out.jsonl", ["{}"])


@pytest.mark.parametrize("name", ["pipe", "linked", "."])
def test_what_is_no_file_is_never_replaced(tmp_path: Path, name: str) -> None:
    # No device of the machine: where this fails, it would be replaced.
    (tmp_path / "linked").symlink_to("pipe")
    os.mkfifo(tmp_path / "pipe")
    before = (tmp_path / name).stat()
    with pytest.raises(InvalidOption, match=r"--out .*: not a regular file; name one that may be replaced"):
        write_lines(tmp_path / name, ["{}"])
    assert (tmp_path / name).stat().st_mode == before.st_mode


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_lines(tmp_path / "link", ["{}"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "{}\n"


@pytest.mark.slow
def test_reading_commands_import_no_prefect_and_tasks_nothing_heavy() -> None:
    program = (
        "import sys, typer\n"
        "from perennial.flows.cli import app\n"
        "assert len(list(typer.main.get_command(app.app).commands.values())) > 10\n"
        "from perennial.tasks.kumo import books, players, sampling, search, validation\n"
        "import perennial.tasks.kumo.books\n"
        "heavy = {'prefect', 'duckdb', 'pyarrow', 'pandas', 'numba', 'numpy', 'pysat', 'pydantic', 'jinja2',"
        " 'great_expectations', 'scipy', 'openlineage', 'streamlit'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_times_are_shown_in_utc_wherever_the_reader_sits(harness: Harness, published: Published) -> None:
    shown = set()
    for zone in ("UTC", "Asia/Tokyo"):
        there = harness.but(TZ=zone)
        done = there.perennial(
            "editions", "list", "--root", str(published.root), "--format", "json", cwd=published.root
        )
        shown.add(json.loads(done.stdout)[0]["created_at"])
    assert len(shown) == 1
    assert shown.pop().endswith("+00:00")
