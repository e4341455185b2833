"""From the edition's row over its manifest to the last byte: whatever is changed is found and named."""

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest

from perennial.schemas.tables import staged_tables
from perennial.warehouse.catalog.confinement import FORMAT, row_file, table_file
from perennial.warehouse.editions.manifest import (
    manifest_file,
    parse_manifest,
    read_manifest,
    seal_file,
    seal_row,
)
from perennial.warehouse.editions.verify import Verification, compare_unit, verifiable_units, verify_unit
from perennial.warehouse.store.store import Digest, Store, digests_of
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TEMPLATES = {"kumo/players/turn.md.j2": "tpl_1"}
ANSWERS = "e1@1"
EPISODES = table_file("episodes", ANSWERS)
UNITS = pytest.mark.parametrize("unit", ["e1", ANSWERS])
ROW, ANSWER_ROW = row_file("e1"), row_file(ANSWERS)


def _publish(root: Path, edition: str = "e1") -> Store:
    """Publish the edition; a root without another one is a copy of what was published once."""
    if not (root / "root.json").exists():
        shutil.copytree(_publish_once(edition, NOW).name, root, dirs_exist_ok=True)
    else:
        _publish_in(str(root), edition, NOW)
    return Store(str(root))


@cache
def _publish_once(edition: str, now: datetime) -> "TemporaryDirectory[str]":
    folder = TemporaryDirectory()
    _publish_in(folder.name, edition, now)
    return folder


def _publish_in(root: str, edition: str, now: datetime) -> None:
    publish(Store(root), tiny_edition.plan(edition), tiny_edition.tables(), [], now, templates=TEMPLATES)


def _find_flaws(verification: Verification) -> list[tuple[str, str]]:
    return [(finding.file, finding.problem) for finding in verification.findings]


def _files(root: Path, unit: str) -> dict[str, Path]:
    """Return the published files of an edition or evaluation by name."""
    stem = unit.partition("@")[2] or "part-0"
    found = root.glob(f"tables/*/edition=e1/{stem}.parquet")
    return {path.relative_to(root).as_posix(): path for path in found}


@UNITS
def test_what_was_copied_from_another_root_is_named(tmp_path: Path, unit: str) -> None:
    store = _publish(tmp_path / "theirs")
    shutil.copytree(tmp_path / "theirs", tmp_path / "whole")
    assert verify_unit(Store(str(tmp_path / "whole")), unit).findings == []
    ours = _publish(tmp_path / "ours", "e2")
    for name in ("tables", "manifests"):
        shutil.copytree(Path(store.root, name), Path(ours.root, name), dirs_exist_ok=True)
    assert _find_flaws(verify_unit(ours, unit)) == [(seal_file(unit), "altered")]
    assert verify_unit(ours, "e2").findings == []
    (tmp_path / "ours/root.json").write_bytes(b"")
    assert not verify_unit(ours, unit).is_whole
    (tmp_path / "ours/root.json").unlink()
    assert _find_flaws(verify_unit(ours, unit)) == [(seal_file(unit), "altered")]


@UNITS
def test_a_manifest_lists_every_file_and_what_made_it(tmp_path: Path, unit: str) -> None:
    store = _publish(tmp_path)
    manifest = parse_manifest(store.read_bytes(manifest_file(unit)))
    files = _files(tmp_path, unit)
    assert {file.name for file in manifest.files} == files.keys() - {row_file(unit)}
    for file in manifest.files:
        content = files[file.name].read_bytes()
        assert (file.size, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert file.rows == pq.read_metadata(files[file.name]).num_rows
        assert f"tables/{file.table}/" in file.name
    made = manifest.made
    plan = tiny_edition.plan("e1")
    part = plan.growth if unit == "e1" else plan.evaluation
    assert (made["unit"], made["settings"]) == (unit, json.loads(json.dumps(part.as_json())))
    assert (made["seeds"], made["templates"], made["code_version"]) == ({"refresh": 3}, TEMPLATES, "test")
    assert made["dependencies"]["duckdb"].startswith("2.")
    assert made["dependencies"].keys() >= {"numpy", "pyarrow", "python-sat"}
    assert made["python"].startswith("3.")


def test_equal_files_give_an_equal_manifest_whenever_they_are_published(tmp_path: Path) -> None:
    later = _publish_once("e1", datetime(2027, 1, 1, tzinfo=UTC)).name
    first = _publish(tmp_path).read_bytes(manifest_file("e1"))
    assert Path(later, manifest_file("e1")).read_bytes() == first


def test_a_table_with_nan_is_equal_to_its_own_bytes(tmp_path: Path) -> None:
    rows = tiny_edition.rows()
    rows["kumo_outcomes"][0]["low"] = math.nan
    store = Store(str(tmp_path))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(rows), [], datetime.now(UTC))
    (same,) = compare_unit(store, "e1", {"kumo_outcomes": tmp_path / table_file("kumo_outcomes", "e1")})
    assert (same.same_rows, same.same_bytes, same.difference) == (True, True, "")


@UNITS
def test_what_was_published_is_whole(tmp_path: Path, unit: str) -> None:
    verification = verify_unit(_publish(tmp_path), unit)
    assert verification.is_whole
    assert verification.findings == []
    files = _files(tmp_path, unit)
    del files[row_file(unit)]
    assert verification.files == len(files)
    assert verification.rows == sum(pq.read_metadata(path).num_rows for path in files.values())
    assert verification.bytes == sum(path.stat().st_size for path in files.values())


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _change_row(path: Path, **values: object) -> None:
    table = pq.read_table(path, partitioning=None)
    pq.write_table(type(table).from_pylist([table.to_pylist()[0] | values], schema=table.schema), path)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


@pytest.mark.parametrize(
    ("file", "damage", "problem"),
    [
        (EPISODES, flip, "altered"),
        (EPISODES, _truncate, "truncated"),
        (EPISODES, lengthen, "altered"),
        (EPISODES, Path.unlink, "missing"),
        (manifest_file("e1"), flip, "altered"),
        (manifest_file("e1"), Path.unlink, "missing"),
        (seal_file("e1"), Path.unlink, "missing"),
        (ROW, _truncate, "unreadable"),
        (table_file("instances", "e1"), flip, "altered"),
        (manifest_file(ANSWERS), flip, "altered"),
        (ANSWER_ROW, _truncate, "unreadable"),
    ],
)
def test_damage_is_named(tmp_path: Path, file: str, damage: Callable[[Path], None], problem: str) -> None:
    store = _publish(tmp_path)
    _publish(tmp_path, "e2")
    damage(tmp_path / file)
    unit, other = (
        ("e1", ANSWERS) if file not in (EPISODES, ANSWER_ROW, manifest_file(ANSWERS)) else (ANSWERS, "e1")
    )
    verification = verify_unit(store, unit)
    assert not verification.is_whole
    assert _find_flaws(verification) == [(file, problem)]
    assert verification.findings[0].is_damage
    assert verify_unit(store, other).is_whole
    assert verify_unit(store, "e2").is_whole


def test_every_damaged_file_is_named(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    for unit in ("e1", ANSWERS):
        staged = [file.table for file in read_manifest(store, unit)[1].files if file.table != "audits"]
        assert set(staged) < set(staged_tables("kumo", answers=unit == ANSWERS))
        for table in staged:
            flip(tmp_path / table_file(table, unit))
        assert _find_flaws(verify_unit(store, unit)) == [
            (table_file(table, unit), "altered") for table in sorted(staged)
        ]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seed", 4),
        ("counts", '{"episodes":5}'),
        ("settings", "{}"),
        ("settings", "no JSON"),
        ("code_version", "0.0.0"),
        ("benchmark", "other"),
    ],
)
def test_a_row_that_was_altered_contradicts_its_manifest(tmp_path: Path, column: str, value: object) -> None:
    store = _publish(tmp_path)
    _change_row(tmp_path / ROW, **{column: value})
    seal_row(store, "e1", (tmp_path / ROW).read_bytes())
    verification = verify_unit(store, "e1")
    assert _find_flaws(verification) == [(ROW, "altered")]
    assert verification.findings[0].message.endswith(f"differs from the manifest in {column}")


@pytest.mark.slow
def test_a_row_that_was_altered_breaks_its_seal(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    content = (tmp_path / ROW).read_bytes()
    assert hashlib.sha256(content).hexdigest() in (tmp_path / seal_file("e1")).read_text()
    _change_row(tmp_path / ROW, created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert _find_flaws(verify_unit(store, "e1")) == [(ROW, "altered")]
    (tmp_path / ROW).write_bytes(content)
    assert verify_unit(store, "e1").is_whole
    for place in range(0, len(content), 101):
        changed = bytearray(content)
        changed[place] ^= 1
        (tmp_path / ROW).write_bytes(changed)
        assert not verify_unit(store, "e1").is_whole


def test_a_seal_that_was_altered_fits_no_row(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    flip(tmp_path / seal_file("e1"))
    (finding,) = verify_unit(store, "e1").findings
    assert (finding.file, finding.problem) == (ROW, "altered")
    assert seal_file("e1") in finding.message


def test_a_row_that_names_another_manifest_is_found(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    _publish(tmp_path, "e2")
    (tmp_path / manifest_file("e1")).write_bytes((tmp_path / manifest_file("e2")).read_bytes())
    assert _find_flaws(verify_unit(store, "e1")) == [(manifest_file("e1"), "altered")]
    (tmp_path / ROW).write_bytes((tmp_path / table_file("editions", "e2")).read_bytes())
    problems = _find_flaws(verify_unit(store, "e1"))
    assert (ROW, "altered") in problems


@pytest.mark.parametrize("name", ["part-1", "9"])
def test_a_file_too_many_is_named_and_is_no_damage(tmp_path: Path, name: str) -> None:
    store = _publish(tmp_path)
    (tmp_path / EPISODES).with_name(f"{name}.parquet").write_bytes(b"?")
    verification = verify_unit(store, "e1")
    assert _find_flaws(verification) == [(table_file("episodes", f"e1@{name}"), "unlisted")]
    assert verify_unit(store, ANSWERS).findings == []
    assert verification.is_whole
    assert not verification.findings[0].is_damage


def test_an_edition_whose_row_is_lost_is_still_verified(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    _publish(tmp_path, "e2")
    (tmp_path / ROW).unlink()
    assert verifiable_units(store) == ("e1", ANSWERS, "e2", "e2@1")
    assert _find_flaws(verify_unit(store, "e1")) == [(ROW, "missing")]
    # A publish that was cut off just before the row looks the same, but for its staging.
    (tmp_path / "staging" / "e1" / "done").mkdir(parents=True)
    assert verifiable_units(store) == (ANSWERS, "e2", "e2@1")


def test_a_manifest_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    for content in (b"", b"[]", b'{"format": %d}' % FORMAT, b"\xff"):
        (tmp_path / manifest_file("e1")).write_bytes(content)
        assert (manifest_file("e1"), "altered") in _find_flaws(verify_unit(store, "e1"))
        with pytest.raises(ValueError, match="not a manifest"):
            parse_manifest(content)


def test_a_large_file_is_hashed_in_blocks(tmp_path: Path) -> None:
    content = bytes(range(256)) * 40_000
    (tmp_path / "large").write_bytes(content)
    found = dict(digests_of(Store(str(tmp_path)), ["large", "lost"]))
    assert found["large"] == Digest(len(content), hashlib.sha256(content).hexdigest())
    assert isinstance(found["lost"], FileNotFoundError)
