"""The quick test of boards: it drops most that are not balanced, and none that is."""

from functools import reduce
from operator import or_

import numpy as np
import pytest

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling.balanced import reach
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced, draw_boards
from perennial.tasks.kumo.sampling.tables import SamplingTables
from tests.kumo.test_sampling import tiny

# Parts of a kernel have no wrapper for Python: their source is called.
list_reach, can_separate = reach.list_reach.py_func, reach.can_separate.py_func
STUDENTS = encode_config(load_bundled("student_assessment"))
MANY = tiny(
    (tuple(f"t{i}" for i in range(0, 70, 2)), tuple(f"t{i}" for i in range(1, 70, 2))),
    (tuple(f"t{i}" for i in range(35)), tuple(f"t{i}" for i in range(35, 70))),
    (tuple(f"t{i}" for i in range(0, 70, 3)), ()),
    (tuple(f"t{i}" for i in range(60, 68)), tuple(f"t{i}" for i in range(0, 70, 5))),
    n_truths=70,
)


def plain_separation(encoded: EncodedConfig, truths: list[int], actions: list[int]) -> bool:
    """Return whether all truths are possible and each pair can be told apart: written to be read."""
    for truth in truths:
        spared = [[mask for mask in encoded.masks[a] if not mask >> truth & 1] for a in actions]
        if not all(spared):
            return False
        reached = reduce(or_, (mask for masks in spared for mask in masks), 0)
        if not all(reached >> other & 1 for other in truths if other != truth):
            return False
    return True


def draw_attempts(encoded: EncodedConfig, setting: str, attempt: int) -> tuple[np.ndarray, ...]:
    """Return 400 boards of one attempt each, balanced or not, and whether the draw accepted them."""
    size, rows = Setting.parse(setting), 400
    tables = SamplingTables(encoded).kernel
    truths, actions, attempts = draw_boards(
        tables,
        (size.n_truths, size.n_actions),
        np.full(rows, 5, np.uint64),
        np.arange(rows),
        np.full(rows, attempt, np.int64),
        attempt + 1,
    )
    return truths, actions, attempts == attempt


@pytest.mark.parametrize(("encoded", "setting"), [(STUDENTS, "easy"), (STUDENTS, "hard"), (MANY, "3x4")])
def test_the_quick_test_is_what_its_definition_says(encoded: EncodedConfig, setting: str) -> None:
    truths, actions, _ = draw_attempts(encoded, setting, 0)
    table = list_reach(SamplingTables(encoded).kernel)
    listed = np.zeros(table.shape[2], np.int64)
    found = [can_separate(table, t, a, listed) for t, a in zip(truths, actions, strict=True)]
    rows = zip(truths.tolist(), actions.tolist(), strict=True)
    assert found == [plain_separation(encoded, t, a) for t, a in rows]
    assert not any(found) or not all(found)


@pytest.mark.parametrize(("encoded", "setting"), [(STUDENTS, "easy"), (STUDENTS, "hard"), (MANY, "3x4")])
def test_a_draw_accepts_exactly_the_balanced_boards(encoded: EncodedConfig, setting: str) -> None:
    tables = SamplingTables(encoded).kernel
    accepted = 0
    for attempt in range(4):
        truths, actions, found = draw_attempts(encoded, setting, attempt)
        # The judge looks at each board in full.
        assert found.tolist() == are_balanced(tables, truths, actions).tolist()
        accepted += int(found.sum())
    assert accepted > 0


def test_few_boards_of_a_sparse_domain_need_the_full_test() -> None:
    truths, actions, accepted = draw_attempts(STUDENTS, "hard", 0)
    table = list_reach(SamplingTables(STUDENTS).kernel)
    listed = np.zeros(table.shape[2], np.int64)
    left = sum(can_separate(table, t, a, listed) for t, a in zip(truths, actions, strict=True))
    assert accepted.sum() <= left < 0.2 * len(truths)
