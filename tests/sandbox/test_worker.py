"""What passes between parent and worker: sizes to the byte, and a reply to the very request."""

import ast
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.tasks.sandbox.refusal import LIMITS, SandboxRefusal, WorkerLimits
from perennial.tasks.sandbox.tier import Worker, guest_command
from tests.sandbox.hostile import PRELUDE
from tests.sandbox.programs import FAST
from tests.sandbox.tiers import KERNEL_JAILS

_BYTES = 4_000
_SMALL = WorkerLimits(call_seconds=2.0, start_seconds=2.0, message_bytes=_BYTES)
# Of a request and of a reply, beside their value: {"input":"","nonce":"32 digits"} and its line break.
_REQUEST = len('{"input":"","nonce":""}\n') + 32
_REPLY = len('{"ok":"","nonce":""}\n') + 32


def test_an_input_of_the_greatest_size_passes_and_one_byte_more_is_refused_here() -> None:
    with Worker(_SMALL) as worker:
        worker.define("def f(x): return str(len(x))", "f")
        longest = "a" * (_BYTES - _REQUEST)
        assert worker.call(longest) == str(len(longest))
        with pytest.raises(SandboxRefusal) as refused:
            worker.call(longest + "a")
        assert (refused.value.reason, refused.value.detail) == ("too_large", f"{_BYTES + 1:,} bytes of input")
        # It was not sent: the worker waits for the next one.
        assert worker.call("abc") == "3"


def test_code_is_bounded_as_an_input_is() -> None:
    with Worker(_SMALL) as worker, pytest.raises(SandboxRefusal, match="bytes of input") as refused:
        worker.define("#" * _BYTES, "f")
    assert refused.value.reason == "too_large"


def test_an_output_of_the_greatest_size_passes_and_one_byte_more_is_refused() -> None:
    with Worker(_SMALL) as worker:
        worker.define("def f(x): return 'a' * x", "f")
        longest = _BYTES - _REPLY
        assert worker.call(longest) == "a" * longest
        with pytest.raises(SandboxRefusal) as refused:
            worker.call(longest + 1)
        assert refused.value.reason == "too_large"
        # The worker said so itself, and lives on.
        assert worker.call(1) == "a"


@pytest.mark.skipif(not KERNEL_JAILS, reason="this machine has no seccomp")
@pytest.mark.parametrize("nonce", ['"nonce":"0",', '"nonce":null,', '"nonce":1,', ""])
def test_a_reply_to_no_request_is_refused_at_once(nonce: str) -> None:
    """The program writes nothing more, so that the first call must not take what it wrote."""
    forged = f" os.write(4, b'{{{nonce}\"ok\":[1]}}' + bytes([10]))\n while True: pass\n"
    with Worker(FAST) as worker:
        worker.define(PRELUDE + forged, "f")
        with pytest.raises(SandboxRefusal, match="not to the request that was made") as refused:
            worker.call("x")
    assert refused.value.reason == "protocol"


@pytest.mark.skipif(not KERNEL_JAILS, reason="this machine has no seccomp")
def test_a_reply_to_the_request_before_is_refused() -> None:
    """A program that keeps a nonce cannot use it for the next request."""
    code = PRELUDE.replace("def f(x):\n", "kept = []\ndef f(x):\n") + (
        ' frame = sys._getframe()\n while "request" not in frame.f_locals: frame = frame.f_back\n'
        ' kept.append(frame.f_locals["request"]["nonce"])\n if len(kept) == 1: return "first"\n'
        ' os.write(4, ("{\\"nonce\\":\\"" + kept[0] + "\\",\\"ok\\":[1]}").encode() + bytes([10]))\n'
        " while True: pass\n"
    )
    with Worker(FAST) as worker:
        worker.define(code, "f")
        assert worker.call("x") == "first"
        with pytest.raises(SandboxRefusal, match="not to the request that was made"):
            worker.call("x")


@pytest.mark.skipif(not KERNEL_JAILS, reason="this machine has no seccomp")
@pytest.mark.parametrize("over", [0, 1])
def test_a_line_without_end_is_read_to_the_greatest_size(over: int) -> None:
    """The line break is the last byte that may come: without it the size decides."""
    code = PRELUDE + f" os.write(4, b'a' * {_BYTES - 1 + over} + bytes([10]))\n while True: pass\n"
    with Worker(_SMALL) as worker:
        worker.define(code, "f")
        with pytest.raises(SandboxRefusal) as refused:
            worker.call("x")
    assert refused.value.reason == ("too_large" if over else "protocol")


# Stands where a jail would, and so in place of the guest: it answers a request as a test says.
_ACTOR = """
import json, os, sys, time
def write(text): os.write(1, text.encode())
for line in sys.stdin.buffer:
    request = json.loads(line)
    nonce = request["nonce"]
    def reply(**more): write(json.dumps({"nonce": nonce, **more}) + chr(10))
    def tell(reason, detail): reply(refused=reason, detail=detail)
"""


def acting(line: str, limits: WorkerLimits = _SMALL) -> Worker:
    """Return a worker that runs this line for each request, in place of a guest."""
    return Worker(limits, jail=(sys.executable, "-S", "-c", f"{_ACTOR}    {line}\n"))


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("write('what' + chr(10))", "protocol", "the reply is no JSON"),
        ("write('[]' + chr(10))", "protocol", "the reply is no object"),
        ("reply(nonce='0', ok=1)", "protocol", "the reply is not to the request that was made"),
        ("reply()", "protocol", "the reply has not the form of a reply"),
        ("reply(ok=1, detail='x')", "protocol", "the reply has not the form of a reply"),
        ("reply(refused='raised')", "protocol", "the reply has not the form of a reply"),
        ("reply(refused='raised', detail='x', more=1)", "protocol", "the reply has not the form of a reply"),
        ("tell('raised', 1)", "protocol", "the reply has not the form of a reply"),
        ("tell('tired', 'x')", "protocol", "the reply has not the form of a reply"),
        ("tell('raised', 'x' * 401)", "raised", "x" * 400),
        (
            "write(json.dumps({'nonce': nonce, 'ok': 1}) + chr(10) + '{')",
            "protocol",
            "the worker wrote more than one reply",
        ),
        ("reply(ok='a' * 5_000)", "too_large", "an output of more than 4,000 bytes"),
        ("os._exit(7)", "died", "the worker ended without a reply (7)"),
        ("os.kill(os.getpid(), 9)", "died", "the worker ended without a reply (-9)"),
    ],
)
def test_what_is_no_reply_to_the_request_is_named(line: str, reason: str, detail: str) -> None:
    with acting(line) as worker:
        with pytest.raises(SandboxRefusal) as refused:
            worker.call("x")
        assert (refused.value.reason, refused.value.detail) == (reason, detail)
        if reason != "raised":
            with pytest.raises(SandboxRefusal) as again:
                worker.call("x")
            assert (again.value.reason, again.value.detail) == ("died", "the worker has ended")


@pytest.mark.slow
def test_a_worker_without_a_reply_ends_at_its_time() -> None:
    short = replace(LIMITS, start_seconds=0.3, call_seconds=0.2)
    for line, detail in (
        ("time.sleep(60)", "no output within 0.2 seconds"),
        ("reply(ok=request['input']); time.sleep(60)", "the worker read nothing for 0.2 seconds"),
    ):
        with acting(line, short) as worker:
            if "reply" in line:
                assert worker.call("x") == "x"
            with pytest.raises(SandboxRefusal) as refused:
                worker.call("a" * 1_000_000)
        assert (refused.value.reason, refused.value.detail) == ("time", detail)
    with (
        acting("time.sleep(60)", short) as worker,
        pytest.raises(SandboxRefusal, match=r"within 0\.3 seconds"),
    ):
        worker.define("", "f")


def test_values_are_bounded_in_and_out() -> None:
    deep = replace(_SMALL, value_depth=2)
    with acting("reply(ok=[[1]] if request['input'] == 0 else [[[1]]])", deep) as worker:
        with pytest.raises(SandboxRefusal) as refused:
            worker.call([[[1]]])
        assert (refused.value.reason, refused.value.detail) == (
            "value",
            "the input is a value that is nested too deeply",
        )
        assert worker.call(0) == [[1]]
        with pytest.raises(SandboxRefusal) as refused:
            worker.call([[1]])
        assert refused.value.reason == "value"
        assert refused.value.detail == "the function returns a value that is nested too deeply"
        with pytest.raises(SandboxRefusal, match="has ended"):
            worker.call(0)


def test_the_number_of_values_of_a_reply_is_bounded() -> None:
    # {"nonce": ..., "ok": [1, 2]}: an object, a list, and a comma in each.
    for most in (4, 3):
        with acting("reply(ok=[1, 2])", replace(_SMALL, message_values=most)) as worker:
            if most == 4:
                assert worker.call("x") == [1, 2]
                continue
            with pytest.raises(SandboxRefusal) as refused:
                worker.call("x")
            assert refused.value.reason == "too_large"
            assert refused.value.detail == "an output of more than 3 values"


@pytest.mark.parametrize("code", [-signal.SIGKILL, -signal.SIGXCPU, 137, 152, 1])
@pytest.mark.parametrize("seconds", [0, 60])
def test_whoever_is_killed_before_it_could_use_its_time_did_not_use_it(code: int, seconds: int) -> None:
    line = f"os._exit({code})" if code > 0 else f"os.kill(os.getpid(), {-code})"
    with (
        acting(line, replace(_SMALL, cpu_seconds=seconds)) as worker,
        pytest.raises(SandboxRefusal) as refused,
    ):
        worker.call("x")
    if seconds == 0 and code != 1:
        assert refused.value.reason == "time"
        assert refused.value.detail == "more than 0 seconds of the processor"
    else:
        assert refused.value.reason == "died"
        assert refused.value.detail == f"the worker ended without a reply ({code})"


@pytest.mark.parametrize("then", ["time.sleep(60)", "os._exit(7)"])
def test_bytes_before_a_request_end_the_worker(then: str, tmp_path: Path) -> None:
    """A reply, and what comes after it: a pipe tells the test when that was written."""
    fifo = tmp_path / "written"
    os.mkfifo(fifo)
    wrote = "write('x'); " if "sleep" in then else ""
    line = f"reply(ok=1); open({str(fifo)!r}).read(); {wrote}open({str(fifo)!r}, 'w').write('x'); {then}"
    with acting(line) as worker:
        assert worker.call("x") == 1
        fifo.write_text("go on")
        assert fifo.read_text() == "x"
        if not wrote:
            os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(SandboxRefusal) as refused:
            worker.call("x")
    told = (refused.value.reason, refused.value.detail)
    assert told == (
        ("protocol", "the worker wrote before it was asked")
        if wrote
        else ("died", "the worker ended without a reply (7)")
    )


def test_a_worker_is_alone_and_leaves_nothing_open() -> None:
    before = len(os.listdir("/dev/fd"))
    seen = "reply(ok=[os.getcwd(), os.getsid(0) == os.getpid(), dict(os.environ)])"
    with Worker(_SMALL, hash_seed=5, jail=(sys.executable, "-S", "-c", f"{_ACTOR}    {seen}\n")) as worker:
        environment = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "5"}
        assert worker.call("x") == ["/", True, environment]
        pid = worker.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    worker.kill()
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("jail", [(), ("a jail", "--with", "words")])
def test_a_guest_is_told_its_limits_and_its_parent(jail: tuple[str, ...]) -> None:
    *start, script = guest_command("loop", _SMALL, jail, use_seccomp=not jail)
    # Without site packages, user packages, compiled files and the folder where it starts.
    assert start == [*jail, sys.executable, "-s", "-S", "-B", "-P", "-c"]
    entry, _, settings = script.strip().rpartition("\n")[2].partition("main(")
    assert entry == 'sys.modules["perennial.tasks.sandbox.guest.loop"].'
    assert ast.literal_eval(settings.removesuffix(")")) == {
        "parent": 0 if jail else os.getpid(),
        "memory_bytes": LIMITS.memory_bytes,
        "cpu_seconds": LIMITS.cpu_seconds,
        "message_bytes": _BYTES,
        "value_depth": LIMITS.value_depth,
        "seccomp": int(not jail),
    }
