"""Success rates and relative action counts against figure 3 of the paper, on the authors' trajectories."""

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from perennial.tasks.kumo.statistics import PAPER
from tests.statistics.made_cells import Cell, columns_of

EASY = "truth_num=4+action_num=6+valid_truth_num=1"
HARD = "truth_num=12+action_num=16+valid_truth_num=1"
# The authors' count holds the prediction twice.
EXTRA = PAPER.extra


def _optimal_tests(release: Path, domain: str, setting: str) -> dict[int, int]:
    folder = release / "search_results" / domain / setting
    lines = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.open()]
    return {line["seed"]: line["trajectories"][0]["action_num"] - EXTRA for line in lines}


def _episode(domain: str, model: str, seed: int, success: bool, tests: int, optimal: int) -> Cell:
    return Cell(
        *(domain, EASY, model, str(seed), 1, int(success)),
        n_actions=6,
        optimal_tests=optimal,
        tests=tests,
        solved_tests=tests if success else 0,
    )


@pytest.fixture(scope="module")
def played(release: Path) -> dict[tuple[str, str], list[Cell]]:
    """The authors' Easy episodes by domain and model."""
    table = pq.read_table(
        release / "trajectories.parquet",
        columns=["model", "domain", "seed", "published_action_count", "success"],
        filters=[("n_truths", "==", 4), ("n_actions", "==", 6)],
    )
    optimal: dict[str, dict[int, int]] = {}
    episodes: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for model, domain, seed, count, success in zip(*(c.to_pylist() for c in table.columns), strict=True):
        if domain not in optimal:
            optimal[domain] = _optimal_tests(release, domain, EASY)
        if (tests := optimal[domain].get(seed)) is not None:
            episodes[domain, model].append(_episode(domain, model, seed, success, count - EXTRA, tests))
    return episodes


@pytest.mark.parametrize("metric", ["success_rate", "relative_action_count"])
@pytest.mark.slow
def test_figure_3_comes_back(release: Path, played: dict[tuple[str, str], list[Cell]], metric: str) -> None:
    rows = json.loads((release / "figure3.json").read_text())[metric]
    differences = [
        abs(_measure(metric, played[domain, model]) - value)
        for domain, row in rows.items()
        for model, value in row.items()
        if (domain, model) in played
    ]
    assert len(differences) > 150
    assert sum(difference <= 0.0055 for difference in differences) >= 0.95 * len(differences)


def _measure(metric: str, cells: list[Cell]) -> float:
    if metric == "success_rate":
        return sum(cell.solved for cell in cells) / len(cells)
    # Each episode is an instance of its own here: all have five runs.
    numbered = [replace(cell, instance_id=str(number)) for number, cell in enumerate(cells)]
    columns = columns_of(numbered, EASY)
    return float((PAPER.excess(columns) / PAPER.optimum(columns)).mean())


@pytest.mark.parametrize(("setting", "published"), [(EASY, 3.924), (HARD, 6.692)])
def test_optimal_counts_come_back(release: Path, setting: str, published: float) -> None:
    domains = ("MedicalEnv", "ChemicalEnv", "MusicEnv", "EducationEnv", "FantasyEnv")
    optimal = [tests for domain in domains for tests in _optimal_tests(release, domain, setting).values()]
    assert sum(optimal) / len(optimal) == pytest.approx(published - EXTRA, abs=5e-4)
