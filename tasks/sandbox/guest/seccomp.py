"""An allow-list of system calls for this process, as a BPF program that is given to the kernel (Linux).

After `install` the process can read one descriptor, write another, use memory and clocks, and end. Everything
else fails with EPERM: opening a file, a socket, a new process or thread, a signal to another process.
"""

import ctypes
import os
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL, _EPERM = 0x7FFF0000, 0x80000000, 0x00050001
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_PROT_EXEC = 4

# Architecture: its number in audit records, and the numbers of the calls.
_CALLS = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0,
            "write": 1,
            "mmap": 9,
            "mprotect": 10,
            "plain": (
                *(3, 8, 11, 12, 14, 15, 24, 25, 28, 35, 39, 60, 96, 98, 131, 201, 202),
                *(219, 228, 229, 230, 231, 318, 334),
            ),
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "read": 63,
            "write": 64,
            "mmap": 222,
            "mprotect": 226,
            "plain": (
                *(57, 62, 215, 214, 135, 139, 124, 216, 233, 101, 172, 93, 169, 165, 132, 98),
                *(128, 113, 114, 115, 94, 278, 293),
            ),
        },
    ),
}


def program(read_fd: int, write_fd: int, machine: str) -> bytes:
    """The BPF program; raise OSError for a machine whose calls are not known."""
    if machine not in _CALLS:
        raise OSError(f"no list of system calls for {machine}")
    architecture, calls = _CALLS[machine]
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        # By another architecture's convention the same numbers are other calls.
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        # The other calling convention of x86_64 (x32) has the same architecture and numbers above this.
        lines += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    plain = calls["plain"]
    assert isinstance(plain, tuple)
    for number in plain:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for name, descriptor in (("read", read_fd), ("write", write_fd)):
        number = calls[name]
        assert isinstance(number, int)
        lines += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _ARGUMENTS),
            (_EQUAL, 0, 1, descriptor),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _EPERM),
        ]
    for name in ("mmap", "mprotect"):
        number = calls[name]
        assert isinstance(number, int)
        lines += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _ARGUMENTS + 16),
            # Memory that can be executed would let code be written that no check has seen.
            (_ANY_BIT, 1, 0, _PROT_EXEC),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _EPERM),
        ]
    lines.append((_RETURN, 0, 0, _EPERM))
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def install(read_fd: int, write_fd: int) -> None:
    """Install the allow-list for this process, for ever; raise OSError where the kernel refuses it."""
    text = program(read_fd, write_fd, os.uname().machine)
    libc = ctypes.CDLL(None, use_errno=True)
    filter_program = _Program(len(text) // 8, text)
    # The first is what the kernel asks of a process without privileges before it takes a filter.
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filter_program), 0, 0
    ):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
