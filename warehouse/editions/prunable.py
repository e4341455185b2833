"""What may be removed from a data root: work in progress, and what cut-off or later work left over.

Nothing of a published edition or evaluation is among it but unfinished drafts and analyses that a later one
took the place of, both at rest for an hour: a reader may have the latter open. What has a manifest but
neither a row nor staging looks like a published one whose row was lost: it has to be named.
"""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from perennial.schemas.units import evaluation_of, split_unit
from perennial.warehouse.catalog.catalog import published_units, visible_units
from perennial.warehouse.catalog.confinement import PART
from perennial.warehouse.catalog.later_statistics import ANALYSES, superseded_scales
from perennial.warehouse.catalog.scores import SCORES
from perennial.warehouse.editions.verify import lost_units
from perennial.warehouse.store.file_system import file_system
from perennial.warehouse.store.store import Store, superseded_versions

Kind = Literal["manifest", "tables", "analyses", "superseded", "draft", "staging"]
AT_REST = timedelta(hours=1)

# Staging goes last: a publish that was cut off is known by it.
_ORDER: tuple[Kind, ...] = ("manifest", "tables", "analyses", "superseded", "draft", "staging")
_FOLDERS = ("staging", "tables", "manifests", "analyses", SCORES, "withdrawals", "withdrawn")
_STAGING = re.compile(r"(?P<target>staging/(?P<edition>[^/]+))/.+")
_DONE = re.compile(r"staging/[^/]+/done/[^/.][^/]*\.json")
_OF_EDITION: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("tables", re.compile(r"(?P<target>tables/[^/]+/edition=(?P<edition>[^/]+)/(?P<file>[^/]+))")),
    ("manifest", re.compile(r"(?P<target>manifests/(?P<edition>[^/.][^/]*)\.(json|sha256))")),
    ("analyses", re.compile(rf"(?P<target>{ANALYSES}/edition=(?P<edition>[^/]+))/.+")),
)
_EDITION = re.compile(r"/edition=([^/]+)/")
_DRAFT = re.compile(r"(.*/)?\.[^/]+\.draft")


@dataclass(frozen=True, slots=True)
class Prunable:
    """What may be removed together: `targets` are its files and folders, relative to the data root.

    `kind` is staging (work in progress), tables, manifest or analyses (of an edition that is not published),
    superseded (a table that a later one took the place of) or draft. `edition` is "" where it belongs to
    none. `files`, `bytes` and `changed` (the last change, UTC) are of all targets, `batches` of staging.
    """

    kind: Kind
    edition: str
    is_published: bool
    targets: tuple[str, ...]
    files: int
    bytes: int
    changed: datetime
    batches: int


def prunable(store: Store, now: datetime, editions: Collection[str] = ()) -> tuple[Prunable, ...]:
    """What may be removed, of these editions or, where none is named, of the whole root.

    It is in the order in which it is to be removed. With an edition that is not published goes what is left
    over of its evaluations.
    """
    published = frozenset(published_units(store))
    lost = frozenset() if editions else frozenset(lost_units(store))
    superseded = frozenset(_list_superseded(store))
    groups: dict[tuple[Kind, str], list[tuple[str, _File]]] = {}
    for file in _files(store):
        target_file = _classify(file, published, superseded, now)
        if target_file is not None:
            kind, edition, target = target_file
            base = split_unit(edition)[0]
            is_named = edition in editions or (base in editions and base not in published)
            if edition not in lost and (not editions or is_named):
                groups.setdefault((kind, edition), []).append((target, file))
    ordered = sorted(groups, key=lambda key: (_ORDER.index(key[0]), key[1]))
    return tuple(_prunable(*key, published, groups[key]) for key in ordered)


def remove(store: Store, chosen: Prunable) -> None:
    """Remove all that is chosen."""
    for target in chosen.targets:
        # A file goes the way of a folder.
        store.remove_folder(target)


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    size: int
    changed: datetime


def _classify(
    file: _File, published: Collection[str], superseded: Collection[str], now: datetime
) -> tuple[Kind, str, str] | None:
    """Kind, edition and what is to be removed for this file; None for a file that stays."""
    staged = _STAGING.fullmatch(file.name)
    if staged:
        return "staging", staged["edition"], staged["target"]
    for kind, pattern in _OF_EDITION:
        match = pattern.fullmatch(file.name)
        unit = _unit_of(match) if match else ""
        if match and unit not in published:
            return kind, unit, match["target"]
    if now - file.changed >= AT_REST:
        edition = _EDITION.search(file.name)
        if _DRAFT.fullmatch(file.name):
            return "draft", edition[1] if edition else "", file.name
        if file.name in superseded:
            return "superseded", edition[1] if edition else "", file.name
    return None


def _unit_of(match: re.Match[str]) -> str:
    """What a file of a table, a manifest or an analysis belongs to."""
    stem, ending = os.path.splitext(match.groupdict().get("file", ""))
    of_evaluation = ending == ".parquet" and stem[0] != "." and stem != PART
    return evaluation_of(match["edition"], stem) if of_evaluation else match["edition"]


def _list_superseded(store: Store) -> Iterator[str]:
    yield from superseded_versions(store, SCORES)
    yield from superseded_scales(store, visible_units(store))
    for folder in store.names(ANALYSES):
        yield from superseded_versions(store, f"{ANALYSES}/{folder}")


def _prunable(
    kind: Kind, edition: str, published: Collection[str], files_of_target: list[tuple[str, _File]]
) -> Prunable:
    files = [file for _, file in files_of_target]
    return Prunable(
        kind=kind,
        edition=edition,
        is_published=edition in published,
        targets=tuple(sorted({target for target, _ in files_of_target})),
        files=len(files),
        bytes=sum(file.size for file in files),
        changed=max(file.changed for file in files),
        batches=sum(_DONE.fullmatch(file.name) is not None for file in files),
    )


def _files(store: Store) -> Iterator[_File]:
    filesystem, path = file_system(store.root)
    for folder in _FOLDERS:
        for file_path, info in filesystem.find(f"{path}/{folder}", detail=True).items():
            yield _File(file_path[len(path) + 1 :], int(info["size"]), _read_change_time(info))


def _read_change_time(info: dict[str, Any]) -> datetime:
    """When the file was last changed: the local disk gives seconds, an object store a datetime."""
    times = (info[name] for name in ("mtime", "LastModified", "created") if name in info)
    value = next(times)
    moment = value if isinstance(value, datetime) else datetime.fromtimestamp(float(value), UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
