"""What a process that runs SQL and the one that started it send each other: pickled values with their length.

The results of a user's SQL are read with plain values alone: a message can name no other class.
"""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

from perennial.warehouse.catalog.confinement import Setting

MOST_BYTES = 32_000_000  # of a message, and so of a row
_LENGTH = struct.Struct(">Q")
_PLAIN = {
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("decimal", "Decimal"),
    ("uuid", "SafeUUID"),
    ("uuid", "UUID"),
    ("zoneinfo", "ZoneInfo"),
}


@dataclass(frozen=True, slots=True)
class SqlTask:
    """One statement with all that it may read.

    `views` are created in order, then `additions` run: macros and comments; `known` are the names that an
    error lists. `at_most` bounds the rows; `counts` asks for their number alone. The process may hold
    `memory_bytes` beside what it holds at first.
    """

    root: str
    files: list[str]
    settings: dict[str, Setting]
    views: list[tuple[str, str]]
    additions: list[str]
    known: list[str]
    sql: str
    at_most: int | None
    counts: bool
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it is sent: the name of its class, its text, whether a damaged file may be the reason."""

    kind: str
    text: str
    may_be_damage: bool = False


def pack(value: Any) -> bytes:
    """The value pickled, with time zones by their name."""
    content = BytesIO()
    _PlainPickler(content).dump(value)
    return content.getvalue()


def write_message(file: BinaryIO, value: Any) -> None:
    """Write a value that was packed, or is packed here."""
    content = value if isinstance(value, bytes) else pack(value)
    file.write(_LENGTH.pack(len(content)))
    file.write(content)
    file.flush()


def read_task(file: BinaryIO) -> Any:
    """The next value from the process that started this one; None at the end."""
    head = file.read(_LENGTH.size)
    return pickle.loads(file.read(*_LENGTH.unpack(head))) if head else None


def read_plain(read: Callable[[int], bytes]) -> Any:
    """The next value of a process that ran SQL; `read` returns just so many bytes.

    Raises ValueError for what is not a plain value.
    """
    (length,) = _LENGTH.unpack(read(_LENGTH.size))
    # Before anything is read: a length alone could make this process reserve any amount of memory.
    if length > MOST_BYTES:
        raise ValueError(f"a message of {length:,} bytes")
    try:
        return _PlainUnpickler(BytesIO(read(length))).load()
    except (pickle.UnpicklingError, AttributeError, IndexError, TypeError) as error:
        raise ValueError(str(error)) from None


class _PlainPickler(pickle.Pickler):
    # A time zone pickles itself by `getattr`, which no message may name.
    dispatch_table = {ZoneInfo: lambda zone: (ZoneInfo, (zone.key,))}  # noqa: RUF012


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, Failure.__name__):
            return Failure
        # A query that takes over its process could else name a function to be called in this one.
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")
        return super().find_class(module, name)
