"""Which protections work on this machine: found by trying them, once a process."""

import json
import marshal
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from shutil import which
from types import TracebackType
from typing import Literal, TypeVar, get_args

from perennial.tasks.sandbox.guest.values import check_value, load
from perennial.tasks.sandbox.refusal import LIMITS, REASONS, SandboxRefusal, WorkerLimits, check_syntax

# A worker as the parent sees it: a process that is started, asked line by line, and killed.

_GUEST = ("values", "seccomp", "confine")
_ENTRIES = {"loop": ("names", "copying", "proxies", "loop"), "probe": ("probe",)}
# By SIGKILL or SIGXCPU, as seen here and through bubblewrap.
_KILLED = (-signal.SIGKILL, -signal.SIGXCPU, 128 + signal.SIGKILL, 128 + signal.SIGXCPU)
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
# The guest's modules travel in the command, as text: a jail holds the interpreter's folders only, and -S
# keeps the folders of installed packages out.
_BOOTSTRAP = """
import binascii, marshal, sys, types
for name in ("perennial", "perennial.tasks", "perennial.tasks.sandbox", "perennial.tasks.sandbox.guest"):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = []
for name, code in {sources!r}:
    module = sys.modules["perennial.tasks.sandbox.guest." + name] = types.ModuleType(name)
    setattr(sys.modules["perennial.tasks.sandbox.guest"], name, module)
    exec(marshal.loads(binascii.a2b_base64(code)), module.__dict__)
sys.modules["perennial.tasks.sandbox.guest.{entry}"].main({settings!r})
"""


@lru_cache(maxsize=2)
def _sources(entry: str) -> tuple[tuple[str, bytes], ...]:
    """The modules that an entry needs, compiled: they run in the same interpreter, many times."""
    folder = files("perennial.tasks.sandbox.guest")
    names = (*_GUEST, *_ENTRIES[entry])
    texts = ((name, (folder / f"{name}.py").read_text(encoding="utf-8")) for name in names)
    return tuple((name, b2a_base64(marshal.dumps(compile(text, name, "exec")))) for name, text in texts)


def guest_command(entry: str, limits: WorkerLimits, jail: Sequence[str], *, use_seccomp: bool) -> list[str]:
    """The command of a guest process: a module of `guest` with a function `main(settings)`."""
    settings = {
        # Inside a jail the parent is another process, with numbers of its own.
        "parent": 0 if jail else os.getpid(),
        "memory_bytes": limits.memory_bytes,
        "cpu_seconds": limits.cpu_seconds,
        "message_bytes": limits.message_bytes,
        "value_depth": limits.value_depth,
        "seccomp": int(use_seccomp),
    }
    script = _BOOTSTRAP.format(sources=_sources(entry), settings=settings, entry=entry)
    # -I would ignore PYTHONHASHSEED: these are its parts.
    return [*jail, sys.executable, "-s", "-S", "-B", "-P", "-c", script]


class Worker:
    """A process that has run the code and calls its function.

    `hash_seed` fixes the order of its sets; `jail` is a command before the interpreter's, such as
    bubblewrap's. The worker dies with the thread that started it.
    """

    def __init__(
        self,
        limits: WorkerLimits = LIMITS,
        *,
        hash_seed: int = 0,
        jail: Sequence[str] = (),
        use_seccomp: bool = True,
    ) -> None:
        self._limits = limits
        self._buffer = b""
        self._begun = time.monotonic()
        command = guest_command("loop", limits, jail, use_seccomp=use_seccomp)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Nobody reads it, and a full pipe would stop the worker.
            stderr=subprocess.DEVNULL,
            env={**ENVIRONMENT, "PYTHONHASHSEED": str(hash_seed)},
            cwd="/",
            start_new_session=True,
            # `select` sees what the pipe holds, not what a buffer of Python has taken from it.
            bufsize=0,
        )

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def define(self, code: str, function: str) -> None:
        """Run the code as a script and keep its function; raise Refused. The syntax is not checked here."""
        self._ask({"code": code, "function": function}, self._limits.start_seconds)

    def call(self, value: object) -> object:
        """The function's output; raise Refused."""
        fault = check_value(value, self._limits.value_depth)
        if fault:
            raise SandboxRefusal("value", f"the input is {fault}")
        output = self._ask({"input": value}, self._limits.call_seconds)
        fault = check_value(output, self._limits.value_depth)
        if fault:
            raise self._end("value", f"the function returns {fault}")
        return output

    def run(self, script: str) -> tuple[str, str]:
        """Run the script for what it prints, and the error that ended it or ""; the syntax is not checked."""
        output = self._ask({"script": script}, self._limits.start_seconds)
        match output:
            case {"printed": str(printed), "error": str(error)} if not check_value(output, 1):
                return printed, error
        raise self._end("protocol", "the reply is not what a script prints")

    def kill(self) -> None:
        """End the process and wait until it is gone."""
        process = self._process
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _end(self, reason: str, detail: str) -> SandboxRefusal:
        self.kill()
        assert reason in REASONS
        return SandboxRefusal(reason, detail)

    def _ask(self, request: dict[str, object], seconds: float) -> object:
        """Send one request; anything but a reply to it ends the worker."""
        if self._process.returncode is not None:
            raise SandboxRefusal("died", "the worker has ended")
        # What code wrote ahead of its request cannot repeat a number that is drawn just now.
        nonce = secrets.token_hex(16)
        line = json.dumps({**request, "nonce": nonce}, separators=(",", ":")).encode() + b"\n"
        if len(line) > self._limits.message_bytes:
            raise SandboxRefusal("too_large", f"{len(line):,} bytes of input")
        deadline = time.monotonic() + seconds
        if self._buffer or self._readable(0):
            self._refuse_unasked(seconds)
        self._write(line, deadline, seconds)
        reply = self._parse(self._read_line(deadline, seconds))
        if reply.get("nonce") != nonce:
            raise self._end("protocol", "the reply is not to the request that was made")
        if set(reply) == {"nonce", "ok"}:
            return reply["ok"]
        reason, detail = reply.get("refused"), reply.get("detail")
        if (
            set(reply) != {"nonce", "refused", "detail"}
            or reason not in REASONS
            or not isinstance(detail, str)
        ):
            raise self._end("protocol", "the reply has not the form of a reply")
        raise SandboxRefusal(reason, detail[:400])

    def _parse(self, line: bytes) -> dict[str, object]:
        # Reading a reply is the parent's time, which no clock ends: many small values take long.
        if sum(map(line.count, (b",", b"[", b"{"))) > self._limits.message_values:
            raise self._end("too_large", f"an output of more than {self._limits.message_values:,} values")
        try:
            reply = load(line)
        except ValueError:
            raise self._end("protocol", "the reply is no JSON") from None
        if not isinstance(reply, dict):
            raise self._end("protocol", "the reply is no object")
        return reply

    def _refuse_unasked(self, seconds: float) -> None:
        """Raise Refused for bytes before a request: an end of the worker, or a forged reply."""
        try:
            piece = os.read(self._stdout, 1)
        except OSError:
            piece = b""
        if piece or self._buffer:
            raise self._end("protocol", "the worker wrote before it was asked")
        raise self._explain_end(seconds)

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self._stdout], [], [], max(seconds, 0))[0])

    def _write(self, line: bytes, deadline: float, seconds: float) -> None:
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        while line:
            if not select.select([], [pipe], [], max(deadline - time.monotonic(), 0))[1]:
                raise self._end("time", f"the worker read nothing for {seconds:g} seconds")
            try:
                # A pipe is writable when PIPE_BUF bytes fit: more at once could block beyond the deadline.
                line = line[os.write(pipe, line[:4_096]) :]
            except BrokenPipeError:
                raise self._explain_end(seconds) from None

    def _read_line(self, deadline: float, seconds: float) -> bytes:
        while b"\n" not in self._buffer:
            if not self._readable(deadline - time.monotonic()):
                raise self._end("time", f"no output within {seconds:g} seconds")
            left = self._limits.message_bytes - len(self._buffer)
            # One byte more than is allowed tells a reply that is too large from one that just fits.
            piece = os.read(self._stdout, min(left + 1, 65_536))
            if not piece:
                raise self._explain_end(seconds)
            self._buffer += piece
            if len(piece) > left:
                raise self._end("too_large", f"an output of more than {self._limits.message_bytes:,} bytes")
        line, _, self._buffer = self._buffer.partition(b"\n")
        if self._buffer:
            raise self._end("protocol", "the worker wrote more than one reply")
        return line

    def _explain_end(self, seconds: float) -> SandboxRefusal:
        lived = time.monotonic() - self._begun
        self.kill()
        # The kernel kills what used its time of the processor; one process cannot use more than it lived.
        if self._process.returncode in _KILLED and lived >= self._limits.cpu_seconds:
            return SandboxRefusal("time", f"more than {self._limits.cpu_seconds} seconds of the processor")
        return SandboxRefusal("died", f"the worker ended without a reply ({self._process.returncode})")


# Run code on inputs: the interface of the sandbox.


@dataclass(frozen=True, slots=True)
class Jail:
    """How workers are started: a command before the interpreter's, and whether seccomp is installed."""

    command: tuple[str, ...] = ()
    use_seccomp: bool = True


def run_code(
    code: str,
    function: str,
    inputs: Sequence[object],
    limits: WorkerLimits = LIMITS,
    jail: Jail = Jail(),
    hash_seed: int = 0,
) -> list[object]:
    """The function's output for each input, all from one fresh worker.

    Raises Refused with the reason of the first input that has no output.
    """
    check_syntax(code, limits)
    with Worker(limits, hash_seed=hash_seed, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        worker.define(code, function)
        return [worker.call(value) for value in inputs]


def run_script(code: str, limits: WorkerLimits = LIMITS, jail: Jail = Jail()) -> tuple[str, str]:
    """What the script prints in a fresh worker, and the error that ended it, "" where none did.

    Raises SandboxRefusal where it may not run, or is stopped.
    """
    check_syntax(code, limits)
    with Worker(limits, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        return worker.run(code)


Result = TypeVar("Result")


def try_twice(run: Callable[[], Result]) -> Result:
    """Run again where time ran out: it is wall time, and the machine may have been busy."""
    try:
        return run()
    except SandboxRefusal as error:
        if error.reason != "time":
            raise
        return run()


def run_purely(
    code: str,
    function: str,
    inputs: Sequence[object],
    limits: WorkerLimits = LIMITS,
    jail: Jail = Jail(),
    hash_seeds: Sequence[int] = (1, 2),
) -> list[object]:
    """Outputs that several workers agree on: one for each hash seed, with the inputs in both orders.

    A set of two texts has one of two orders in each. Raises Refused: "impure" where an output depends on
    order, process, time or chance.
    """
    first = run_code(code, function, inputs, limits, jail, hash_seeds[0])
    for number, hash_seed in enumerate(hash_seeds[1:], 1):
        # The other order shows what a function keeps from one call to the next.
        step = -1 if number % 2 else 1
        again = run_code(code, function, list(inputs)[::step], limits, jail, hash_seed)[::step]
        for index, (before, other) in enumerate(zip(first, again, strict=True)):
            if before != other:
                raise SandboxRefusal("impure", f"input {index + 1} gives different outputs in two processes")
    return first


# From the strongest: seccomp in namespaces of its own, seccomp, or none: there a syntax check and restricted
# builtins keep honest code within its rules, and whoever finds a way past them has this user's rights.
Tier = Literal["bubblewrap", "seccomp", "none"]
TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True, slots=True)
class Protection:
    """What protects this machine from authored code: the tier, its jail, and what was found, a line each."""

    tier: Tier
    jail: Jail
    findings: tuple[str, ...]


@lru_cache(maxsize=1)
def find_protection() -> Protection:
    """The strongest tier whose trials all fail inside, as they must."""
    findings: list[str] = []
    command = _bubblewrap()
    if command:
        jail = Jail(command)
        if _try(jail, "bubblewrap", findings):
            return Protection("bubblewrap", jail, tuple(findings))
    else:
        findings.append("bubblewrap: not installed")
    if _try(Jail(), "seccomp", findings):
        return Protection("seccomp", Jail(), tuple(findings))
    return Protection("none", Jail(use_seccomp=False), tuple(findings))


def require_protection(*, accept_unprotected: bool) -> Protection:
    """The protection for code that a model or a file wrote.

    Raises Refused ("weak_sandbox") where there is none and the operator did not accept that.
    """
    protection = find_protection()
    if protection.tier == "none" and not accept_unprotected:
        raise SandboxRefusal(
            "weak_sandbox",
            "nothing protects this machine from code that a model or a file wrote (tier none, see "
            "`perennial doctor`; a syntax check is not a protection): run on Linux with seccomp, or set "
            "accept_weak_sandbox (--accept-weak-sandbox) for code that you trust",
        )
    return protection


def _bubblewrap() -> tuple[str, ...]:
    """The command that runs another one in namespaces of its own; empty without bubblewrap."""
    program = which("bwrap")
    if program is None:
        return ()
    places = ["/usr", "/bin", "/lib", "/lib64", sys.prefix, sys.base_prefix]
    bound = [
        argument
        for path in dict.fromkeys(places)
        if Path(path).exists()
        for argument in ("--ro-bind", path, path)
    ]
    # Another user than root, which would try to become nobody by itself.
    options = ["--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    options += ["--die-with-parent", "--new-session", "--dev", "/dev"]
    return (program, *options, *bound, "--chdir", "/")


def _try(jail: Jail, name: str, findings: list[str]) -> bool:
    """Run all trials inside the jail: true if none of them works; findings get a line each."""
    command = guest_command("probe", LIMITS, jail.command, use_seccomp=jail.use_seccomp)
    try:
        done = subprocess.run(command, env=ENVIRONMENT, cwd="/", capture_output=True, timeout=10, check=False)
        worked = load(done.stdout) if done.stdout else ["start"]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        findings.append(f"{name}: does not work here ({type(error).__name__})")
        return False
    if worked == ["start"]:
        findings.append(f"{name}: does not work here")
    elif worked:
        assert isinstance(worked, list)
        findings.append(f"{name}: a worker can still {', '.join(map(str, worked))}")
    else:
        findings.append(f"{name}: works")
    return not worked
