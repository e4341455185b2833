"""What grows with the number of editions: files that a catalog looks for, names that an error lists."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow
import pytest

from perennial.schemas.errors import InvalidOption
from perennial.schemas.tables import TABLES
from perennial.schemas.units import units_by_edition
from perennial.warehouse.catalog.catalog import list_contents
from perennial.warehouse.catalog.confinement import row_file, table_file
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store


def _names(number: int) -> list[str]:
    return [f"week-{place:02}" for place in range(number)]


class _CountingStore(Store):
    """A data root that counts the files that are looked for."""

    looked_for: list[str]

    def has_file(self, name: str) -> bool:
        self.looked_for.append(name)
        return super().has_file(name)


@pytest.mark.parametrize("held", [("instances", "kumo_books"), ("instances",)])
def test_a_catalog_looks_for_no_file_of_a_table_that_the_edition_does_not_have(
    tmp_path: Path, held: tuple[str, ...]
) -> None:
    store = _CountingStore(str(tmp_path))
    object.__setattr__(store, "looked_for", [])
    units = tuple(unit for name in _names(5) for unit in (name, f"{name}@1"))
    files = {table: [table_file(table, name) for name in _names(5)] for table in held}
    for file in (file for files_of_table in files.values() for file in files_of_table):
        store.write_bytes(file, b"")
    found = list_contents(store, units)
    assert {table: names for table, names in found.files.items() if names} == files
    assert sorted(store.looked_for) == sorted(file for names in files.values() for file in names)
    assert len(TABLES) > len(held)


def test_evaluations_are_found_by_their_edition() -> None:
    assert units_by_edition(("b", "a", "a@1", "b@x", "c@1", "a@2")) == {
        "b": ["b", "b@x"],
        "a": ["a", "a@1", "a@2"],
    }


@pytest.mark.parametrize(
    ("number", "end"), [(12, "week-11"), (48, "week-11 and 36 more (`perennial editions list` lists them)")]
)
def test_a_refused_name_lists_some_of_many_editions(tmp_path: Path, number: int, end: str) -> None:
    store = Store(str(tmp_path))
    for name in _names(number):
        store.write_bytes(row_file(name), b"")
    with pytest.raises(InvalidOption) as refused:
        select_unit(store, "month-01", _names(number))
    listed = str(refused.value).partition("published: ")[2].partition(";")[0]
    assert listed.startswith("week-00, week-01, ")
    assert listed.endswith(end)


def test_the_newest_edition_is_that_of_the_benchmark(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number, benchmark in enumerate(("kumo", "toy", "kumo", "toy")):
        row = {"created_at": datetime(2026, 1, 1 + number, tzinfo=UTC), "benchmark": benchmark}
        store.write_table(row_file(f"e{number}"), pyarrow.Table.from_pylist([row]))
    names = [f"e{number}" for number in range(4)]
    assert [select_unit(store, None, names, benchmark) for benchmark in (None, "kumo", "toy")] == [
        "e3",
        "e2",
        "e3",
    ]
    assert select_unit(store, "latest~1", names, "kumo") == "e0"
    assert select_unit(store, "e1", names, "kumo") == "e1"
    with pytest.raises(InvalidOption, match=r"no published edition of logic: run `perennial refresh --bench"):
        select_unit(store, None, names, "logic")
    with pytest.raises(InvalidOption, match=r"to choose from in .*: 2"):
        select_unit(store, "latest~2", names, "kumo")
