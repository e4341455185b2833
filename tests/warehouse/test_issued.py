"""The compact set of ids is a set; what was issued is what all published editions hold."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.issued_ids import EitherSet, IdSet, issued_instances
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition

# Halves that coincide, in few values, so that ids meet, share a half, and lie at the ends of the order.
_HALVES = st.sampled_from(["0" * 16, "0" * 15 + "1", "8" + "0" * 15, "f" * 16])
_IDS = st.builds("ki_{}{}".format, _HALVES, _HALVES)
_OTHERS = st.one_of(
    st.text(max_size=3),
    st.sampled_from(
        [
            "ki_tiny",
            "ki_" + "A" * 32,
            "ki_" + "0" * 31,
            "ki_" + "0" * 31 + "g",
            "ki_" + "0 " * 16,
            "ki_" + "é" * 16,
        ]
    ),
)
_TEXTS = st.lists(st.one_of(_IDS, _OTHERS), max_size=12)


@settings(max_examples=300, deadline=None)
@given(st.lists(_TEXTS, max_size=6), _TEXTS)
@pytest.mark.slow
def test_it_is_a_set(added: list[list[str]], asked: list[str]) -> None:
    compact, plain = IdSet(), set()
    for texts in added:
        compact.update(texts)
        plain.update(texts)
    assert len(compact) == len(plain)
    asked = [*asked, *plain]
    assert compact.which(asked) == [text in plain for text in asked]
    assert [text in compact for text in asked] == [text in plain for text in asked]
    assert None not in compact


def test_an_id_is_known_by_its_digits_whatever_column_it_is_from() -> None:
    hashes = IdSet([f"{number:032x}" for number in range(3, 6)])
    assert [f"ki_{number:032x}" in hashes for number in range(10)] == [
        3 <= number < 6 for number in range(10)
    ]


def test_ids_that_end_in_zero_bytes_are_told_apart_from_shorter_ones() -> None:
    digits = ["0" * 32, "ab" + "0" * 30, "ab" * 15 + "00"]
    compact = IdSet(digits[1:])
    assert compact.which(digits) == [digit in compact for digit in digits] == [False, True, True]


@pytest.mark.slow
def test_an_id_takes_sixteen_bytes() -> None:
    tracemalloc.start()
    compact = IdSet()
    for start in range(0, 200_000, 10_000):
        compact.update(
            f"ki_{number * 0x9E3779B97F4A7C15 % (1 << 64):032x}" for number in range(start, start + 10_000)
        )
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(compact) == 200_000
    assert taken < 17 * 200_000


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_it_grows_as_sampling_does(step: int) -> None:
    ids = [f"ki_{number * 0x9E3779B97F4A7C15 % (1 << 64):016x}{number:016x}" for number in range(3_000)]
    compact = IdSet()
    for start in range(0, len(ids), step):
        compact.update(ids[start : start + step])
    assert len(compact) == len(ids)
    assert all(compact.which(ids))
    assert not any(compact.which([f"ki_{number:032x}" for number in range(1, 1_000)]))


def test_either_of_several_sets() -> None:
    compact = IdSet()
    compact.update(["ki_" + "1" * 32])
    either = EitherSet(compact, {"ki_plain"})
    asked = ["ki_" + "1" * 32, "ki_plain", "ki_" + "2" * 32]
    assert [text in either for text in asked] == either.which(asked) == [True, True, False]


def test_issued_are_the_instances_of_all_the_editions_named(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for edition, numbers in (("a", range(3)), ("b", range(2, 9)), ("c", range(20, 21))):
        rows = [
            {
                **tiny_edition.rows()["instances"][0],
                "instance_id": f"ki_{number:032x}",
                "content_hash": f"{number:032x}",
            }
            for number in numbers
        ]
        table = tiny_edition.tables({"instances": rows})["instances"]
        store.write_table(table_file("instances", edition), table)
    issued = issued_instances(store, ("a", "b", "without instances"))
    found = [number for number in range(30) if f"ki_{number:032x}" in issued]
    assert found == list(range(9))
    assert len(issued) == 9
