"""Object stores that do not keep the conditions of a write: named, and never written to."""

import json
import os
import subprocess
import sys
from datetime import timedelta

import pytest

from perennial.schemas.errors import InvalidOption, RootLocked
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.conditional_writes import FOLDER
from perennial.warehouse.store.store import Store
from tests.warehouse.lock_holding import holding, leave_lock, record
from tests.warehouse.s3_server import BUCKET, S3, Conditions, conditions, s3

pytestmark = pytest.mark.slow

__all__ = ["conditions", "record", "s3"]
LOCK = "lock.json"
# It ends without a word when it is to send its second request.
_KILLED_AMID_PROBE = """
import os, sys
from s3fs import S3FileSystem
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store

call, requests = S3FileSystem.call_s3, []

def counted(*arguments, **more):
    requests.append(arguments)
    if len(requests) == 2:
        os._exit(9)
    return call(*arguments, **more)

S3FileSystem.call_s3 = counted
with lock_root(Store(sys.argv[1]), "refresh e0"):
    pass
"""
BOTH = ("If-None-Match", "If-Match")


@pytest.mark.parametrize(
    ("ignored", "not_offered", "told"),
    [
        (BOTH, (), "does not keep If-None-Match and If-Match, so"),
        (("If-Match",), (), "does not keep If-Match, so"),
        (("If-None-Match",), (), "does not keep If-None-Match, so"),
        ((), BOTH, "does not keep If-None-Match and If-Match, so"),
        (("If-Match",), ("If-None-Match",), "does not keep If-None-Match and If-Match, so"),
    ],
)
def test_a_store_that_does_not_keep_conditions_is_refused_by_name(
    s3: S3, conditions: Conditions, ignored: tuple[str, ...], not_offered: tuple[str, ...], told: str
) -> None:
    conditions.ignored, conditions.not_offered = ignored, not_offered
    store = Store(s3.new_root())
    for _ in range(2):
        with pytest.raises(InvalidOption) as refused, lock_root(store, "refresh e1"):
            pass
        message = str(refused.value)
        assert f"data root '{store.root}' cannot be written to: its object store {s3.host} {told}" in message
        assert "name a --root on a store that keeps If-None-Match and If-Match" in message
        assert "\n" not in message
        assert refused.value.exit_code == 2
        assert store.names("") == []
    conditions.ignored = conditions.not_offered = ()
    with lock_root(store, "refresh e1"):
        assert store.names("") == [LOCK]


def test_a_live_holder_keeps_its_lock_where_conditions_are_ignored(s3: S3, conditions: Conditions) -> None:
    store = Store(s3.new_root())
    with lock_root(store, "earlier work"):
        pass
    with holding(store.root) as holder:
        conditions.ignored = BOTH
        with (
            pytest.raises(RootLocked, match=rf"process {holder.process.pid}: refresh e1"),
            lock_root(store, "refresh e2"),
        ):
            pass
        assert json.loads(store.read_bytes(LOCK))["owner"]["pid"] == holder.process.pid
        holder.go()
        assert holder.line() == "released"


def test_a_dead_holders_lock_is_not_taken_over_where_conditions_are_ignored(
    s3: S3, conditions: Conditions, record: dict[str, object]
) -> None:
    conditions.ignored = BOTH
    store = leave_lock(s3.new_root(), record, owner_started="1")
    left = store.read_bytes(LOCK)
    with pytest.raises(InvalidOption, match="does not keep"), lock_root(store, "refresh e2"):
        pass
    assert store.read_bytes(LOCK) == left


def test_a_store_is_probed_once_in_a_process_with_five_requests(s3: S3, conditions: Conditions) -> None:
    store = Store(s3.new_root())
    counts = []
    for _ in range(2):
        conditions.requests.clear()
        with lock_root(store, "refresh e1"):
            counts.append(len(conditions.requests))
    assert counts[0] - counts[1] == 5
    conditions.requests.clear()
    store.require_conditional_writes()
    assert conditions.requests == []


def test_what_a_killed_probe_left_does_not_matter_and_goes_after_an_hour(s3: S3) -> None:
    store = Store(s3.new_root())
    killed = subprocess.run([sys.executable, "-c", _KILLED_AMID_PROBE, store.root], check=False)
    assert killed.returncode == 9
    (left,) = store.names(FOLDER)
    _age(f"{store.root}/{FOLDER}/{left}", timedelta(minutes=61))
    store.write_bytes(f"{FOLDER}/young", b"")
    with lock_root(store, "refresh e1"):
        assert store.names(FOLDER) == ["young"]


def test_a_file_system_without_such_conditions_is_not_probed(tmp_path: os.PathLike[str]) -> None:
    for root in (str(tmp_path), f"memory://{os.path.basename(tmp_path)}"):
        store = Store(root)
        store.require_conditional_writes()
        assert store.names("") == []


def _age(place: str, by: timedelta) -> None:
    """Let the server believe that the object was written so much earlier."""
    from moto.s3.models import s3_backends

    backend = s3_backends["123456789012"]["aws"]
    backend.get_object(BUCKET, place.removeprefix(f"s3://{BUCKET}/")).last_modified -= by
