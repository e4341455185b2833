"""A model beside itself as a control: on shared instances, by domain, and apart from the family of models."""

from dataclasses import replace
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.multiplicity import kind_by_name
from perennial.tasks.statistics.rank_figures import compare_pairs
from perennial.tasks.statistics.rate_figures import control_figures
from tests.statistics.made_cells import Cell, grid

VARIANTS = ("symbolic", "closed")


def _cells(player: str, solved: dict[str, int], domain: str = "A", runs: int = 4) -> list[Cell]:
    return [Cell(domain, "easy", player, name, runs, count) for name, count in solved.items()]


def test_the_gap_is_over_shared_instances_in_all_domains_and_in_each() -> None:
    open_ = [*_cells("m", {"1": 4, "2": 4, "3": 2}), *_cells("m", {"4": 1}, "B")]
    closed = [*_cells("closed:m", {"1": 0, "2": 3}), *_cells("closed:m", {"4": 2}, "B")]
    alone = [*_cells("closed:n", {"1": 4}), *_cells("program", {"1": 4})]
    found = list(control_figures(grid([*open_, *closed, *alone]), VARIANTS))
    assert [(f.domain, f.player, f.other, f.convention, f.n) for f in found] == [
        (ALL, "m", "closed:m", "closed", 3),
        ("A", "m", "closed:m", "closed", 2),
        ("B", "m", "closed:m", "closed", 1),
    ]
    assert [f.value for f in found] == pytest.approx([(1 + 0.25 - 0.25) / 3, 1.25 / 2, -0.25])
    assert found[0].low is not None
    assert found[0].high is not None
    assert found[0].low <= found[0].value <= found[0].high
    assert "n counts instances" in found[0].method


def test_every_variant_has_a_gap_of_its_own() -> None:
    names = ("m", "symbolic:m", "closed:m")
    cells = [cell for place, name in enumerate(names) for cell in _cells(name, {"1": 4 - place, "2": 4})]
    found = [f for f in control_figures(grid(cells), VARIANTS) if f.domain == ALL]
    assert {f.convention: f.value for f in found} == {"symbolic": 0.125, "closed": 0.25}
    assert not list(control_figures(grid(cells), ()))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_the_gap_is_the_paired_difference_whatever_the_names_order(solved: list[tuple[int, int]]) -> None:
    names = {f"{place:02}": pair for place, pair in enumerate(solved)}
    cells = [
        *_cells("zebra", {name: one for name, (one, _) in names.items()}, runs=5),
        *_cells("closed:zebra", {name: other for name, (_, other) in names.items()}, runs=5),
    ]
    (gap,) = [f for f in control_figures(grid(cells), VARIANTS) if f.domain == ALL]
    assert gap.value == pytest.approx(mean((one - other) / 5 for one, other in solved))
    (pair,) = compare_pairs(grid(cells), kind_by_name(()))
    assert (pair.player, pair.other) == ("closed:zebra", "zebra")
    assert gap.value == pytest.approx(-pair.difference)


def test_a_control_is_no_member_of_the_family_of_models() -> None:
    kind = kind_by_name(("oracle",), VARIANTS)
    players = ("m", "closed:m", "symbolic:sft/n", "oracle", "sft/n", "closed", "Closed:m")
    assert [kind(player) for player in players] == [
        *("models", "controls", "controls", "programs", "checkpoints", "models", "models")
    ]
    one = Cell("A", "easy", "m", "1", 1, 1)
    cells = [replace(one, player=name, solved=name < "c") for name in ("a", "b", "closed:a", "closed:b")]
    cells += [replace(cell, instance_id="2") for cell in cells]
    families = {
        (pair.player, pair.other): (pair.family, pair.tests) for pair in compare_pairs(grid(cells), kind)
    }
    assert families["a", "b"] == ("models", 1)
    assert families["a", "closed:b"] == ("controls and models", 4)
    assert families["closed:a", "closed:b"] == ("controls", 1)
