"""The tables of time: sizes, years of history, orders and spans of a life, every row in use."""

import pytest

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import Row
from perennial.tasks.knowlogic.problem import Request
from perennial.tasks.knowlogic.time.domain import SIZES
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.time.time_items import domain, table


def rows(name: str) -> tuple[Row, ...]:
    """Return the rows of a table of time."""
    return load_knowledge().rows(f"time/{name}")


def test_there_are_as_many_events_as_in_the_paper() -> None:
    assert len(rows("events")) >= 74
    assert len(table().life) + len(table().week) >= 39
    assert len(table().history) >= 9


def test_events_of_history_lie_in_the_century_and_have_an_obscurity() -> None:
    for event in table().history.values():
        assert 1900 <= event.year <= 2000
        assert event.obscurity in (1, 2, 3)
    known = {"united_nations": 1945, "jackson": 1958, "pulitzer": 1917, "google": 1998, "moon": 1969}
    assert {anchor: table().year_of(anchor) for anchor in known} == known


def test_names_are_complete_and_can_be_listed() -> None:
    for event in (*table().life.values(), *table().week.values()):
        assert event.gerund.split()[0].endswith("ing")
    for row in (*rows("events"), *rows("spans")):
        assert row["zh"]
        assert row["en"]
        assert row["source"]
        assert not row["en"].endswith(".")


def test_orders_and_spans_name_events_of_a_life() -> None:
    named = {row[side] for row in rows("orders") for side in ("before", "after")} - {"*"}
    assert named <= set(table().life)
    for span in table().spans.values():
        assert (span.start, span.end) in table().orders
        assert 1 <= span.years[0] <= span.years[1]


def test_the_order_of_a_life_has_no_circle_and_follows_the_table() -> None:
    places = {event: place for place, event in enumerate(table().life)}
    assert all(places[before] < places[after] for before, after in table().orders)
    assert all(("born", event) in table().orders for event in table().life if event != "born")
    # Four schools lie between; three of them take a year at least.
    assert table().orders["start_primary", "start_university"] == 3


@pytest.mark.slow
def test_every_row_is_used_by_some_question() -> None:
    used: set[str] = set()
    for seed in range(120):
        for scenario in SIZES:
            request = Request(scenario, "medium", "correct_statements", 1)
            found = domain().draw(request, derive_rng(4, scenario, seed))
            for said in (*found.statements, *found.options) if found else ():
                used |= {str(each) for each in said.arguments}
    ids = {row["id"] for row in (*rows("events"), *rows("spans"))}
    assert sorted(ids - used) == []
