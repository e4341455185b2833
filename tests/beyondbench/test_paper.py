"""`perennial reproduce-paper beyondbench`: the paper beside its site, and beside itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.beyondbench.paper import SUITES, compare_paper, read_site
from perennial.tasks.papers import Comparison, judge_figures
from perennial.warehouse.store.store import Store
from tests.beyondbench.test_import_leaderboard import give, leaderboard
from tests.flows.hand_made_root import Run

__all__ = ["give", "leaderboard"]
MIXTRAL = "Mistral/Mixtral-8x22B"
QUANTIZED = ("FP8", "AWQ", "Int4", "Int8")


def compared(path: Path | None = None) -> list[Comparison]:
    return compare_paper(Store("unused"), path, lambda _: None)


def as_entries(change: Callable[[dict[str, Any]], None] = lambda _: None) -> bytes:
    """Return the bundled leaderboard in the site's form, each model changed."""
    short = {"accuracy": "acc", "instruction_following": "inst", "tokens": "tokens"}
    entries = []
    for model in read_site(None).values():
        size, _, quantization = model.settings.partition(", ")
        entry: dict[str, Any] = {"model": model.name, "params": size, "quantization": quantization}
        entry["overthinking"] = 1.0
        for figure, column in (
            ("accuracy", "accuracy"),
            ("instruction_following", "instruction"),
            ("tokens", "tokens"),
        ):
            entry[column] = model.scores[figure, "all"]
            entry |= {f"{suite}_{short[figure]}": model.scores[figure, suite] for suite in SUITES}
        change(entry)
        entries.append(entry)
    return json.dumps(entries).encode()


def differing(rows: list[Comparison], item: str, metric: str = "accuracy") -> list[Comparison]:
    return [row for row in rows if (row.item, row.metric) == (item, metric) and row.agrees is False]


def test_what_differs_is_computed_and_named() -> None:
    rows = compared()
    (mixtral,) = differing(rows, "table 3")
    assert (mixtral.player, mixtral.setting, mixtral.printed, mixtral.ours) == (
        "Mistral-8x22b",
        "easy",
        30.06,
        50.06,
    )
    off = differing(rows, "leaderboard, mean of its suites")
    assert len(off) == 15
    assert all(row.player.endswith(QUANTIZED) for row in off)
    assert max(abs(row.difference or 0) for row in off) == pytest.approx(3.89)
    hard = differing(rows, "tables 28 to 30")
    assert len(hard) == 16
    assert sum(row.reason.endswith("tower_of_hanoi counts as 0") for row in hard) == 13
    (bits,) = differing(rows, "leaderboard, name and quantization", "bits")
    assert (bits.settings, bits.ours) == ("1.7B, GPTQ-4-Bit", 8)
    assert {row.settings for row in rows if row.item == "figure 3"} >= {"Qwen3, 0.6B", "Qwen2.5, 72B"}
    assert any(row.settings.endswith("0.5B, GPTQ-4-Bit") for row in rows if row.item == "figure 4")


@pytest.mark.slow
def test_a_site_that_was_corrected_gives_another_verdict(tmp_path: Path) -> None:
    def correct(entry: dict[str, Any]) -> None:
        entry["accuracy"] = sum(entry[f"{suite}_acc"] for suite in SUITES) / 3
        if entry["model"] == MIXTRAL:
            entry["easy_acc"] = 30.06

    (tmp_path / "leaderboard.json").write_bytes(as_entries(correct))
    for path in (tmp_path, tmp_path / "leaderboard.json"):
        rows = compared(path)
        assert not [row for row in differing(rows, "table 3") if row.setting == "easy"]
        # Its overall is now the mean with the other Easy score; the fifteen are means of their suites.
        assert [row.player for row in differing(rows, "leaderboard, mean of its suites")] == [MIXTRAL]


def test_a_model_that_a_leaderboard_lacks_is_not_judged(tmp_path: Path) -> None:
    entries = [entry for entry in json.loads(as_entries()) if entry["model"] != "Qwen/Qwen3-0.6B"]
    (tmp_path / "l.json").write_text(json.dumps(entries))
    rows = compared(tmp_path / "l.json")
    lost = [row for row in rows if row.item == "table 3" and row.player == "Qwen3 (0.6B)"]
    assert {(row.ours, row.agrees, row.reason) for row in lost} == {
        (None, None, "the leaderboard has no such model")
    }
    gain = next(row for row in rows if row.metric == "accuracy_gain" and row.settings == "0.6B to 1.7B")
    assert gain.ours is None


@pytest.mark.slow
def test_the_leaderboard_of_the_site_gives_what_the_bundled_one_gives(leaderboard: Path) -> None:
    assert compared(leaderboard) == compared()


@pytest.mark.slow
def test_the_command_prints_verdicts_and_ends_with_11(give: Run) -> None:
    done = give("reproduce-paper", "beyondbench")
    assert done.code == 11
    assert done.err.count("\n") == 1
    assert max(map(len, done.out.splitlines())) <= 80
    verdicts = judge_figures(compared(), 1.0)
    judged = [verdict.agrees for verdict in verdicts if verdict.agrees is not None]
    assert done.out.splitlines()[-1] == f"{sum(judged)} of {len(judged)} reproducible figures agree"
    document = json.loads(give("reproduce-paper", "beyondbench", "--json").out)
    assert len(document["values"]) == len(compared())
    assert [figure["agrees"] for figure in document["figures"]] == [verdict.agrees for verdict in verdicts]


@pytest.mark.parametrize(
    ("benchmark", "path", "content", "said"),
    [
        ("beyondbench", "none.json", None, "none.json: no such file"),
        ("beyondbench", "bad.json", b"[{]", "bad.json: not JSON"),
        ("beyondbench", ".", None, "leaderboard.json: no such file"),
        ("knowlogic", "none.txt", None, "none.txt: no such file"),
        ("knowlogic", "some.txt", b"Table 7: none", "some.txt: no printed question in it"),
        ("knowlogic", "bad.txt", b"\xff\xfe\x00", "bad.txt: it looks like UTF-16"),
        ("a2rbench", "none", None, "none: no such file"),
        ("a2rbench", ".", None, "seeds.jsonl: no such file"),
        ("a2rbench", "bad.jsonl", b"{}", "bad.jsonl, line 1"),
        ("kumo", "none", None, "none"),
        ("kumo", ".", None, "KUMO"),
        ("chess", ".", None, "benchmark 'chess' is not installed"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    give: Run, tmp_path: Path, benchmark: str, path: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / path).write_bytes(content)
    done = give("reproduce-paper", benchmark, path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
