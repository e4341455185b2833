"""Which instances of an edition are private: whole origins, as many as was asked, spread over its cells."""

import json
from collections import Counter
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perennial.warehouse.catalog

VIEW = (Path(perennial.warehouse.catalog.__file__).parent / "views/private_instances.sql").read_text("utf-8")
CONNECTION = duckdb.connect(config={"threads": 1})
# Of each cell how many instances each of its origins has.
CELLS = st.integers(1, 4).flatmap(
    lambda most: st.dictionaries(
        st.tuples(st.sampled_from("pqrst"), st.sampled_from(["easy", "hard"])),
        st.lists(st.integers(1, most), min_size=1, max_size=9),
        min_size=1,
        max_size=6,
    )
)
SHARES = st.one_of(st.sampled_from([0.01, 0.2, 0.34, 0.5, 0.99]), st.floats(0.001, 0.999))


def query_private(editions: list[tuple[str, str]], rows: list[tuple[str, ...]], share: float) -> list[Any]:
    """Return edition and instance of what is private of editions with these rows of `instances`."""
    settings = json.dumps({"private_share": share})
    names = ("edition", "instance_id", "origin", "domain", "setting")
    listed = [(edition, *row) for edition, _ in editions for row in rows]
    tables = {
        "editions": [
            {"edition": edition, "seed_commitment": commitment, "settings": settings}
            for edition, commitment in editions
        ],
        "instances": [dict(zip(names, row, strict=True)) for row in listed],
    }
    for name, values in tables.items():
        CONNECTION.register(name, pa.Table.from_pylist(values))
    return CONNECTION.execute(f"SELECT edition, instance_id FROM ({VIEW})").fetchall()


def draw_private(
    cells: dict[tuple[str, str], list[int]], share: float
) -> tuple[dict[str, tuple[str, str]], Counter[str], Counter[str]]:
    """Return the cell of each origin, its number of instances, and how many of these are private."""
    rows = [
        (f"{domain}{setting}{number}.{copy}", f"{domain}{setting}{number}", domain, setting)
        for (domain, setting), sizes in cells.items()
        for number, size in enumerate(sizes)
        for copy in range(size)
    ]
    private = {id_ for _, id_ in query_private([("e", "c")], rows, share)}
    cell_of = {origin: (domain, setting) for _, origin, domain, setting in rows}
    sizes = Counter(origin for _, origin, *_ in rows)
    return cell_of, sizes, Counter(origin for id_, origin, *_ in rows if id_ in private)


@pytest.mark.slow
@given(CELLS, SHARES)
def test_the_share_of_the_edition_is_private_in_whole_origins_and_spread_over_its_cells(
    cells: dict[tuple[str, str], list[int]], share: float
) -> None:
    cell_of, sizes, private = draw_private(cells, share)
    total = len(cell_of)
    assert all(private[origin] == sizes[origin] for origin in private)
    if total == 1:
        assert len(private) == 1  # the audit refuses such an edition
        return
    assert 0 < len(private) < total
    instances = sizes.total()
    assert abs(private.total() / instances - share) < max(sizes.values()) / instances
    if len(set(sizes.values())) == 1:
        assert abs(len(private) / total - share) < 1 / total
        assert_shared_out(cell_of, set(private), share)


def assert_shared_out(cell_of: dict[str, tuple[str, str]], private: set[str], share: float) -> None:
    """Assert that cells have their whole parts, and one more where the remainders are largest."""
    counts, drawn = Counter(cell_of.values()), Counter(cell_of[origin] for origin in private)
    exact = {cell: Fraction(round(share * count, 9)) for cell, count in counts.items()}
    more = len(private) - sum(map(floor, exact.values()))
    is_clamped = not 0 <= more <= len(counts)
    assert all(abs(drawn[cell] - value) <= 1 + is_clamped for cell, value in exact.items())
    remainders = sorted((value - floor(value) for value in exact.values()), reverse=True)
    if 0 < more < len(counts) and remainders[more - 1] != remainders[more]:
        chosen = {cell for cell, value in exact.items() if value - floor(value) >= remainders[more - 1]}
        assert {cell for cell in counts if drawn[cell] > floor(exact[cell])} == chosen


def test_no_origin_of_a_cell_is_likelier_to_be_private_than_another() -> None:
    editions = [(f"e{number}", f"commitment {number}") for number in range(600)]
    rows = [(f"i{number}", f"o{number}", "p", "easy") for number in range(5)]
    counted = Counter(id_ for _, id_ in query_private(editions, rows, 0.4))
    # Each in 240 of 600 with a standard deviation of 12.
    assert sorted(counted) == ["i0", "i1", "i2", "i3", "i4"]
    assert all(190 < count < 290 for count in counted.values())
