"""`perennial domains propose` and `configure`, and a refresh of the folder that they fill."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, commands_on
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

FAULTS = {"configurer.unknown_truth": 0.4}


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with running_server(ServerOptions(seed=3, faults=FAULTS)) as running:
        yield running


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERENNIAL_API_KEY", "a-key-of-the-test")
    return commands_on(Store(str(tmp_path / "root")), monkeypatch, capsys)


@pytest.mark.slow
def test_domains_are_proposed_edited_configured_and_used(
    give: Run, server: RunningServer, tmp_path: Path
) -> None:
    author = ("--author", "scripted", "--base-url", server.url)
    asked = ("domains", "propose", "--count", "4", "--categories", "Music", "--out", "p.jsonl", *author)
    done = give(*asked)
    assert (done.code, "p.jsonl: 4 proposals" in done.out) == (0, True), done.err
    lines = (tmp_path / "p.jsonl").read_text("utf-8").splitlines()
    edited = [{**json.loads(line), "category": "Botany"} for line in lines[:3]]
    text = "\n\n".join(map(json.dumps, edited))  # blank lines do not count
    (tmp_path / "p.jsonl").write_text(text, "utf-8")
    assert "p.jsonl exists and differs" in give(*asked).err

    configuring = ("domains", "configure", "p.jsonl", "--out", "made", "--repairs", "1", *author)
    first = give(*configuring, "--json")
    domains = json.loads(first.out)["domains"]
    statuses = [domain["status"] for domain in domains]
    assert {"accepted"} < set(statuses)
    assert first.code == int("dropped" in statuses)
    for domain in domains:
        assert ("file" in domain) == (domain["status"] in ("accepted", "repaired"))
        assert bool(domain["refused"]) == (domain["status"] != "accepted")
    files = {domain["file"] for domain in domains if "file" in domain}
    assert files == {f"made/{path.name}" for path in (tmp_path / "made").iterdir()}
    requests = len(server.log())
    again = give(*configuring)
    assert f"{len(files)} domain" in again.out
    # One more is the look-up: replies are kept.
    assert len(server.log()) - requests <= 2
    plan = give(
        "refresh", "--domains", "made", "--settings", "easy", "--instances", "2", "--dry-run", "--json"
    )
    assert len(json.loads(plan.out)["domains"]) == len(files)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "p.jsonl, line 2: not JSON"),
        ("[]", "p.jsonl, line 2: "),
        ('{"name": "Half"}', "p.jsonl, line 2: category: field required"),
        (None, "p.jsonl, line 2: 'Tides': its name is 100 of 100 similar to 'Tides'"),
    ],
)
def test_a_line_that_is_no_proposal_is_named(give: Run, tmp_path: Path, line: str | None, said: str) -> None:
    keys = ("name", "category", "goal", "truths", "actions", "truth_noun", "action_noun", "book_title")
    good = json.dumps({key: "Tides" if key == "name" else key for key in keys})
    (tmp_path / "p.jsonl").write_text(f"{good}\n{line or good}\n", "utf-8")
    done = give("domains", "configure", "p.jsonl", "--author", "x", "--out", "made")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
    assert not (tmp_path / "made").exists()


def test_authoring_needs_an_author(give: Run) -> None:
    done = give("domains", "propose", "--out", "p.jsonl")
    assert (done.code, "name one with --author" in done.err) == (2, True)
