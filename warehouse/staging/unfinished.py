"""The editions of an unfinished run of several benchmarks, so that none is grown twice.

A published edition leaves nothing in staging. Should the run end before the others are published, then the
same command finds here what it has published.
"""

import json
from collections.abc import Iterable, Mapping

from perennial.schemas.errors import Damaged
from perennial.schemas.ids import content_id
from perennial.schemas.plan import RefreshPlan
from perennial.warehouse.store.store import Store

_FILE = "staging/.unfinished.json"


def run_key(benchmarks: Iterable[str], plan: RefreshPlan) -> str:
    """Return the key of what a run of these benchmarks was asked for one of them."""
    return content_id("run", {"benchmarks": sorted(benchmarks), "asked": plan.asked})


def read_unfinished(store: Store) -> dict[str, str]:
    """Return the names of the editions of unfinished runs, by key; raise Damaged where they are altered."""
    try:
        names = json.loads(store.read_bytes(_FILE))
    except FileNotFoundError:
        return {}
    except ValueError:
        names = None
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise Damaged(
            f"{store.location(_FILE)} was altered: remove it; a refresh of several benchmarks that was not "
            "finished then begins anew"
        )
    return names


def keep_unfinished(store: Store, names: Mapping[str, str]) -> None:
    """Keep the editions of a run that begins, by key."""
    _write(store, {**read_unfinished(store), **names})


def forget_unfinished(store: Store, keys: Iterable[str]) -> None:
    """Remove the editions of a run that has ended."""
    kept = read_unfinished(store)
    ended = set(keys)
    if ended & set(kept):
        _write(store, {key: name for key, name in kept.items() if key not in ended})


def _write(store: Store, names: Mapping[str, str]) -> None:
    if names:
        store.write_bytes(_FILE, json.dumps(names, indent=1).encode())
    else:
        # A file goes the way of a folder.
        store.remove_folder(_FILE)
