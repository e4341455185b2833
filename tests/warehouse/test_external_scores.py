"""Scores of other benchmarks: kept once a source, refused with file, line and value."""

from pathlib import Path

import pytest

from schemas.errors import UnreadableInput
from warehouse.catalog.catalog import open_catalog
from warehouse.catalog.external_scores import keep_scores, load_scores, parse_scores
from warehouse.store.store import Store

HEADINGS = "benchmark,player,score,source\n"


def _parse(text: str) -> list[dict[str, object]]:
    return parse_scores(text.encode(), "s.csv")


def test_scores_are_seen_by_benchmark_and_player(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert load_scores(store) == {}
    assert open_catalog(store).query("FROM external_scores")[1] == []
    keep_scores(store, _parse(HEADINGS + "MMLU-Pro,m,0.7,a\nMMLU-Pro,n,0.5,a\nLiveBench,m,61.5,b\n"))
    assert load_scores(store) == {"MMLU-Pro": {"m": 0.7, "n": 0.5}, "LiveBench": {"m": 61.5}}
    rows = open_catalog(store).query("FROM external_scores ORDER BY ALL")[1]
    assert rows == [
        ("LiveBench", "m", 61.5, "b"),
        ("MMLU-Pro", "m", 0.7, "a"),
        ("MMLU-Pro", "n", 0.5, "a"),
    ]


def test_a_source_that_is_taken_in_again_replaces_itself_alone(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    text = HEADINGS + "B,m,1,a\nB,n,2,b\n"
    keep_scores(store, _parse(text))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    keep_scores(store, _parse(text))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before
    keep_scores(store, _parse(HEADINGS + "B,m,3,a\n"))
    assert load_scores(store) == {"B": {"m": 3.0, "n": 2.0}}


def test_of_two_sources_the_first_by_name_counts(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    keep_scores(store, _parse(HEADINGS + "B,m,2,z\nB,m,1,a\n"))
    assert load_scores(store) == {"B": {"m": 1.0}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1 is 'nothing', expected benchmark,player,score,source"),
        ("benchmark,player,score\n", "line 1 is 'benchmark,player,score'"),
        (HEADINGS, "no score in it"),
        (HEADINGS + "B,m,high,a\n", "line 2: score 'high' is no number"),
        (HEADINGS + "B,m,nan,a\n", "line 2: score 'nan' is no number"),
        (HEADINGS + "B,m,1\n", "line 2: expected 4 values"),
        (HEADINGS + "B,m,1,a,x\n", "line 2: expected 4 values"),
        (HEADINGS + "B, ,1,a\n", "line 2: player is blank"),
        (HEADINGS + 'B,"m\nn",1,a\n', r"line 3: player 'm\\nn' has a line break"),
        (HEADINGS + "B,m,1,\x1b[2J\n", r"line 2: source '\\x1b\[2J' has a line break or another control"),
        (HEADINGS + "B,m,1,a\nB,m,2,a\n", "'m' has two scores in 'B' from 'a'"),
        (HEADINGS + 'B,"m,1,a\n', r"line \d: not CSV"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(UnreadableInput, match=told) as caught:
        _parse(text)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnreadableInput, match="not UTF-8"):
        parse_scores(b"\xff\xfe", "s.csv")
