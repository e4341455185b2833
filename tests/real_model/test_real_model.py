"""A real small model plays: what it says is its own affair, what perennial makes of it is not.

Statuses, counts, stored calls and equal verdicts between entrances are asserted, never texts. What each test
prints is shown by `just real-model`.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.export.source import open_games
from perennial.flows.practice.grade import grade
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.schemas.rows import Row
from perennial.schemas.settings import load_settings
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import perennial
from tests.flows.made_units import make_edition, make_unit
from tests.practice.drawn import QUESTION_TABLES, line_of_edition
from tests.real_model.server import INSTALL, MODEL, missing_packages, real_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_packages()), reason=f"a real model needs: {INSTALL}"),
]

# Long enough for a short answer; what is longer is cut, which is a status too.
MAX_OUTPUT = 24
EDITIONS: dict[str, dict[str, Any]] = {
    "a2rbench": {"seeds": 1, "variations": 0},
    "beyondbench": {"tasks": ["addition", "sorting"], "instances": 1},
    "knowlogic": {"domains": ["nature"], "languages": ["en"], "questions": 2},
    "kumo": {"domains": ["chemical_analysis"], "settings": ["3x3"], "instances": 1},
}
# What it is asked of each: a prompt of KUMO or A2RBench takes a core ten seconds.
COUNTS = {"a2rbench": 1, "beyondbench": 2, "knowlogic": 2, "kumo": 1}
ENTRY = """
[small]
model = "{model}"
base_url = "{url}"
context = 8192
max_output = {most}
concurrency = 1
family = "SmolLM2"
parameters_billion = 0.135
quantization = "Q4_1"
tuning = "instruct"
weights = "open"
"""
_ENDS = {"solved", "wrong", "unparsed", "truncated"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with real_server() as running:
        yield running


@pytest.fixture
def folder(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an entry of the model, in which commands run."""
    monkeypatch.chdir(tmp_path)
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "models.toml").write_text(ENTRY.format(model=MODEL, url=url, most=MAX_OUTPUT))
    return tmp_path


def play(folder: Path, benchmark: str) -> list[Row]:
    """Publish a tiny edition, and an evaluation in which the model answers some of its questions.

    Return the episodes with their replies and calls.
    """
    make_edition(folder / "data", "e", benchmark=benchmark, **EDITIONS[benchmark], seed=5, players=[])
    asked = {
        "players": ["small"],
        "runs": 1,
        "temperature": 0.0,
        "edition": "e",
        "root": str(folder / "data"),
    }
    settings = load_settings({"benchmark": benchmark, **asked})
    make_unit(settings, prepare_evaluation(settings, Store(settings.root), instances=COUNTS[benchmark]))
    return open_catalog(Store(str(folder / "data"))).records(
        "SELECT e.instance_id, e.status, e.score, e.tokens, list(t.reply ORDER BY turn) AS replies, "
        "list(c.status ORDER BY turn) AS calls, list(c.model) AS models "
        "FROM episodes AS e JOIN transcripts AS t USING (edition, evaluation, episode_id) "
        "JOIN calls AS c USING (edition, evaluation, call_id) GROUP BY ALL ORDER BY ALL"
    )


@pytest.mark.parametrize("benchmark", ["knowlogic", "kumo"])
def test_it_plays_a_tiny_edition_and_every_entrance_says_the_same(benchmark: str, folder: Path) -> None:
    episodes = play(folder, benchmark)
    print(f"{benchmark}: {len(episodes)} episodes, {dict(Counter(row['status'] for row in episodes))}")
    store = Store(str(folder / "data"))
    catalog = open_catalog(store)
    questions = f"FROM instances JOIN {QUESTION_TABLES[benchmark]} USING (edition, instance_id)"
    shown = {row["instance_id"]: row for row in catalog.records(questions)}
    seats = find_benchmark(benchmark).take_seats(store, "e", [*shown], {})
    assert len(episodes) == COUNTS[benchmark]
    lines = {seat.instance_id: line_of_edition(benchmark, shown[seat.instance_id], seat) for seat in seats}
    games = open_games(folder / "data")
    for row in episodes:
        assert row["status"] in _ENDS
        assert row["tokens"] > 0
        assert {*row["models"]} == {"small"}
        # All calls but the last one were whole: a cut one ends the game, and nothing is asked again.
        assert {*row["calls"][:-1]} <= {"ok"}
        is_cut = row["calls"][-1] == "truncated"
        assert (row["status"] == "truncated") == is_cut
        graded = grade(lines[row["instance_id"]], row["replies"], "truncated" if is_cut else None)
        assert (graded.status, graded.score) == (row["status"], row["score"])
        if not is_cut:
            game = games.start(row["instance_id"])
            for reply in row["replies"]:
                game.take(reply)
            assert game.result is not None
            assert (game.result.status, game.result.score) == (row["status"], row["score"])


def test_models_check_says_that_it_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = perennial(monkeypatch, capsys, "models", "check")
    assert done.code == 0, done.out + done.err
    assert "small" in done.out


def test_inspect_grades_it_as_perennial_does(url: str, folder: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    from inspect_ai.model import get_model

    make_edition(folder / "data", "e", benchmark="knowlogic", **EDITIONS["knowlogic"], seed=5, players=[])
    model = get_model(f"openai-api/local/{MODEL}", base_url=url, api_key="none")
    (log,) = inspect_ai.eval(
        "perennial/knowlogic",
        model=model,
        task_args={"root": str(folder / "data")},
        max_tokens=MAX_OUTPUT,
        temperature=0.0,
        log_dir=str(folder / "logs"),
        display="none",
    )
    assert log.status == "success"
    assert log.samples
    games = open_games(folder / "data")
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert score.metadata["status"] in _ENDS
        if score.metadata["status"] != "truncated":
            game = games.start(sample.id)
            game.take(sample.output.completion)
            assert game.result.status == score.metadata["status"]


def test_verifiers_grades_it_as_practice_does(url: str, tmp_path: Path) -> None:
    pytest.importorskip("verifiers.v1", reason="the extra `verifiers` is not installed")
    from tests.verifiers_tasks.test_environment import evaluate

    limits = ("--sampling.max-tokens", str(MAX_OUTPUT))
    for trace in evaluate(tmp_path, "knowlogic", url, MODEL, *limits):
        assert trace["ok"]
        replies = [node["message"]["content"] for node in trace["nodes"] if node["sampled"]]
        is_cut = bool(trace["metrics"]["truncated"])
        graded = grade(trace["task"]["data"]["practice"], replies, "truncated" if is_cut else None)
        assert trace["rewards"]["game_score"]["score"] == graded.score
