"""Hostile programs are refused or contained: nothing outside is touched, and the parent goes on."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Worker, run_code, run_purely
from tests.sandbox.hostile import ESCAPED, IMPURE, NATURAL, PRELUDE
from tests.sandbox.programs import FAST, HELD, escaped, fill, run_escaped
from tests.sandbox.tiers import JAILS, KERNEL_JAILS, PROTECTION

needs_seccomp = pytest.mark.skipif(PROTECTION.tier == "none", reason="this machine has no seccomp")


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """A file that anybody may change, in a folder that anybody may change; nothing may have."""
    folder = tmp_path / "outside"
    folder.mkdir()
    file = folder / "mark"
    file.write_text("untouched")
    for place, mode in ((file, 0o666), (folder, 0o777)):
        place.chmod(mode)
    before = file.stat()
    yield file
    after = file.stat()
    assert sorted(folder.iterdir()) == [file]
    assert file.read_text() == "untouched"
    assert (before.st_mtime_ns, before.st_mode, before.st_uid) == (
        after.st_mtime_ns,
        after.st_mode,
        after.st_uid,
    )


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        yield server.getsockname()[1]
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize("name", NATURAL)
@pytest.mark.slow
def test_a_natural_program_is_refused_and_the_parent_is_not_held_up(name: str, mark: Path, port: int) -> None:
    """Without the kernel's help: a jail only takes more away."""
    start = time.monotonic()
    with pytest.raises(SandboxRefusal) as refused:
        run_purely(fill(NATURAL[name], mark, port), "f", [[["a"]], "bc"], FAST, JAILS["none"])
    assert time.monotonic() - start < 10 * FAST.start_seconds
    assert len(refused.value.detail) < 500


@pytest.mark.parametrize("name", IMPURE)
def test_an_impure_function_is_found(name: str) -> None:
    with pytest.raises(SandboxRefusal) as refused:
        run_purely(IMPURE[name], "f", ["a", "b", "c"], FAST)
    assert refused.value.reason == "impure"


@needs_seccomp
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of calls are those of x86_64")
@pytest.mark.parametrize(
    "tier", [pytest.param(tier, marks=[pytest.mark.slow] * (tier != "seccomp")) for tier in KERNEL_JAILS]
)
@pytest.mark.parametrize("name", ESCAPED)
def test_a_program_past_every_check_in_python_is_refused_by_the_kernel(
    name: str, tier: str, mark: Path
) -> None:
    assert run_escaped(fill(escaped(name), mark), JAILS[tier]) in HELD


def test_the_prelude_reaches_what_it_needs() -> None:
    """Without it the programs above would be refused for another reason."""
    with Worker(FAST) as worker:
        worker.define(PRELUDE + " return [os.name, sys.platform, str(os.getpid() > 0)]\n", "f")
        assert worker.call("x") == [os.name, sys.platform, "True"]


@pytest.mark.parametrize("tier", JAILS)
def test_a_good_program_runs_in_each_tier(tier: str) -> None:
    code = "import json\nfrom collections import Counter\ndef f(x): return x[::-1] if Counter(str(x)) else 1"
    assert run_purely(code, "f", ["abc", [1, 2], [["a"], ["b"]]], FAST, JAILS[tier]) == [
        "cba",
        [2, 1],
        [["b"], ["a"]],
    ]


def test_a_worker_lives_on_after_an_exception_and_dies_after_a_time_out() -> None:
    code = "def f(x):\n if x == 'loop':\n  while True: pass\n return 1 // x"
    with Worker(FAST) as worker:
        worker.define(code, "f")
        with pytest.raises(SandboxRefusal, match="ZeroDivisionError"):
            worker.call(0)
        assert worker.call(1) == 1
        with pytest.raises(SandboxRefusal, match="no output within"):
            worker.call("loop")
        with pytest.raises(SandboxRefusal, match="ended"):
            worker.call(1)


def test_no_output_of_a_forged_reply_is_taken() -> None:
    """Code that writes replies by itself: the worker ends at the first byte that was not asked for."""
    forged = ' os.write(4, b\'{"nonce":"0","ok":[1]}\' + bytes([10]))\n return [2]\n'
    with Worker(FAST) as worker:
        worker.define(PRELUDE + forged, "f")
        with pytest.raises(SandboxRefusal) as refused:
            [worker.call(value) for value in "xy"]
    assert refused.value.reason == "protocol"


def test_memory_is_bounded_and_the_worker_says_so() -> None:
    with pytest.raises(SandboxRefusal) as refused:
        run_code("def f(x): return len([0] * (2**27))", "f", ["x"], FAST)
    assert refused.value.reason == "memory"
