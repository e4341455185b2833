"""Commands of `perennial` that need not import it: forks of a process that has.

What a refresh imports and loads takes most of its CPU time. A fork is a process as any other: it has its own
exit code, may be killed, and is a child of the process that asked for it.
"""

import ctypes
import gc
import inspect
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36
_REQUEST_BYTES = 1 << 20


class WarmStart:
    """A process that has imported what a refresh needs, in the given environment; it ends with its owner."""

    def __init__(self, environment: dict[str, str], home: Path) -> None:
        self._environment = _fixed(environment)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()

    def fits(self, environment: dict[str, str]) -> bool:
        """Whether a command in this environment would have imported the same."""
        return _fixed(environment) == self._environment

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
        request = {"arguments": bound["args"][1:], "cwd": str(bound["cwd"]), "environment": bound["env"]}
        try:
            self.pid = self._warm.fork(request, ends["c2pwrite"], ends["errwrite"])
            self._child_created = True
        finally:
            self._close_pipe_fds(*ends.values())


def _fixed(environment: dict[str, str]) -> dict[str, str]:
    """Return what is read while importing."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PREFECT_", "PYTHON", "NUMBA_"))
    }


def _import_all() -> None:
    import openai  # noqa: F401

    from flows.cli import app, evaluate, refresh  # noqa: F401
    from flows.refresh import flow  # noqa: F401
    from schemas.benchmark import find_benchmark
    from warehouse.audit.great_expectations import judge
    from warehouse.audit.search import Finding

    benchmark = find_benchmark("kumo")
    benchmark.growing()
    benchmark.warm_up()
    judge([Finding("none", "nothing is broken", 0, "no row")])
    gc.freeze()


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork for each request; return it in the fork."""
    while True:
        message, files, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, 2)
        if not message:
            sys.exit()
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
            return request
        # The fork is the asking process's child as soon as the one between has ended.
        os.waitpid(between, 0)
        requests.send(os.read(mine, 64))
        for file in {*files, mine, theirs}:
            os.close(file)


def _main() -> None:
    _import_all()
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = ["perennial", *request["arguments"]]
    from flows.cli.app import main

    main()


if __name__ == "__main__":
    _main()
