"""A program of its own: search the files of a folder for bytes, which come on standard input as JSON.

A process that closes a file gives up all locks that it has on that file, SQLite's too: so a process that has
a ledger open never reads the ledger's files itself.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import BinaryIO

_BLOCK = 1 << 20


def search(folder: str, wanted: Sequence[bytes]) -> list[list[str]]:
    """Return for each of the bytes the files below the folder that hold it, or that cannot be read."""
    files: list[list[str]] = [[] for _ in wanted]
    for directory, _, names in os.walk(folder):
        for file in sorted(os.path.join(directory, name) for name in names):
            for number in _find_in(file, wanted) if os.path.isfile(file) else ():
                files[number].append(file)
    return files


def _find_in(file: str, wanted: Sequence[bytes]) -> set[int]:
    try:
        with open(file, "rb") as opened:
            return _find_in_blocks(opened, wanted)
    except FileNotFoundError:
        return set()
    except OSError:
        return set(range(len(wanted)))


def _find_in_blocks(opened: BinaryIO, wanted: Sequence[bytes]) -> set[int]:
    numbers: set[int] = set()
    overlap = max(map(len, wanted), default=1) - 1
    end = b""
    while block := opened.read(_BLOCK):
        block = end + block
        numbers |= {number for number, secret in enumerate(wanted) if secret in block}
        end = block[-overlap:]
    return numbers


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    json.dump(search(asked["folder"], [bytes.fromhex(secret) for secret in asked["wanted"]]), sys.stdout)
