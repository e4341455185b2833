"""Released configurations, modules and JSON alike, come out as written, defects included."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import OutcomeState
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.release.configurations import config_from_json, config_from_module
from perennial.tasks.kumo.validation import validate_config
from tests.kumo.release_modules import STYLES, module_text

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
