"""`perennial play --benchmark a2rbench`: what is no JSON is asked for again."""

import io
import json
import sys

import pytest

from perennial.flows.benchmark import find_benchmark
from tests.flows.hand_made_root import Shown, perennial

_GAME = ("play", "--benchmark", "a2rbench", "--domain", "line_symbolic", "--seed", "7")


def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: str) -> Shown:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    return perennial(monkeypatch, capsys, *_GAME)


def test_what_is_no_json_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = json.loads(find_benchmark("a2rbench").draw_seat("line_symbolic", "", 7).answer)
    shown = play(monkeypatch, capsys, f'a b c\n["a", "b"\n{json.dumps(answer)}\n')
    assert shown.code == 0
    assert shown.out.count("is not JSON: type the output on one line") == 2
    assert "\nright (solved)\n" in shown.out
    assert "\nsearch answers " in shown.out


@pytest.mark.parametrize(("line", "end"), [('["a"]', "wrong (wrong)"), ("null", "wrong (unparsed)")])
def test_a_wrong_output_and_none_end_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, end: str
) -> None:
    shown = play(monkeypatch, capsys, f"{line}\n")
    assert shown.code == 0
    assert f"\n{end}\n" in shown.out
    assert "is no JSON" not in shown.out
