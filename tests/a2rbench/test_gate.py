"""The gate finds every planted fault, and none in what was grown."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from perennial.schemas.a2rbench.things import Item
from perennial.tasks.a2rbench import items as gate
from perennial.tasks.a2rbench.catalogue import FORWARD, INVERSE, RULES
from perennial.tasks.sandbox.refusal import Reason, SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, find_protection
from tests.a2rbench import made_edition

RULE = RULES["line_reverse"]


@pytest.fixture(scope="module")
def grown() -> list[Item]:
    return [item for item in made_edition.items() if item.rule == RULE.name and item.variation in (0, 4)]


def check(items: list[Item]) -> gate.TestedItems:
    return gate.check_items(RULE, items, find_protection().jail, (3,))


@pytest.fixture
def unjailed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule's functions in place of workers that run its code."""
    functions = {FORWARD: RULE.forward, INVERSE: RULE.inverse}

    def run(_code: str, function: str, inputs: list[Any], **_how: object) -> list[Any]:
        return list(map(functions[function], inputs))

    monkeypatch.setattr(gate, "run_code", run)


@pytest.mark.slow
def test_what_was_grown_passes_and_is_counted(grown: list[Item]) -> None:
    tested = check(grown)
    assert tested == gate.TestedItems(items=4, outputs=24, cycles=24, unique=4, prompts=4, copies=2)


def _change_json(name: str, change: Callable[[Any], Any]) -> Callable[[Item], Item]:
    def plant(item: Item) -> Item:
        value = change(json.loads(getattr(item, name)))
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return replace(item, **{name: text})  # type: ignore[arg-type]

    return plant


def _set(**changes: Any) -> Callable[[Item], Item]:
    return lambda item: replace(item, **changes)


# Each is planted into one item: which of the four (V0, its copy, V4, its copy), how, and what is said of it.
FAULTS: list[tuple[int, Callable[[Item], Item], str]] = [
    (0, _change_json("answer", lambda value: value[::-1]), "outputs are not those of the code"),
    (0, _change_json("answer", lambda value: value[:-1]), "cycles do not close"),
    (0, _change_json("examples", lambda value: [[value[0][0], value[0][0]], *value[1:]]), "not those of the"),
    (0, _change_json("examples", lambda value: value[1:]), "the prompt shows other examples"),
    (0, _change_json("query", lambda value: [*value, "z"]), "the prompt shows other examples"),
    (0, _change_json("answer", lambda value: [value]), "a list with something other than tokens"),
    (0, _set(answer="[1"), "no JSON of values"),
    (0, _set(examples='["a"]'), "no JSON of values"),
    (0, _set(code="def transform_grid(x):\n    return x"), "the code is not that of"),
    (0, _set(rule="line_caesar"), "the code is not that of"),
    (0, lambda item: replace(item, prompt=item.prompt.replace("Query", "Question")), "prompt are not what"),
    (0, lambda item: replace(item, prompt=item.prompt.replace("Output:", "Result:")), "the prompt shows"),
    (0, _set(description="Do nothing."), "description are not what"),
    (0, _set(fits=99), "fits are not what"),
    (0, _set(fits_other=1), "fits_other are not what"),
    (0, _set(max_loop_depth=7), "max_loop_depth are not what"),
    (0, _set(gzip=0.5), "gzip are not what"),
    (0, _set(instance_id="a2r_0"), "instance_id"),
    (0, _set(dimension=2), "dimension are not what"),
    (0, _set(type="semantic"), "type are not what"),
    (0, _set(commutes=False), "not said to commute"),
    (2, _set(seed_item="a2r_0"), "its seed item is none"),
    (2, _set(variation=0), "no item of its rule and variation"),
    (1, _set(of="a2r_0"), "a copy of no item"),
    (1, _set(phi="{}"), "not the image of its original"),
    (1, _set(phi=None), "not the image of its original"),
    (1, lambda item: replace(item, phi=json.dumps(dict.fromkeys(json.loads(item.phi or ""), "α"))), "image"),
    (1, _change_json("phi", lambda phi: {**phi, "!": "!"}), "not the image"),
    (1, _set(is_remapped=False), "is_remapped"),
]


@pytest.mark.usefixtures("unjailed")
@pytest.mark.parametrize(("place", "plant", "words"), FAULTS)
def test_planted_faults_are_found(
    grown: list[Item], place: int, plant: Callable[[Item], Item], words: str
) -> None:
    items = list(grown)
    items[place] = plant(items[place])
    assert items[place] != grown[place]
    faults = check(items).faults
    assert any(words in fault for fault in faults), faults


@pytest.mark.usefixtures("unjailed")
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_seed_item_is_an_original_of_variation_0(grown: list[Item], place: int) -> None:
    """Not its copy, no other variation, and no copy of that: each is there, and has no other fault."""
    items = [*grown[:2], *(replace(item, seed_item=grown[place].instance_id) for item in grown[2:])]
    assert check(items).faults == [f"{item.instance_id}: its seed item is none" for item in items[2:]]


def test_an_item_that_two_programs_answer_differently_is_a_fault(grown: list[Item]) -> None:
    # Examples of one token say nothing.
    examples = [[[token], [token]] for token in "abcde"]
    vague = replace(grown[0], examples=json.dumps(examples))
    assert any("gives another answer" in fault for fault in check([vague]).faults)


def test_the_code_runs_in_the_jail_with_each_hash_seed(
    grown: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[Any] = set()
    run_code = gate.run_code

    def run(code: str, function: str, inputs: Any, *, jail: Jail, hash_seed: int) -> list[Any]:
        seen.add((function, jail, hash_seed))
        return run_code(code, function, inputs, jail=find_protection().jail, hash_seed=hash_seed)

    monkeypatch.setattr(gate, "run_code", run)
    jail = Jail(("a jail",))
    assert gate.check_items(RULE, grown, jail, (3, 7)).faults == []
    assert seen == {(function, jail, seed) for function in (FORWARD, INVERSE) for seed in (3, 7)}


@pytest.mark.parametrize(
    ("reason", "said"), [("time", ""), ("memory", ": the sandbox refuses to run it (memory: not now)")]
)
def test_code_that_ran_out_of_time_is_run_once_more(
    grown: list[Item], reason: Reason, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = iter([SandboxRefusal(reason, "not now")])
    run_code = gate.run_code

    def run(*what: Any, **how: Any) -> list[Any]:
        for error in runs:
            raise error
        return run_code(*what, **how)

    monkeypatch.setattr(gate, "run_code", run)
    assert check(grown).faults == ([f"{grown[0].instance_id}{said}"] if said else [])


def test_each_item_with_other_code_is_named(grown: list[Item]) -> None:
    others = [replace(item, code="") for item in grown]
    assert check(others).faults == [
        f"{item.instance_id}: the code is not that of {RULE.name}" for item in others
    ]


def test_an_item_that_is_there_twice_is_a_fault(grown: list[Item]) -> None:
    assert "an item is there twice" in check([*grown, grown[0]]).faults
