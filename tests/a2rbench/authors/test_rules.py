"""Rules of the audit on what authors did, each of which can fail."""

from collections.abc import Callable
from typing import Any

import pytest

from perennial.schemas.tables import TABLES
from tests.warehouse.doctored_rows import Rows, change, find_offenders

STEPS = ("rule", "rule_judged", "code", "run", "judged")
PASSED_ALL = "passed all five steps"
REASONS = "has a reason and a message exactly where"
CALLS = "every call that a rule or an attempt"
PLACE = {"domain": "grid_symbolic", "number": 1}


def rows() -> Rows:
    """Return a rule, its five steps after a candidate that was refused, and their calls."""
    attempts = [step(1, "rule", "c0"), step(1, "rule_judged", "c1")]
    attempts[1] |= {"passed": False, "reason": "refused_by_judge", "message": "no"}
    attempts += [step(2, name, None if name == "run" else f"c{2 + at}") for at, name in enumerate(STEPS)]
    calls = [attempt["call_id"] for attempt in attempts if attempt["call_id"]]
    rule = {**PLACE, "rule": "rule_1", "author": "m", "code": "", "inputs": "[]", "call_ids": calls[2:]}
    others: Rows = {name: [] for name in TABLES if name.startswith("a2rbench_")}
    return others | {
        "a2rbench_rules": [{**rule, "description": "d", "inverse_description": "i"}],
        "a2rbench_attempts": attempts,
        "calls": [{"call_id": call} for call in calls],
    }


def step(candidate: int, name: str, call_id: str | None) -> dict[str, Any]:
    own = {"variation": 0, "candidate": candidate, "step": name, "attempt": 1, "author": "m"}
    return {**PLACE, **own, "passed": True, "reason": None, "message": None, "call_id": call_id}


@pytest.mark.parametrize("sentence", [PASSED_ALL, REASONS, CALLS])
def test_what_authors_did_passes(sentence: str) -> None:
    assert find_offenders(sentence, rows()) == []


@pytest.mark.parametrize(
    ("sentence", "spoil"),
    [
        (PASSED_ALL, lambda made: made["a2rbench_rules"].clear()),
        (PASSED_ALL, lambda made: made["a2rbench_attempts"].pop(5)),
        (PASSED_ALL, change("a2rbench_attempts", "passed", False, 6)),
        (PASSED_ALL, change("a2rbench_rules", "author", "other")),
        (REASONS, change("a2rbench_attempts", "reason", None, 1)),
        (REASONS, change("a2rbench_attempts", "message", "why", 2)),
        (REASONS, change("a2rbench_attempts", "call_id", None, 2)),
        (REASONS, change("a2rbench_attempts", "call_id", "c1", 5)),
        (CALLS, lambda made: made["calls"].pop()),
        (CALLS, change("a2rbench_rules", "call_ids", ["c0", "c9"])),
    ],
)
def test_each_rule_can_fail(sentence: str, spoil: Callable[[Rows], None]) -> None:
    made = rows()
    spoil(made)
    assert find_offenders(sentence, made)
