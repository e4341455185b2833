"""What a lock that was found says: whether its holder lives, how old it is, what a power loss left of it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import RootLocked
from perennial.warehouse.lock import Life, find_lock, lock_root, refuse_locked
from perennial.warehouse.store.store import Store
from tests.warehouse.lock_holding import leave_lock, record
from tests.warehouse.s3_server import S3, s3

__all__ = ["record", "s3"]
LOCK = "lock.json"


@pytest.mark.parametrize(
    ("changes", "life"),
    [
        ({"owner_started": "1"}, Life.gone),
        ({}, Life.alive),
        ({"owner_boot_id": "before", "beat": "2020-01-01T00:00:00+00:00"}, Life.gone),
        ({"owner_boot_id": "another machine of that name"}, Life.unknown),
        ({"owner_pid_space": "pid:[1]"}, Life.unknown),
        ({"owner_host": "renamed", "owner_started": "1"}, Life.gone),
        ({"owner_host": "elsewhere", "owner_boot_id": ""}, Life.unknown),
        ({"owner_boot_id": "", "owner_pid": 2**22 + 1}, Life.gone),
    ],
)
def test_what_is_known_of_a_holder(
    s3: S3, record: dict[str, Any], changes: dict[str, object], life: Life
) -> None:
    found = find_lock(leave_lock(s3.new_root(), record, **changes))
    assert found is not None
    assert found.life is life


def test_an_age_is_never_negative(s3: S3, record: dict[str, Any]) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=5)).isoformat()
    store = leave_lock(
        s3.new_root(), record, owner_host="elsewhere", owner_boot_id="b", since=ahead, beat=ahead
    )
    with pytest.raises(RootLocked) as refused:
        refuse_locked(store)
    assert str(refused.value).count("by a clock that is ahead of this one") == 2
    assert not re.search(r"-\d+ (s|min|h|d)\b", str(refused.value))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"owner": 3}', b"\xff"])
def test_what_a_power_loss_left_of_a_local_lock_is_taken_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / LOCK).write_bytes(content)
    store = Store(str(tmp_path))
    refuse_locked(store)
    notes: list[str] = []
    with lock_root(store, "refresh e1", notes.append):
        pass
    assert "cannot be read" in notes[0]


@pytest.mark.slow
def test_a_lock_on_s3_that_cannot_be_read_is_left_to_people(s3: S3) -> None:
    store = Store(s3.new_root())
    store.write_bytes(LOCK, b"{}")
    with pytest.raises(RootLocked, match="cannot be read"), lock_root(store, "refresh e1"):
        pass
