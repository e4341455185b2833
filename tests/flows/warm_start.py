"""Commands of `perennial` that need not import it: forks of a process that has.

What a refresh imports and loads takes most of its CPU time. A fork is a process as any other: it has its own
exit code, may be killed, and is a child of the process that asked for it. Half of what remains is Prefect's
bookkeeping: a fork of a plain warm start does the same work without it.
"""

import atexit
import ctypes
import gc
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

# What commands import only when they need it: half of the CPU time of a tiny refresh.
_IMPORTED_LATE = ("cloudpickle", "jinja2", "networkx", "pandas", "scipy.stats")
_PACKAGES_IMPORTED_LATE = (
    "perennial.flows.kumo.planning",
    "perennial.flows.refresh",
    "perennial.flows.stages",
    "perennial.tasks.beyondbench",
    "perennial.tasks.knowlogic",
    "perennial.tasks.llm",
    "perennial.warehouse.kumo",
)
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_REQUEST_BYTES = 1 << 20


def end_with(owner: int) -> None:
    """Let the system kill this process as soon as its parent, which is `owner` or is about to be, ends.

    A killed pytest would leave commands behind that write on.
    """
    while os.getppid() != owner:
        if not Path(f"/proc/{owner}").exists():
            os._exit(1)
        time.sleep(0.001)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != owner:
        os._exit(1)


class WarmStart:
    """A process that has imported what a refresh needs, in the given environment; it ends with its owner.

    Of several that start at once one compiles, under the lock, and the others load what it has compiled.
    DuckDB alone says whether the suites of an audit hold (`plain_audit`). Where it is `plain`, commands run
    without Prefect.
    """

    def __init__(self, environment: dict[str, str], home: Path, lock: Path, *, plain: bool = False) -> None:
        self._plain = plain
        self._environment = self._fixed(environment)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        given = (str(theirs.fileno()), str(lock), *(["--plain"] if plain else []))
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, *given],
            pass_fds=[theirs.fileno()],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()

    def fits(self, environment: dict[str, str]) -> bool:
        """Whether a command in this environment would have imported the same."""
        return self._fixed(environment) == self._environment

    def _fixed(self, environment: dict[str, str]) -> dict[str, str]:
        """Return what is read while importing."""
        read = ("PYTHON", "NUMBA_") if self._plain else ("PREFECT_", "PYTHON", "NUMBA_")
        return {name: value for name, value in environment.items() if name.startswith(read)}

    def fork(self, request: dict[str, Any], out: int, errors: int) -> int:
        """Start a command that writes to these two files, as a child of this process; return its id."""
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(self._socket, [json.dumps(request).encode()], [out, errors])
            return int(self._socket.recv(64))
        finally:
            prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)

    def close(self) -> None:
        """End the process; commands that run stay."""
        self._socket.close()
        self._process.wait()


class WarmProcess(subprocess.Popen[str]):
    """A process that was forked rather than started; its standard input is empty."""

    def __init__(self, warm: WarmStart, command: list[str], **options: Any) -> None:
        self._warm = warm
        super().__init__(command, **options)

    def _execute_child(self, *arguments: Any) -> None:
        bound = inspect.signature(super()._execute_child).bind(*arguments).arguments
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        ends = {name: bound[name] for name in pipes}
        request = {
            "arguments": bound["args"][1:],
            "cwd": str(bound["cwd"]),
            "environment": bound["env"],
            "owner": os.getpid(),
        }
        try:
            self.pid = self._warm.fork(request, ends["c2pwrite"], ends["errwrite"])
            self._child_created = True
        finally:
            self._close_pipe_fds(*ends.values())


_ASK = """import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asked.connect({address!r})
request = dict(arguments=sys.argv[1:], cwd=os.getcwd(), environment=dict(os.environ))
socket.send_fds(asked, [json.dumps(request).encode()], [1, 2])
sys.exit(int(asked.recv(8)))
"""


@contextmanager
def program_for_shells(warm: WarmStart) -> Iterator[tuple[str, ...]]:
    """Yield a program that shell scripts call as `perennial`: it runs as a fork of what is warm."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door,
    ):
        door.bind(f"{folder}/warm")
        door.listen()

        def answer() -> None:
            with suppress(OSError):
                while True:
                    asking, _ = door.accept()
                    with asking:
                        message, files, _, _ = socket.recv_fds(asking, _REQUEST_BYTES, 2)
                        process = warm.fork({**json.loads(message), "owner": os.getpid()}, *files)
                        for file in files:
                            os.close(file)
                        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                        asking.send(str(code).encode())

        answering = threading.Thread(target=answer)
        answering.start()
        yield (sys.executable, "-S", "-E", "-c", _ASK.format(address=f"{folder}/warm"))
        door.shutdown(socket.SHUT_RDWR)
        answering.join()


def _import_all(lock: str, *, plain: bool) -> None:
    import openai  # noqa: F401
    from filelock import FileLock

    from perennial.flows.benchmark import find_benchmark
    from perennial.flows.cli import app  # noqa: F401
    from perennial.flows.cli.run import refresh as evaluate  # noqa: F401
    from perennial.flows.refresh.publish import template_hashes
    from perennial.schemas.benchmark import benchmarks
    from perennial.warehouse.audit import audit
    from perennial.warehouse.editions.manifest import code_sha256, dependency_versions

    for benchmark in benchmarks().values():
        benchmark.settings()
        implementation = find_benchmark(benchmark.name)
        implementation.stages()
        implementation.analysis()
        with FileLock(lock):
            implementation.warm_up()
    for name in (*_IMPORTED_LATE, *_modules_of(*_PACKAGES_IMPORTED_LATE)):
        import_module(name)
    # All are computed once in a process, for the manifest of what it publishes.
    code_sha256()
    dependency_versions()
    template_hashes()
    repository = str(Path(__file__).resolve().parents[2])
    sys.path.append(repository)
    from tests.flows.plain_audit import judge_by_duckdb, leave_prefect_out

    sys.path.remove(repository)
    judge_by_duckdb()
    if plain:
        leave_prefect_out()
    else:
        from perennial.flows.run import by_prefect  # noqa: F401
    audit.audit({})


def _modules_of(*packages: str) -> Iterator[str]:
    """Names of all modules in these packages, but for reports, whose drawings are costly to import."""
    for package in packages:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if ".report" not in module.name:
                yield module.name


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork for each request; return it in the fork."""
    while True:
        message, files, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, 2)
        if not message:
            # What Prefect does at exit waits for its server, which may be gone.
            os._exit(0)
        mine, theirs = os.pipe()
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child:
                os.write(theirs, str(child).encode())
                os._exit(0)
            for number, file in enumerate(files, start=1):
                os.dup2(file, number)
            for file in {*files, mine, theirs}:
                os.close(file)
            requests.close()
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False, errors="backslashreplace", buffering=1)  # noqa: SIM115
            request: dict[str, Any] = json.loads(message)
            end_with(request["owner"])
            return request
        # The fork is the asking process's child as soon as the one between has ended.
        os.waitpid(between, 0)
        requests.send(os.read(mine, 64))
        for file in {*files, mine, theirs}:
            os.close(file)


def _end(code: object) -> None:
    """End as the interpreter does, but for the modules.

    To take apart what was imported would copy most of the memory that a fork shares with its parent.
    """
    end_threads: Any = vars(threading)["_shutdown"]
    end_threads()
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError, ValueError):
            stream.flush()
    os._exit(0 if code is None else code & 0xFF if isinstance(code, int) else 1)


def _main() -> None:
    _import_all(sys.argv[2], plain="--plain" in sys.argv)
    gc.freeze()
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = ["perennial", *request["arguments"]]
    from perennial.flows.cli.app import main

    code: object = None
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    _end(code)


if __name__ == "__main__":
    _main()
