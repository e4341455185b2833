"""Items are grown from code that is run, have one answer, and are new and equal for equal seeds."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from perennial.tasks.a2rbench import growing
from perennial.tasks.a2rbench.catalogue import FORWARD, INVERSE, RULES, Rule
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.growing import GrownSeed, SeedRequest, grow_seed
from perennial.tasks.a2rbench.item_text import read_prompt
from perennial.tasks.a2rbench.items import PREFIX, remap
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import find_protection


def grow(rule: Rule | str, variations: tuple[int, ...] = (0, 5), **changes: object) -> GrownSeed:
    of = RULES[rule] if isinstance(rule, str) else rule
    request = SeedRequest(of, 0, variations, True, 11, find_protection().jail)
    return grow_seed(replace(request, **changes))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variations"),
    [
        ("line_reverse", range(10)),
        ("grid_transpose", (0, 4, 9)),
        ("cube_shear_layers", (0, 7)),
        ("line_caesar", (0, 5)),
    ],
)
def test_items_are_those_of_the_rule_and_equal_for_equal_seeds(name: str, variations: Sequence[int]) -> None:
    grown, rule = grow(name, tuple(variations)), RULES[name]
    assert grown == grow(name, tuple(variations))
    originals = [item for item in grown.items if not item.is_remapped]
    assert [item.variation for item in originals] == list(variations)
    assert {item.seed_item for item in grown.items} == {originals[0].instance_id}
    for item in originals:
        examples, query = json.loads(item.examples), json.loads(item.query)
        assert len(examples) == 5
        assert [rule.forward(given) for given, _ in examples] == [wanted for _, wanted in examples]
        assert rule.forward(query) == json.loads(item.answer)
        found = find_fits(rule.dimension, [(given, wanted) for given, wanted in examples], query)
        assert (item.fits, item.fits_other) == (found.count, 0)
        assert (name,) in found.agreeing
        assert any(given != wanted for given, wanted in examples)


def test_a_machine_that_is_busy_for_a_moment_costs_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed, run, reasons = grow("line_reverse", (0,)), growing.run_inputs, ["time"]

    def refuse_once(*arguments: Any) -> Any:
        if reasons:
            raise SandboxRefusal(reasons.pop(), "no output within 2 seconds")
        return run(*arguments)

    monkeypatch.setattr(growing, "run_inputs", refuse_once)
    assert grow("line_reverse", (0,)) == undisturbed
    reasons += ["time", "time"]
    assert [one.rule for one in grow("line_reverse", (0,)).rejected] == ["refused_by_sandbox"]


@pytest.mark.slow
def test_copies_are_images_of_their_originals_for_symbolic_rules_alone() -> None:
    grown = grow("line_reverse")
    own = {item.instance_id: item for item in grown.items}
    copies = [item for item in grown.items if item.is_remapped]
    assert len(copies) == 2
    for copy in copies:
        original, phi = own[copy.of or ""], json.loads(copy.phi or "")
        assert remap(json.loads(original.examples), phi) == json.loads(copy.examples)
        assert remap(json.loads(original.answer), phi) == json.loads(copy.answer)
        assert (copy.setting, copy.variation) == ("remapped", original.variation)
    assert [item.is_remapped for item in grow("line_reverse", remapping=False).items] == [False, False]
    semantic = grow("line_caesar")
    assert not semantic.rejected
    assert [(item.is_remapped, item.commutes) for item in semantic.items] == [(False, None)] * 2


def test_a_rule_that_does_not_commute_has_no_copies() -> None:
    # A Caesar shift that says of itself that it is symbolic: it fails on the other tokens or differs.
    rule = replace(RULES["line_caesar"], type="symbolic")
    grown = grow(rule, (0,))
    assert [(item.is_remapped, item.commutes) for item in grown.items] == [(False, False)]
    assert [(each.variation, each.rule) for each in grown.rejected] == [(0, "not_remapped")]
    assert "f(phi(x))" in grown.rejected[0].why


def write_rule(body: str) -> Rule:
    """A rule that does this, with an inverse that does nothing."""
    code = f"def {FORWARD}(x):\n    {body}\n\n\ndef {INVERSE}(x):\n    return x\n"
    return Rule("made", 1, "symbolic", "Made.", "Made.", code)


@pytest.mark.parametrize("body", ["return x[:1]", "return x"])
def test_a_rule_without_inverse_or_without_effect_gives_nothing_and_says_so(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "_ROUNDS", 2)
    rule = write_rule(body)
    grown = grow(rule, (0, 1))
    assert grown.items == []
    assert {each.rule for each in grown.rejected} == {"no_unique_item"}
    assert "4 draws" in grown.rejected[0].why


def test_code_that_fails_in_the_sandbox_gives_nothing_and_says_why() -> None:
    rule = write_rule("raise ValueError(x)")
    grown = grow(rule)
    assert grown.items == []
    assert [each.rule for each in grown.rejected] == ["refused_by_sandbox"]
    assert "raised" in grown.rejected[0].why


@pytest.mark.slow
def test_items_of_earlier_editions_are_drawn_again() -> None:
    first = grow("line_reverse")
    hashes = {item.instance_id.removeprefix(f"{PREFIX}_") for item in first.items}
    second = grow("line_reverse", issued=hashes)
    assert len(second.items) == len(first.items)
    assert not {item.instance_id for item in second.items} & {item.instance_id for item in first.items}
    assert all(item.rejected_draws for item in second.items if not item.is_remapped)


def test_an_item_with_two_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Examples of one token fit every rule that keeps a single token; the query tells them apart.
    monkeypatch.setattr(growing, "_ROUNDS", 1)
    draws = [["a"], ["b", "b"], ["c"], ["d"], ["e", "f"], ["a", "b", "c", "d"]]
    monkeypatch.setattr(growing, "draw_inputs", lambda *_of: draws)
    assert grow("line_reverse", (0,)).items == []


@pytest.mark.parametrize("text", ["", "Input:\n", "Output:\n[]", "Input:\n[]\nOutput:\n[]\n", "Input:\n["])
def test_another_text_is_no_prompt(text: str) -> None:
    with pytest.raises(ValueError):
        read_prompt(text)
