"""Every rule of the catalogue is reversible, deterministic, and runs in the sandbox as written."""

import ast
import json
import random
from collections import Counter
from collections.abc import Sequence
from textwrap import indent
from typing import Any

import pytest

from perennial.schemas.a2rbench.things import DOMAINS, RULE_TYPES
from perennial.tasks.a2rbench.catalogue import DIMENSIONS, FORWARD, INVERSE, RULES, Rule
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.sandbox.refusal import check_syntax
from perennial.tasks.sandbox.tier import run_code, run_purely

TOKENS = {
    "any": list("abcxyz019#"),
    "letters": [chr(65 + i) for i in range(26)],
    "digits": list("0123456789"),
    "bits": list("01"),
    "elements": "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split(),  # noqa: SIM905
    "days": "Mon Tue Wed Thu Fri Sat Sun".split(),  # noqa: SIM905
}


def draw_input(rule: Rule, rng: random.Random, most: int = 6) -> Any:
    sides = [rng.randint(1, most) for _ in range(rule.dimension)]

    def fill(left: list[int]) -> Any:
        return [fill(left[1:]) if left[1:] else rng.choice(TOKENS[rule.alphabet]) for _ in range(left[0])]

    return fill(sides)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_changes_most_inputs_and_its_inverse_gives_them_back(name: str) -> None:
    rule, rng = RULES[name], random.Random(7)
    inputs = {json.dumps(draw_input(rule, rng)): None for _ in range(100)}
    changed = 0
    for before in inputs:
        value = json.loads(before)
        output = rule.forward(value)
        assert json.dumps(value) == before
        assert json.loads(json.dumps(output)) == output
        assert rule.inverse(output) == value
        changed += output != value
    assert changed > len(inputs) / 2


def in_one_program(rules: Sequence[Rule]) -> str:
    """Code that takes (the number of a rule, a value) and gives what that rule makes of the value."""
    parts = [
        f"def make_{number}():\n{indent(rule.code, '    ')}\n    return {FORWARD}, {INVERSE}\n"
        for number, rule in enumerate(rules)
    ]
    made = ", ".join(f"make_{number}()" for number in range(len(rules)))
    calls = [
        f"def {name}(x):\n    return MADE[x[0]][{at}](x[1])\n" for at, name in enumerate((FORWARD, INVERSE))
    ]
    return "\n".join([*parts, f"MADE = [{made}]", *calls])


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_code_runs_in_the_sandbox_as_it_does_here(domain: str) -> None:
    rng, drawn = random.Random(11), draw_rules(domain, 2, 4)
    cell = (drawn[0].dimension, drawn[0].type)
    rules = [*drawn, *(rule for rule in RULES.values() if (rule.dimension, rule.type) == cell)]
    inputs = [[number, draw_input(rule, rng)] for number, rule in enumerate(rules) for _ in range(5)]
    outputs = run_purely(in_one_program(rules), FORWARD, inputs)
    assert outputs == [rules[number].forward(value) for number, value in inputs]
    given = [[number, output] for (number, _), output in zip(inputs, outputs, strict=True)]
    assert run_code(in_one_program(rules), INVERSE, given) == [value for _, value in inputs]
    for rule in rules:
        defined = [node.name for node in check_syntax(rule.code).body if isinstance(node, ast.FunctionDef)]
        assert defined[-2:] == [FORWARD, INVERSE]


def test_each_cell_has_ten_rules_and_no_two_rules_are_the_same() -> None:
    cells = Counter((rule.dimension, rule.type) for rule in RULES.values())
    assert set(cells) == {(dimension, type_) for dimension in DIMENSIONS for type_ in RULE_TYPES}
    assert min(cells.values()) >= 10
    assert len(RULES) >= 60
    seen: dict[tuple[object, ...], str] = {}
    for rule in RULES.values():
        rng = random.Random(3)
        shown = tuple(json.dumps(rule.forward(draw_input(rule, rng, 5))) for _ in range(30))
        assert seen.setdefault((rule.dimension, rule.alphabet, shown), rule.name) == rule.name
    words = [text for rule in RULES.values() for text in (rule.description, rule.inverse_description)]
    assert all(text.endswith(".") for text in words)
    assert len({rule.description for rule in RULES.values() if rule.type == "symbolic"}) == sum(
        rule.type == "symbolic" for rule in RULES.values()
    )


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.type == "symbolic"])
def test_a_symbolic_rule_commutes_with_a_renaming_of_tokens(name: str) -> None:
    rule, rng = RULES[name], random.Random(5)
    renamed = dict(zip(TOKENS["any"], rng.sample("αβγδεζηθικ", 10), strict=True))

    def rename(value: Any) -> Any:
        return [rename(part) for part in value] if isinstance(value, list) else renamed[value]

    for _ in range(15):
        value = draw_input(rule, rng)
        assert rule.forward(rename(value)) == rename(rule.forward(value))
