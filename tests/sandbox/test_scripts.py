"""Scripts run for what they print: up to their end or their first error, within the limits."""

import pytest

from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import run_script
from tests.sandbox.programs import FAST
from tests.sandbox.tiers import PROTECTION

JAIL = PROTECTION.jail


def test_what_a_script_prints_comes_back_with_the_line_of_its_error() -> None:
    script = """
import math
print(math.comb(5, 2), "a", sep="-", end="!")
print({"x": [1, 2.5, None]}, "\\udc80")
def f(n):
    return 1 // n
print(f(0))
"""
    printed, error = run_script(script, FAST, JAIL)
    assert printed == "10-a!{'x': [1, 2.5, None]} \\udc80\n"
    assert error == "line 6: ZeroDivisionError: integer division or modulo by zero"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("while True: pass", "time"),
        ("import os", "forbidden"),
        ("print(open('/etc/passwd').read())", "forbidden"),
        ("print(().__class__)", "forbidden"),
        ("print(", "syntax"),
        ("# " + "a" * 70_000, "too_large"),
    ],
)
def test_a_script_is_refused_or_stopped_with_a_reason(script: str, reason: str) -> None:
    with pytest.raises(SandboxRefusal) as refused:
        run_script(script, FAST, JAIL)
    assert refused.value.reason == reason


def test_endless_output_and_endless_memory_stay_within_bounds() -> None:
    printed, error = run_script("for i in range(100_000): print('a' * 100)", FAST, JAIL)
    assert (10_000 < len(printed) <= 20_000, error) == (True, "")
    assert (
        run_script("print('a')\nx = [0] * 10**9", FAST, JAIL)[1]
        == "the script needs more memory than it may use"
    )
