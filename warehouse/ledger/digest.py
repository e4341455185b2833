"""Whether a stored call or message is still what was kept: SQLite does not notice a byte that changed.

A call's row holds a digest of all its other cells, as they lie in the file; a message is kept under a
digest of its text.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from perennial.schemas.errors import Damaged
from perennial.schemas.ids import content_id

_DIGEST_BYTES = 16


def call_digest(cells: Sequence[Any]) -> str:
    """Return 32 hexadecimal digits derived from the cells of a call, which are those of CALL_COLUMNS."""
    # Damage may turn a cell into bytes.
    text = json.dumps(cells, separators=(",", ":"), default=repr)
    return blake2b(text.encode("ascii"), digest_size=_DIGEST_BYTES).hexdigest()


def check_call(path: Path, call_id: str, cells: Sequence[Any], digest: str) -> None:
    """Raise Damaged unless the stored cells of a call are those that the digest was made of."""
    if call_digest(cells) != digest:
        raise Damaged(
            f"{path}: call {call_id} is damaged, its digest differs: restore the ledger from a copy, or drop "
            f"this call with `sqlite3 {path} \"DELETE FROM calls WHERE call_id = '{call_id}'\"`; the same "
            "command then makes it again and pays for it again"
        )


def check_message(path: Path, message_id: str, content: str | None) -> None:
    """Raise Damaged unless the text (None: there is none) is what was kept under that id."""
    if content is None or message_digest(content) != message_id:
        fault = "is missing" if content is None else "is damaged, its text is not what its id says"
        drop = (
            f"DELETE FROM messages WHERE message_id = '{message_id}'; "
            f"DELETE FROM calls WHERE messages LIKE '%{message_id}%'"
        )
        raise Damaged(
            f"{path}: message {message_id} {fault}: restore the ledger from a copy, or drop the calls that "
            f'sent it with `sqlite3 {path} "{drop}"`; the same command then repeats them and pays for '
            "them again"
        )


@lru_cache(maxsize=512)
def message_digest(content: str) -> str:
    """Return the id of a message: a book is asked about again with every turn of its runs."""
    return content_id("msg", content)
