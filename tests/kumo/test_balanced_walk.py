"""Walks lead to each balanced list equally often, however they are judged."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced, draw_boards
from perennial.tasks.kumo.sampling.balanced.walk import Trace, Walked, WalkPace, walk
from perennial.tasks.kumo.sampling.tables import SamplingTables
from tests.kumo.test_balanced import SMALL, plain_boards
from tests.kumo.test_sampling import tiny

PACE = WalkPace(9, 4, 10_000)
# Four truths, and t4 and t5: the same action rules both out, in different states.
CONFLICTING = tiny(
    (("t0",), ("t1",), ()),
    (("t1", "t2"), ("t0", "t3"), ()),
    (("t2",), ("t3", "t0"), ("t1",)),
    (("t4",), ("t5",), ("t0", "t2")),
    (("t1", "t3"), ("t2",), ()),
    n_truths=6,
)


def walk_from(
    encoded: EncodedConfig, board: tuple[tuple[int, ...], ...], rows: int, pace: WalkPace
) -> Walked:
    """Walk from a board through so many rows."""
    first = tuple(np.array(part, np.int32) for part in board)
    indices, trace = np.arange(rows), Trace.empty(0, *map(len, board))
    seeds = np.full(rows, 11, np.uint64)
    return walk(SamplingTables(encoded).kernel, (first[0], first[1]), seeds, indices, 0, pace, trace)


@pytest.mark.parametrize("encoded", [SMALL, CONFLICTING], ids=["small", "conflicting"])
@pytest.mark.parametrize("setting", ["3x3", "4x4"])
def test_each_balanced_list_is_met_equally_often(encoded: EncodedConfig, setting: str) -> None:
    boards = plain_boards(encoded, Setting.parse(setting))
    walked = walk_from(encoded, min(boards), 6_000, PACE)
    met = Counter(
        (tuple(truths), tuple(actions))
        for truths, actions in zip(
            np.sort(walked.truths).tolist(), np.sort(walked.actions).tolist(), strict=True
        )
    )
    assert set(met) == boards
    assert len(boards) > 1
    assert chisquare([met[board] for board in sorted(boards)]).pvalue > 1e-4


def test_a_walk_that_meets_no_balanced_list_ends() -> None:
    boards = plain_boards(CONFLICTING, Setting.parse("3x3"))
    walked = walk_from(CONFLICTING, min(boards), 50, WalkPace(3, 60, 40))
    assert len(walked.truths) == len(walked.judged) == 0


@pytest.mark.slow
def test_more_actions_than_a_word_has_bits() -> None:
    names = [f"t{i}" for i in range(24)]
    many = tiny(
        *(((names[i % 24], names[(i * 7 + 3) % 24]), (names[(i * 5 + 1) % 24],), ()) for i in range(70)),
        n_truths=24,
    )
    tables = SamplingTables(many).kernel
    indices = np.arange(1_000)
    seeds = np.full(len(indices), 3, np.uint64)
    drawn = draw_boards(tables, (4, 40), seeds, indices, np.zeros(len(indices), np.int64), 4_000)
    walked = walk_from(many, (tuple(drawn[0][0]), tuple(drawn[1][0])), 500, WalkPace(24, 4, 10_000))
    assert are_balanced(tables, walked.truths, walked.actions).all()
    assert inclusion(drawn[:2], walked, many) < 1.4


@pytest.mark.slow
def test_a_walk_lists_what_rejection_lists() -> None:
    students = encode_config(load_bundled("student_assessment"))
    tables, rows = SamplingTables(students).kernel, 4_000
    indices, starts = np.arange(rows), np.zeros(rows, np.int64)
    drawn = draw_boards(tables, (12, 16), np.full(rows, 3, np.uint64), indices, starts, 4_000)
    walked = walk_from(students, (tuple(drawn[0][0]), tuple(drawn[1][0])), rows, WalkPace(32, 4, 10_000))
    assert inclusion(drawn[:2], walked, students) < 1.4


def inclusion(drawn: tuple[np.ndarray, np.ndarray], walked: Walked, encoded: EncodedConfig) -> float:
    """Return the larger chi-squared per degree of freedom of how often truths, and actions, are listed."""
    ratios = []
    for number, before, after in zip(
        (len(encoded.truths), len(encoded.actions)), drawn, (walked.truths, walked.actions), strict=True
    ):
        rates = [np.bincount(part.ravel(), minlength=number) / len(part) for part in (before, after)]
        mean = (rates[0] + rates[1]) / 2
        varied = (mean > 0) & (mean < 1)
        variance = mean * (1 - mean) * (1 / len(before) + 1 / len(after))
        squares = ((rates[0] - rates[1])[varied] ** 2 / variance[varied]).sum()
        ratios.append(squares / (varied.sum() - 1))
    return max(ratios)
