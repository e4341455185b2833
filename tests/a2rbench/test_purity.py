"""A rule that builds on the order of a set of two texts is found: before an item is made, or at the gate."""

import ast
from collections.abc import Sequence
from dataclasses import replace

import pytest

from perennial.tasks.a2rbench import items as gate
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.expansion import Expansion
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.growing import AT_GATE, TRIED, gate_seeds, trial_seeds
from perennial.tasks.a2rbench.items import run_inputs, write_item
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import find_protection, run_purely
from tests.a2rbench.authored_rules import LINES, ORDER
from tests.a2rbench.expansion.expanding import Asking, expand

_TWO = "def f(x): return list({'a1', 'b1'})"


def test_hash_seeds_are_those_of_the_edition_and_more_at_the_gate() -> None:
    tried, at_gate = trial_seeds(ORDER, 3), gate_seeds(ORDER, 3)
    assert (len({*tried}), len({*at_gate})) == (TRIED, AT_GATE) == (5, 7)
    assert not {*tried} & {*at_gate}
    assert min(tried + at_gate) > 0
    assert trial_seeds(ORDER, 4) != tried == trial_seeds(ORDER, 3)
    assert trial_seeds(replace(ORDER, name="rule_other"), 3) != tried


def test_a_set_of_two_texts_that_two_hash_seeds_agree_on_is_found_by_five() -> None:
    assert len(run_purely(_TWO, "f", ["x"], hash_seeds=(1, 2))) == 1
    with pytest.raises(SandboxRefusal) as refused:
        run_purely(_TWO, "f", ["x"], hash_seeds=trial_seeds(ORDER, 3))
    assert refused.value.reason == "impure"


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_each_hash_seed_counts(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last worker alone gives something else."""
    calls: list[int] = []

    def run(_code: str, _f: str, inputs: Sequence[object], *_rest: object) -> list[object]:
        calls.append(1)
        return [value if len(calls) < number else "other" for value in inputs]

    monkeypatch.setattr("perennial.tasks.sandbox.tier.run_code", run)
    with pytest.raises(SandboxRefusal, match="input 1 gives different outputs"):
        run_purely("", "f", ["x", "y"], hash_seeds=range(1, number + 1))
    assert len(calls) == number


@pytest.mark.slow
def test_the_inverse_is_tried_with_several_hash_seeds() -> None:
    """A rule that is pure, with an inverse that builds on the order of a set."""
    impure = (
        "\n\ndef inverse_transform_grid(grid):\n"
        "    return grid[::-1] if list({'a1', 'b1'})[0] == 'a1' else grid\n"
    )
    rule = replace(ORDER, code="def transform_grid(grid):\n    return grid[::-1]" + impure)
    with pytest.raises(SandboxRefusal) as refused:
        run_inputs(rule, [LINES], find_protection().jail, range(1, 12))
    assert refused.value.reason == "impure"


@pytest.mark.slow
def test_the_gate_finds_what_five_hash_seeds_agree_on() -> None:
    jail, seeds = find_protection().jail, trial_seeds(ORDER, 3)
    (shown,) = run_inputs(ORDER, [LINES], jail, seeds)
    assert not isinstance(shown, Exception)
    item = write_item(ORDER, 0, shown, find_fits(1, shown.examples, shown.query))
    assert gate.check_items(ORDER, [item], jail, seeds).faults == []
    tested = gate.check_items(ORDER, [item], jail, gate_seeds(ORDER, 3))
    assert any("outputs are not those of the code" in fault for fault in tested.faults)
    assert tested.outputs < len(shown.outputs)


def test_an_expansion_tries_the_edition_s_hash_seeds() -> None:
    rule = replace(ORDER, code=ORDER.code.replace("a13", "a1").replace("b13", "b1"))
    found: Expansion = expand(Asking(), rule)
    assert [(each.variation, each.rule) for each in found.rejected] == [(0, "impure")]


def test_no_rule_of_the_catalogue_uses_a_set() -> None:
    """So that two hash seeds are enough for them: nothing else has an order that they change."""
    for name, rule in RULES.items():
        nodes = list(ast.walk(ast.parse(rule.code)))
        assert not [node for node in nodes if isinstance(node, ast.Set | ast.SetComp)], name
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert not names & {"set", "frozenset", "repr", "ascii"}, name
