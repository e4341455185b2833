"""Scores of other benchmarks: kept once a source, refused with file, line and value."""

from pathlib import Path

import pytest

from perennial.schemas.errors import UnreadableInput
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.scores import keep_scores, load_scores, parse_scores
from perennial.warehouse.store.store import Store

HEADINGS = "benchmark,player,score,source\n"


def _parse(text: str) -> list[dict[str, object]]:
    return parse_scores(text.encode(), "s.csv")


def test_scores_are_seen_by_benchmark_and_player(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert load_scores(store) == {}
    assert open_catalog(store).query("FROM external_scores")[1] == []
    keep_scores(store, _parse(HEADINGS + "MMLU-Pro,m,0.7,a\nMMLU-Pro,n,0.5,a\nLiveBench,m,61.5,b\n"))
    assert load_scores(store) == {"MMLU-Pro": {"m": 0.7, "n": 0.5}, "LiveBench": {"m": 61.5}}
    rows = open_catalog(store).query("SELECT * EXCLUDE settings FROM external_scores ORDER BY ALL")[1]
    assert rows == [("LiveBench", "m", 61.5, "b"), ("MMLU-Pro", "m", 0.7, "a"), ("MMLU-Pro", "n", 0.5, "a")]


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
        (HEADINGS + "B,m,high,a\n", "line 2: score 'high' is not a number"),
        (HEADINGS + "B,m,nan,a\n", "line 2: score 'nan' is not a number"),
        (
            HEADINGS + "B,m,-1e300,a\n",
            "line 2: score '-1e300' is not a number such as 0.731 or 73.1, from -100 to",
        ),
        (HEADINGS + "B,m,10000.5,a\n", "line 2: score '10000.5'"),
        (HEADINGS + "B,m,-inf,a\n", "line 2: score '-inf'"),
        (
            HEADINGS + "B,m,71,a\nB,n,0,a\nC,m,0.2,a\nB,o,0.64,a\n",
            "'o' has 0.64 and 'm' has 71 in 'B' from 'a'",
        ),
        (HEADINGS + "B,m,-0.3,a\nB,n,1300,a\n", "which are two scales"),
        (HEADINGS + "B,m,1\n", "line 2: expected 4 values"),
        (HEADINGS + "B,m,1,a,x\n", "line 2: expected 4 values"),
        (HEADINGS + "B, ,1,a\n", "line 2: player is blank"),
        (HEADINGS + 'B,"m\nn",1,a\n', r"line 3: player 'm\\nn' holds the invisible character U\+000A"),
        (HEADINGS + "B,m,1,\x1b[2J\n", r"line 2: source '\\x1b\[2J' holds the invisible character U\+001B"),
        (HEADINGS + "B,m\u202en,1,a\n", r"line 2: player 'm\\u202en' holds the invisible character U\+202E"),
        (HEADINGS + "B\u2066,m,1,a\n", r"line 2: benchmark 'B\\u2066' holds the invisible character U\+2066"),
        (HEADINGS + "B,m\u200f,1,a\n", r"player 'm\\u200f' holds the invisible character U\+200F"),
        (HEADINGS + "B,\x85m,1,a\n", r"player 'm' holds the invisible character U\+0085"),
        (HEADINGS + "B,m,1,\u2028a\n", r"source 'a' holds the invisible character U\+2028"),
        (HEADINGS + "B,m,1,\ufeffa\n", r"source '\\ufeffa' holds the invisible character U\+FEFF"),
        (HEADINGS + "B,m,1,a\nB,m,2,a\n", "'m' has two scores in 'B' from 'a'"),
        (HEADINGS + 'B,"m,1,a\n', r"line \d: not CSV"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(UnreadableInput, match=told) as caught:
        _parse(text)
    assert "\n" not in str(caught.value)


def test_each_benchmark_and_source_has_a_scale_to_itself() -> None:
    text = HEADINGS + "B,m,0.64,a\nB,m,64,b\nC,m,71,a\nC,n,1,a\nC,o,0,a\nD,m,1,a\nD,n,0.5,a\n"
    assert len(_parse(text)) == 7


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnreadableInput, match="not UTF-8"):
        parse_scores(b"\xff\xfe", "s.csv")


@pytest.mark.parametrize(
    "source",
    [
        *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "  javascript:alert(1)", "javascript: alert(1)"),
        *("javascript://a.org/%0aalert(1)", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd"),
        *("http:alert(1)", "https://", "http:///a", "https://u:p@a.org/", "https://a.org/a b", "ftp://a.org"),
        *("http://a.org\\@b.org", "blob:https://a.org/1", "view-source:https://a.org", "HTTPS:a.org"),
    ],
)
def test_a_source_that_is_an_address_is_one_of_the_web(source: str) -> None:
    with pytest.raises(
        UnreadableInput, match=r"line 2: source .* is an address, and not one of the web"
    ) as told:
        _parse(f'{HEADINGS}B,m,1,"{source}"\n')
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("hidden", ["\t", "\n", "\r", "\x00", "\x01", "\x1f", "\u200b", "\u202e"])
def test_hidden_characters_carry_no_address_in(hidden: str) -> None:
    told = r"line \d: source .* (invisible character|not CSV)|line \d: not CSV"
    for place in ("{}javascript:x", "java{}script:x", "javascript{}:x", "javascript:x{}"):
        with pytest.raises(UnreadableInput, match=told):
            _parse(f'{HEADINGS}B,m,1,"{place.format(hidden)}"\n')


@pytest.mark.parametrize(
    "source",
    [
        *(
            "OpenCompass, March 2025",
            "Table 3: MMLU",
            "\u8bba\u6587\u8868 3",
            "a/b (c)",
            "the page at x.org:80",
        ),
        *("https://a.org", "HTTPS://A.ORG:443/p?q=javascript:x#y", "http://localhost:8000/scores.csv"),
    ],
)
def test_a_source_is_text_or_an_address_of_the_web(source: str) -> None:
    assert _parse(f'{HEADINGS}B,m,1,"{source}"\n')[0]["source"] == source
