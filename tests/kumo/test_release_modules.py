"""Modules of the release are read as syntax trees, never run, and give configurations as written."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import OutcomeState
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.release.configurations import (
    MAX_CHARACTERS,
    RepeatedKey,
    config_from_json,
    config_from_module,
    read_module,
)
from perennial.tasks.kumo.validation import validate_config
from tests.kumo.release_modules import STYLES, module_text

# Released configurations, modules and JSON alike, come out as written, defects included.


TREES: dict[str, Any] = {
    "name": "TreeEnv",
    "truths": ["Oak", "Elm", "Ash", "Oak"],
    "actions": ["Weigh", "Look", "Count"],
    "outcomes": [
        {"action": "Look", "type": "str", "states": [{"label": "green", "rules_out": ["Ash", "Oak"]}]},
        {
            "action": "Weigh",
            "type": "float",
            "states": [{"range": [5, 2], "rules_out": []}, {"range": [-1.5, 9], "rules_out": ["Elm"]}],
        },
        {"action": "Count", "type": "int", "states": [{"label": 1, "rules_out": ["Larch"]}]},
    ],
}
OUTCOMES = "Outcomes = {'Look': {'type': 'str', 'states': {'green': {'Oak'}}}}\n"
MODULE = "Truths = ['Oak']\nActions = ['Look']\n" + OUTCOMES


@pytest.mark.parametrize("style", STYLES)
def test_a_module_gives_what_its_json_gives_defects_included(style: str) -> None:
    read = config_from_module(module_text(TREES, style), "TreeEnv", "tree_data.py")
    assert read.config == config_from_json(json.dumps(TREES), "TreeEnv", "TreeEnv.json").config
    assert read.config.truths == ("Oak", "Elm", "Ash", "Oak")
    assert read.config.outcomes[1].states[0] == OutcomeState(None, 5.0, 2.0, ())
    assert (read.config.outcomes[2].kind, read.config.outcomes[2].states[0].label) == ("int", "1")
    assert read.remarks == ()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.slow
def test_every_released_domain_survives_as_a_module(release: Path, style: str) -> None:
    files = sorted((release / "domains").glob("*.json"))
    # Each domain in the first style, and each second one in all the others.
    for path in files[:: 1 if style == STYLES[0] else 2]:
        text = path.read_text(encoding="utf-8")
        expected = parse_config(text, path.name)
        read = config_from_module(module_text(json.loads(text), style), path.stem, path.name).config
        assert read == expected
        assert read.config_id == expected.config_id
        assert validate_config(read) == validate_config(expected)
    assert len(files) == 67


def test_sets_have_no_order_so_they_are_sorted_and_lists_keep_theirs() -> None:
    text = "Abilities = {'b', 'c', 'a'}\nTests = ['y', 'x']\nOutcomes = {}\n"
    config = config_from_module(text, "AEnv", "m.py").config
    assert (config.truths, config.actions) == (("a", "b", "c"), ("y", "x"))


def test_a_repeated_name_in_a_list_of_ruled_out_truths_stays() -> None:
    text = MODULE.replace("{'Oak'}", "['Oak', 'Elm', 'Oak']")
    assert config_from_module(text, "AEnv", "m.py").config.outcomes[0].states[0].rules_out == (
        "Elm",
        "Oak",
        "Oak",
    )


def test_an_action_written_twice_is_remarked_with_its_line() -> None:
    text = MODULE.replace("}}}}", "}}},\n'Look': {'type': 'str', 'states': {'red': set()}}}")
    read = config_from_module(text, "AEnv", "m.py")
    assert [state.label for state in read.config.outcomes[0].states] == ["red"]
    assert [remark[:26] for remark in read.remarks] == ["m.py, line 4: the key 'Loo"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Truths", "Facts", "no Truths or Diseases or Abilities in it"),
        ("Actions", "Diseases = ['Oak']\nActions", "Truths and Diseases are there, expected one"),
        ("['Oak']", "'Oak'", "truths: expected a list, got 'Oak'"),
        (OUTCOMES, "Outcomes = []", r"Outcomes is \[\], expected a dictionary by action"),
        (OUTCOMES, "Outcomes = {'Look': ['a']}", r"outcomes\[0\]: expected an object, got a list of 1"),
        ("'states'", "'cases'", r"outcomes\[0\] lacks the key 'states'"),
        ("'type': 'str'", "'type': {'a'}", r"outcomes\[0\].type: expected text in quotes, got a list of 1"),
        ("'type'", "'kind'", r"outcomes\[0\] has the unknown key 'kind'"),
        ("{'Oak'}", "'Oak'", r"states\[0\].rules_out: expected a list, got 'Oak'"),
        ("{'Oak'}", "[['Oak']]", r"states\[0\].rules_out\[0\]: expected text in quotes, got a list of 1"),
        ("'green'", "(1, 2, 3)", "expected two numbers"),
        ("'Look': {", "(1, 2): {", r"outcomes\[0\].action: expected text in quotes"),
        ("'Oak'", "'\\ud800'", "half of a character"),
    ],
)
def test_what_makes_no_configuration_is_refused(old: str, new: str, message: str) -> None:
    assert old in MODULE
    with pytest.raises(UnreadableInput, match=message) as refused:
        config_from_module(MODULE.replace(old, new, 1), "AEnv", "m.py")
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("m.py")


@pytest.mark.slow
def test_one_long_list_named_many_times_is_refused_before_it_fills_the_memory() -> None:
    lists = f"L = [{repr('x') + ','}]\nL = [{(repr('x') + ',') * 4000}]\n"
    states = f"S = {{{','.join(f'{i}: L' for i in range(2000))}}}\nE = {{'type': 'str', 'states': S}}\n"
    actions = f"Outcomes = {{{','.join(f'{i}: E' for i in range(2000))}}}\n"
    with pytest.raises(UnreadableInput, match="more than 250,000 states and truths"):
        config_from_module("Truths = ['x']\nActions = []\n" + lists + states + actions, "AEnv", "m.py")


def test_json_under_another_name_is_refused() -> None:
    with pytest.raises(UnreadableInput, match=r"x\.json: holds .* 'TreeEnv', expected 'AEnv'"):
        config_from_json(json.dumps(TREES), "AEnv", "x.json")


TRUTHS = 'Truths = ["Red Oak", "Elm", "White Oak", "Ash"]\n'

READ = {
    "'a' \"b\"": "ab",
    "-2.5": -2.5,
    "+3": 3,
    "1_000": 1000,
    "('a', 1,)": ("a", 1),
    "{'b', 'a', 'b'}": frozenset("ab"),
    "{}": {},
    "set()": frozenset(),
    "set(['b', 'a', 'b'])": frozenset("ab"),
    "set({'a'})": frozenset("a"),
    "set(Truths)": frozenset({"Red Oak", "Elm", "White Oak", "Ash"}),
    "{(-1, 2.5): set(), 3: {'a'}, 'x': []}": {(-1, 2.5): frozenset(), 3: frozenset("a"), "x": []},
    "Truths": ["Red Oak", "Elm", "White Oak", "Ash"],
    "[t for t in Truths]": ["Red Oak", "Elm", "White Oak", "Ash"],
    "[t for t in Truths if t not in ['Elm', 'Ivy']]": ["Red Oak", "White Oak", "Ash"],
    "[t for t in Truths if t in ('Elm', 'Ivy')]": ["Elm"],
    "{t for t in Truths if t not in {'Elm'}}": frozenset({"Red Oak", "White Oak", "Ash"}),
    "set([t for t in Truths if t not in Truths])": frozenset(),
    "[t for t in Truths if 'Oak' not in t and 'sh' not in t]": ["Elm"],
    "[t for t in Truths if 'Oak' in t and t not in ['Red Oak']]": ["White Oak"],
}

REFUSED = [
    "__import__('os').system('x')",
    "open('x')",
    "f'{1}'",
    "Truths.copy()",
    "Truths[0]",
    "[*Truths]",
    "{**{}}",
    "lambda: 1",
    "(y := 1)",
    "1 + 1",
    "-'a'",
    "- -1",
    "True",
    "None",
    "b'a'",
    "1e999",
    "0x" + "f" * 5000,
    "unknown",
    "frozenset(['a'])",
    "set('abc')",
    "set(iterable=['a'])",
    "set(x for x in Truths)",
    "{['a']}",
    "{['a']: 1}",
    "{(('a', 1), 2): 1}",
    "(x for x in Truths)",
    "{x: 1 for x in Truths}",
    "[y for x in Truths]",
    "['x' for x in Truths]",
    "[x for x in ['a']]",
    "[x for x in Truths for y in Truths]",
    "[x for x in Truths if x not in ['a'] if x not in ['b']]",
    "[x for x in Truths if x]",
    "[x for x in Truths if x not in ['a'] or x in ['b']]",
    "[x for x in Truths if x not in x]",
    "[Truths for Truths in Truths if Truths not in Truths]",
    "[x for x in Truths if x not in ['a'] not in ['b']]",
    "[x for x in Truths if 'a' not in open('f')]",
    "[x for x in Truths if x not in [1]]",
    "[x for x in Numbers if x not in ['a']]",
    "[(x, y) for x, y in Truths]",
]

STATEMENTS = [
    "import os",
    "print('x')",
    "def f(): pass",
    "class A: pass",
    "for x in Truths: pass",
    "if True: A = 1",
    "try: A = 1\nfinally: pass",
    "Truths += ['a']",
    "Truths.x = 1",
    "A, B = 1, 2",
    "A: list = []",
    "set = ['a']",
    "del Truths",
    "raise A",
    "1",
    "A =",
    "A = 'x",
]

DEEP = {
    "parentheses": "A = " + "(" * 50_000,
    "lists": "A = " + "[" * 900 + "]" * 900,
    "sums": "A = " + "1+" * 90_000 + "1",
    "attributes": "A = x" + ".a" * 90_000,
    "blocks": "".join(" " * i + "if 1:\n" for i in range(300)) + " " * 300 + "pass",
    "many long filters": f"T = [{'1,'.replace('1', repr('a')) * 20_000}]\n" + "B = [x for x in T]\n" * 900,
    "many long sets": f"T = [{'1,' * 40_000}]\n" + "B = set(T)\n" * 900,
    "too much": f"A = '{'x' * MAX_CHARACTERS}'",
    "null byte": "A = 'a\0b'",
    "half a character": "A = '\ud800'",
    "long number": "A = " + "9" * 9_000,
}

scalars = st.text(max_size=8).filter(str.isascii) | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(scalars | st.tuples(scalars, scalars), inner, max_size=4)
    ),
    max_leaves=12,
)


def value_of(text: str) -> Any:
    return read_module(f"{TRUTHS}Numbers = [1, 2]\nA = {text}\n", "m.py").values["A"]


@pytest.mark.parametrize("text", READ)
def test_a_form_that_the_release_has_is_read_as_python_would(text: str) -> None:
    value = value_of(text)
    assert value == READ[text]
    assert type(value) is type(READ[text])


@pytest.mark.parametrize("text", REFUSED)
def test_any_other_expression_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"^m\.py, line 3: .*nothing is executed$"):
        value_of(text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_any_other_statement_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"^m\.py, line [34]: .*nothing is executed$"):
        read_module(f"{TRUTHS}\n{text}\n", "m.py")


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_hostile_text_is_refused_in_one_line_and_does_not_end_the_process(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"^m\.py[^\n]*$"):
        read_module(text, "m.py")


def test_all_targets_of_an_assignment_get_the_value_and_a_later_one_counts() -> None:
    module = read_module("A = B = ['x']\nB = A\nA = 'y'\n", "m.py")
    assert module.values == {"A": "y", "B": ["x"]}


def test_a_repeated_key_keeps_its_place_and_its_last_value_and_is_told() -> None:
    module = read_module("A = {\n 'x': 1,\n 'y': 2,\n 'x': 3}\n", "m.py")
    assert list(module.values["A"].items()) == [("x", 3), ("y", 2)]
    assert module.repeated_keys == (RepeatedKey(4, "x"),)


def test_a_comprehension_over_a_set_has_one_order() -> None:
    names = [f"name {number}" for number in range(20)]
    module = read_module(f"T = set({names!r})\nA = [x for x in T if x not in ['name 3']]\n", "m.py")
    assert module.values["A"] == sorted(name for name in names if name != "name 3")


def test_comments_texts_and_a_byte_order_mark_are_passed_over() -> None:
    assert read_module("\ufeff'''A\ntext.'''\n# B = f()\nA = 1  # one\n", "m.py").values == {"A": 1}


@pytest.mark.slow
@given(values)
def test_what_python_writes_is_read_back(value: Any) -> None:
    assert read_module(f"A = {value!r}", "m.py").values == {"A": value}


@given(st.lists(st.text("ab ", min_size=1, max_size=3)), st.sets(st.text("ab ", min_size=1, max_size=3)))
def test_a_comprehension_filters_as_python_does(truths: list[str], gone: set[str]) -> None:
    text = f"T = {truths!r}\nG = {sorted(gone)!r}\nA = [x for x in T if x not in G and 'a' not in x]"
    expected = [x for x in truths if x not in gone and "a" not in x]
    assert read_module(text, "m.py").values["A"] == expected


@given(st.text("T=[]{}()'\"x,:*.+-inotfr \n", max_size=60))
def test_any_text_gives_values_or_the_error_and_no_other(text: str) -> None:
    with suppress(UnreadableInput):
        assert read_module(TRUTHS + text, "m.py").values.keys() >= {"Truths"}
