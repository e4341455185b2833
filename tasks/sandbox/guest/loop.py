"""The worker's loop: a line with code, then a line for each input, or a script; each is answered by a line.

Replies are `{"nonce", "ok": value}` or `{"nonce", "refused": reason, "detail": text}`. The parent checks all
of it again: code that runs here can write whatever it likes.
"""

import gc
import os
import sys

from perennial.tasks.sandbox.guest.confine import READ_FD, WRITE_FD, confine
from perennial.tasks.sandbox.guest.proxies import guest_globals, printer, seal
from perennial.tasks.sandbox.guest.values import check_value, dump, load

_DETAIL = 300
Reply = dict[str, object]


def main(settings: dict[str, int]) -> None:
    """Serve requests until the input ends."""
    seal()
    confine(settings)
    sys.setrecursionlimit(1_000)
    lines = _Lines(settings["message_bytes"])
    function: object = None
    depth = settings["value_depth"]
    while (line := lines.read()) is not None:
        request = load(line)
        assert isinstance(request, dict)
        reply: Reply
        if "script" in request:
            reply = _run(str(request["script"]))
        elif "code" in request:
            function, reply = _define(str(request["code"]), str(request["function"]))
        else:
            reply = _call(function, request["input"], depth)
        reply["nonce"] = request["nonce"]
        text = dump(reply)
        if len(text) >= settings["message_bytes"]:
            text = dump(
                {"nonce": request["nonce"], **_refuse("too_large", f"an output of {len(text):,} bytes")}
            )
        _write(text + b"\n")


def _define(code: str, name: str) -> tuple[object, Reply]:
    """Run the code as a script; return the function that it defines, and the reply."""
    names = guest_globals()
    try:
        exec(compile(code, "<code>", "exec", dont_inherit=True), names)
    except MemoryError:
        return None, _refuse("memory", "the script needs more memory than it may use")
    except BaseException as error:  # noqa: BLE001
        return None, _refuse("raised", f"the script raises {_describe(error)}")
    function = names.get(name)
    if not callable(function):
        return None, _refuse("no_function", f"the code does not define the function {name}")
    return function, {"ok": True}


def _run(code: str) -> Reply:
    """Run the code for what it prints, up to its end or its first error, which is named with its line."""
    pieces: list[str] = []
    error = ""
    try:
        exec(compile(code, "<code>", "exec", dont_inherit=True), guest_globals(printer(pieces)))
    except MemoryError:
        # What the script held is let go, so that there is memory for the reply.
        pieces, error = [], "the script needs more memory than it may use"
        gc.collect()
    except BaseException as raised:  # noqa: BLE001
        error = f"line {_line_of(raised)}: {_describe(raised)}"
    # A lone surrogate has no bytes in UTF-8: it would cost the whole reply.
    printed = "".join(pieces).encode("utf-8", "backslashreplace").decode()
    return {"ok": {"printed": printed, "error": error}}


def _line_of(error: BaseException) -> int:
    """The last line of the code that the error came through."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "<code>" else line
        trace = trace.tb_next
    return line


def _call(function: object, value: object, depth: int) -> Reply:
    before = dump(value)
    assert callable(function)
    try:
        output = function(value)
        fault = check_value(output, depth)
        if fault:
            return _refuse("value", f"the function returns {fault}")
        if dump(value) != before:
            return _refuse("mutated", "the function changes its input: copy it first")
        return {"ok": output}
    except MemoryError:
        gc.collect()
        return _refuse("memory", "the call needs more memory than it may use")
    except BaseException as error:  # noqa: BLE001
        return _refuse("raised", f"the function raises {_describe(error)}")


def _describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:_DETAIL].encode("ascii", "backslashreplace").decode()
    except BaseException:  # noqa: BLE001
        return type(error).__name__


def _refuse(reason: str, detail: str) -> Reply:
    return {"refused": reason, "detail": detail}


def _write(text: bytes) -> None:
    while text:
        text = text[os.write(WRITE_FD, text) :]


class _Lines:
    """Lines of the input pipe, each of bounded size."""

    def __init__(self, most: int) -> None:
        self._most, self._rest = most, b""

    def read(self) -> bytes | None:
        """The next line without its end, None at the end of the input."""
        parts, size = [self._rest], len(self._rest)
        while b"\n" not in parts[-1]:
            if size > self._most:
                return None
            piece = os.read(READ_FD, 65_536)
            if not piece:
                return None
            parts.append(piece)
            size += len(piece)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line
