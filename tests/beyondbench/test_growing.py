"""Growing a cell: within the budget, distinct, new, and counted where the space or the budget ends it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.beyondbench.things import BeyondBenchPlan, Cell
from perennial.tasks.beyondbench.problem import (
    CellRequest,
    GrownCell,
    estimate_tokens,
    fits,
    grow_cell,
    shrink,
    token_status,
)
from perennial.tasks.beyondbench.registry import TASKS

PLAN = BeyondBenchPlan((Cell("addition", "standard"),), 40, 32_768)


def grow(name: str, variation: str, **changes: Any) -> GrownCell:
    fields = {"held": frozenset(), "issued": frozenset(), "count": estimate_tokens, "plan": PLAN, "seed": 3}
    return grow_cell(CellRequest(TASKS[name], variation, **{**fields, **changes}))


def hashes(grown: GrownCell) -> set[str]:
    return {identity.removeprefix("bb_") for identity in grown.drawn}


def test_sizes_take_turns_and_all_problems_are_distinct() -> None:
    grown = grow("addition", "standard")
    assert [each.problem.size for each in grown.drawn.values()] == [8, 16, 32, 64] * 10
    assert len({each.problem.prompt for each in grown.drawn.values()}) == 40
    assert not grown.excluded
    assert not grown.missing


def test_nothing_that_another_variation_or_an_earlier_edition_holds_is_drawn() -> None:
    first = grow("addition", "standard")
    for other in (
        grow("addition", "standard", held=frozenset(first.drawn)),
        grow("addition", "standard", issued=hashes(first)),
    ):
        assert len(other.drawn) == 40
        assert other.drawn.keys().isdisjoint(first.drawn)
        assert not any(each.is_reused for each in other.drawn.values())


def test_complete_graphs_are_drawn_for_one_variation_only() -> None:
    plan = replace(PLAN, instances=70)
    first = grow("graph_coloring", "complete", plan=plan)
    second = grow("graph_coloring", "dense_random", plan=plan, held=frozenset(first.drawn))
    assert first.drawn.keys().isdisjoint(second.drawn)


@pytest.mark.slow
def test_a_small_space_is_used_up_then_used_again_and_then_counted_as_missing() -> None:
    first = grow("n_queens", "queens_5", plan=replace(PLAN, instances=20))
    assert len(first.drawn) == 20
    every = grow("n_queens", "queens_5", plan=replace(PLAN, instances=5_000))
    assert every.missing == {5: 5_000 - len(every.drawn)}
    again = grow("n_queens", "queens_5", plan=replace(PLAN, instances=5_000), issued=hashes(first))
    reused = {identity for identity, each in again.drawn.items() if each.is_reused}
    assert reused == set(first.drawn)
    assert again.drawn.keys() == every.drawn.keys()


def test_where_the_policy_is_never_nothing_is_used_again() -> None:
    task = TASKS["n_queens"]
    never = replace(task, variations=tuple(replace(each, reuse="never") for each in task.variations))
    plan = replace(PLAN, instances=5_000)
    first = grow("n_queens", "queens_4", plan=plan)
    request = CellRequest(never, "queens_4", plan, 4, frozenset(), hashes(first), estimate_tokens)
    assert grow_cell(request).drawn == {}


@pytest.mark.parametrize(
    ("context", "sizes", "excluded"), [(10_000, {8, 16, 32, 64}, 0), (150, {8, 16}, 0), (60, set(), 40)]
)
def test_a_size_shrinks_until_it_fits_or_is_excluded(context: int, sizes: set[int], excluded: int) -> None:
    grown = grow("addition", "standard", plan=replace(PLAN, context_tokens=context))
    assert {each.problem.size for each in grown.drawn.values()} == sizes
    assert sum(grown.excluded.values()) == excluded
    assert all(fits(each.prompt_tokens + each.solution_tokens, context) for each in grown.drawn.values())


@given(st.integers(1, 500), st.lists(st.integers(1, 500), min_size=1, unique=True).map(sorted))
def test_shrinking_goes_down_by_a_fifth_at_least_and_ends(size: int, sizes: list[int]) -> None:
    smaller = shrink(size, sizes)
    if smaller is None:
        assert sizes[0] > 0.8 * size - 1
    else:
        assert smaller in sizes
        assert smaller <= 0.8 * size


@pytest.mark.parametrize(
    ("tokens", "cut", "status"),
    [
        (85, False, "VALID"),
        (86, False, "WARNING"),
        (100, False, "WARNING"),
        (101, False, "OVERFLOW"),
        (5, True, "OVERFLOW"),
        (None, True, "OVERFLOW"),
        (None, False, None),
    ],
)
def test_the_status_of_tokens(tokens: int | None, cut: bool, status: str | None) -> None:
    assert token_status(tokens, 100, was_cut_off=cut) == status
