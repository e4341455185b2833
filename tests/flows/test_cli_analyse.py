"""`perennial analyse` and `perennial import scores`: figures computed again, and nothing published
changed.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.flows.conftest import Published
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness


@pytest.fixture
def root(published: Published, tmp_path: Path) -> Path:
    """A copy of the published edition that a test may write to."""
    return Path(shutil.copytree(published.root, tmp_path / "data"))


def _content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.mark.slow
def test_a_new_analysis_gives_the_same_figures_and_writes_nothing(harness: Harness, root: Path) -> None:
    before = _content(root)
    done = harness.perennial("analyse", "small", "--root", str(root), cwd=root)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"small: [\d,]+ statistics, as before\n", done.stdout)
    assert _content(root) == before


@pytest.mark.slow
def test_external_scores_are_correlated_after_a_new_analysis(harness: Harness, root: Path) -> None:
    before = _content(root / "tables")
    rates = dict(query_rows(root, "SELECT player, success_rate FROM leaderboard WHERE setting = 'easy'"))
    lines = [f"Half,{player},{rate / 2},made up" for player, rate in rates.items()]
    (root / "half.csv").write_text("\n".join(["benchmark,player,score,source", *lines]) + "\n")
    taken = harness.perennial("import", "scores", "half.csv", "--root", str(root), cwd=root)
    assert taken.returncode == 0, taken.stderr
    assert "5 scores of 1 benchmarks from made up" in taken.stdout
    contents = []
    for _ in range(2):
        shutil.rmtree(root / "analyses", ignore_errors=True)
        done = harness.perennial("analyse", "--root", str(root), cwd=root)
        assert done.returncode == 0, done.stderr
        assert "kept in" in done.stdout
        contents.append(_content(root / "analyses"))
    assert contents[0] == contents[1]
    rows = query_rows(
        root,
        "SELECT players, round(correlation, 9) FROM correlations "
        "WHERE compared_with = 'benchmark Half' AND setting = 'easy' AND coefficient = 'pearson'",
    )
    # Five players are too few for a correlation: the scores are taken in, and none is computed.
    assert rows == []
    assert _content(root / "tables") == before


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("analyse", "lost"), r"has no published edition 'lost' .*; published: small"),
        (("import", "scores", "missing.csv"), r"missing\.csv: no such file; check the path"),
    ],
)
def test_what_is_not_there_is_named(
    harness: Harness, published: Published, command: tuple[str, ...], told: str
) -> None:
    done = harness.perennial(*command, "--root", str(published.root), cwd=published.root)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert re.search(told, done.stderr)
