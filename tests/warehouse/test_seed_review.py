"""The readings of the bundled domains: review.csv names each doubtful cell, facts.csv follows it."""

import csv

import pytest

from perennial.warehouse.kumo.domains.generate import FOLDER, read_facts

HEADER = ["truth", "attribute", "first", "second", "result", "reason"]
SLUGS = sorted(path.parent.name for path in FOLDER.glob("*/config.json"))


def read_review(slug: str) -> list[list[str]]:
    with (FOLDER / slug / "review.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_reviewed_cell_holds_the_last_result_of_its_review(slug: str) -> None:
    table = read_facts((FOLDER / slug / "facts.csv").read_text(encoding="utf-8"), slug)
    header, *rows = read_review(slug)
    assert header == HEADER
    # A later reader appends rows of his own: the last one of a cell counts.
    results = {(row[0], row[1]): row[4] for row in rows if row[0] != "*"}
    assert {key: table.attributes[key[1]][table.truths.index(key[0])] for key in results} == results


@pytest.mark.parametrize("slug", SLUGS)
def test_a_second_reader_closes_the_review_with_the_counts_of_cells(slug: str) -> None:
    table = read_facts((FOLDER / slug / "facts.csv").read_text(encoding="utf-8"), slug)
    _, *rows, last = read_review(slug)
    cells = len(table.truths) * len(table.attributes)
    assert last[:3] == ["*", "*", str(cells)]
    assert last[4] == "read by a second reader"
    assert 0 <= int(last[3]) <= len(rows)
    assert all(row[0] != "*" for row in rows)
