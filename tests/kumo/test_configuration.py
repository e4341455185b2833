"""Reading a configuration: good documents, and one clear line for each way to be a bad one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import OutcomeState, SeedConfig
from perennial.tasks.kumo.configuration import parse_config, parse_json
from perennial.tasks.kumo.validation import validate_config

GOOD: dict[str, Any] = {
    "name": "Trees",
    "truths": ["Oak", "Elm"],
    "actions": ["Smell", "Height"],
    "outcomes": [
        {"action": "Smell", "type": "str", "states": [{"label": "sharp", "rules_out": ["Oak"]}]},
        {"action": "Height", "type": "float", "unit": "m", "states": [{"range": [0, 1.5], "rules_out": []}]},
    ],
    "truth_notes": {"Oak": "A broad tree."},
}
LABELLED = ("outcomes", 0, "states", 0)
RANGED = ("outcomes", 1, "states", 0)
Place = tuple[str | int, ...]


def change(place: Place, value: Any) -> dict[str, Any]:
    """Return the good document with another value at one place."""
    document = json.loads(json.dumps(GOOD))
    parent = document
    for part in place[:-1]:
        parent = parent[part]
    parent[place[-1]] = value
    return dict(document)


def problem_of(text: str) -> str:
    """Return the message of the error, which is one line, not too long, and begins with the source."""
    with pytest.raises(UnreadableInput) as error:
        parse_config(text, "trees.json")
    message = str(error.value)
    assert message.startswith("trees.json: ")
    assert message.isprintable()
    assert len(message) < 2500
    assert error.value.__cause__ is None
    return message.removeprefix("trees.json: ")


def test_a_good_document_is_read_as_written() -> None:
    config = parse_config(json.dumps(GOOD), "trees.json")
    assert config.truths == ("Oak", "Elm")
    assert config.outcomes[0].states == (OutcomeState("sharp", None, None, ("Oak",)),)
    assert config.outcomes[1].states == (OutcomeState(None, 0.0, 1.5, ()),)
    assert config.outcomes[1].unit == "m"
    assert config.truth_notes == {"Oak": "A broad tree."}
    assert config.action_notes == {}
    assert (config.truth_noun, config.action_noun, config.goal) == ("truth", "action", "")


def test_two_documents_share_no_notes() -> None:
    first, second = (parse_config(json.dumps(GOOD), "trees.json") for _ in range(2))
    assert first.action_notes is not second.action_notes


@pytest.mark.parametrize(("number", "text"), [(3, "3"), (-1.5, "-1.5"), (10**30, "1" + "0" * 30)])
def test_a_number_as_a_label_becomes_its_text(number: float, text: str) -> None:
    config = parse_config(json.dumps(change((*LABELLED, "label"), number)), "trees.json")
    assert config.outcomes[0].states[0].label == text


def test_defects_of_content_are_left_for_the_validator() -> None:
    document = change(RANGED, {"range": [5, 1], "rules_out": ["Yew", "Yew"]})
    document["truths"] = ["Oak", "Oak", " Oak"]
    config = parse_config(json.dumps(document), "trees.json")
    assert config.truths == ("Oak", "Oak", " Oak")
    assert config.outcomes[1].states[0] == OutcomeState(None, 5.0, 1.0, ("Yew", "Yew"))


def test_released_domains_come_back_equal_from_their_json(release: Path) -> None:
    paths = sorted((release / "domains").glob("*.json"))
    assert paths
    for path in paths:
        config = parse_config(path.read_text(encoding="utf-8"), path.name)
        assert parse_config(json.dumps(config.as_json()), path.name) == config


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON: Expecting value: line 1 column 1 (char 0), where the text ends, perhaps cut off"),
        ("null", "expected a JSON object with name, truths, actions and outcomes, got null"),
        ("[1, 2]", "got a list of 2"),
        ('"Oak"', "got 'Oak'"),
        ('{"name": "Trees",\n "truths": ["Oa', "Unterminated string starting at: line 2 column 13"),
        ('{"name": "Trees"', "delimiter: line 1 column 17 (char 16), where the text ends, perhaps cut off"),
        ('{"name": Trees}', "Expecting value: line 1 column 10 (char 9), got 'T'; give one whole document"),
        ('{"name": "a\nb"}', "Invalid control character at: line 1 column 12 (char 11), got '\\n'"),
        ("{} {}", "Extra data: line 1 column 4 (char 3), got '{'"),
        ('{"name": "NaN",\n "x": NaN}', "NaN is not a JSON number; write a finite one"),
        ('{"x": -Infinity}', "-Infinity is not a JSON number"),
        ('{"a": 1, "name": 1, "name": 2}', "key 'name' occurs twice in one object; keep one of them"),
        (" " * 10_000_001, "10,000,001 bytes: expected 10,000,000 at most"),
    ],
)
def test_text_that_is_not_usable_json(text: str, told: str) -> None:
    assert told in problem_of(text)


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("name",), "", "name: expected a name that is not blank, got ''"),
        (("name",), 5, "name: expected text in quotes, got 5"),
        (("truths",), "Oak", "truths: expected a list, got 'Oak'"),
        (("truths",), {"Oak": 1}, "truths: expected a list, got an object with 1 key"),
        (("truths", 1), " ", "truths[1]: expected a name that is not blank, got ' '"),
        (("actions", 0), None, "actions[0]: expected text in quotes, got null"),
        (
            ("colour",),
            1,
            "the document has the unknown key 'colour' (known: name, truths, actions, outcomes, goal,",
        ),
        (
            ("outcomes", 0, "kind"),
            "str",
            "outcomes[0] has the unknown key 'kind' (known: action, type, unit, step, digits, cells, states)",
        ),
        ((*LABELLED, "a\nb"), 1, "states[0] has the unknown key 'a\\nb' (known: label, range, rules_out)"),
        (("outcomes", 1), [], "outcomes[1]: expected an object, got a list of 0"),
        (("outcomes", 0, "action"), "", "outcomes[0].action: expected a name that is not blank"),
        (("outcomes", 0, "type"), None, "outcomes[0].type: expected text in quotes, got null"),
        (("outcomes", 0, "states"), {}, "outcomes[0].states: expected a list, got an object with 0 keys"),
        (LABELLED, {"label": "x"}, "outcomes[0].states[0] lacks the key 'rules_out'"),
        (
            LABELLED,
            {"rules_out": []},
            "outcomes[0].states[0]: expected either a label or a range [low, high], got n",
        ),
        ((*LABELLED, "range"), [0, 1], "expected either a label or a range [low, high], got both"),
        ((*LABELLED, "label"), "", "outcomes[0].states[0].label: expected a name that is not blank"),
        ((*LABELLED, "label"), True, "outcomes[0].states[0].label: expected text in quotes, got true"),
        (
            (*LABELLED, "label"),
            ["a"],
            "outcomes[0].states[0].label: expected text in quotes, got a list of 1",
        ),
        (
            (*LABELLED, "rules_out", 0),
            "",
            "outcomes[0].states[0].rules_out[0]: expected a name that is not blank",
        ),
        (
            (*RANGED, "range"),
            [1],
            "outcomes[1].states[0].range: expected two numbers [low, high], got a list of 1",
        ),
        ((*RANGED, "range"), [1, 2, 3], "expected two numbers [low, high], got a list of 3"),
        ((*RANGED, "range", 1), "2", "outcomes[1].states[0].range[1]: expected a finite number, got '2'"),
        ((*RANGED, "range", 0), True, "outcomes[1].states[0].range[0]: expected a finite number, got true"),
        (
            (*RANGED, "range", 1),
            10**400,
            "outcomes[1].states[0].range[1]: expected a finite number, got 1000",
        ),
        (("truth_notes", "a\nb"), 5, "truth_notes.'a\\nb': expected text in quotes, got 5"),
        (("action_notes",), [], "action_notes: expected an object, got a list of 0"),
        (("goal",), None, "goal: expected text in quotes, got null"),
    ],
)
def test_a_wrong_value_is_told_once_with_its_place(place: Place, value: Any, told: str) -> None:
    message = problem_of(json.dumps(change(place, value)))
    assert told in message
    assert message.count("; ") == 0


def test_an_infinite_bound_is_refused() -> None:
    text = json.dumps(GOOD).replace("1.5", "1e999")
    assert "1e999 is too large for a number" in problem_of(text)


def test_wrong_places_are_listed_together_and_cut_short() -> None:
    message = problem_of(json.dumps(change(("outcomes",), [[]] * 30)))
    assert message.startswith(
        "not a seed configuration: outcomes[0]: expected an object, got a list of 0; outcomes[1]"
    )
    assert message.endswith("; and 22 more")
    assert problem_of("{}").count(" lacks the key ") == 4


def test_long_values_are_shortened() -> None:
    message = problem_of(json.dumps(change(("truths",), "x" * 100_000)))
    assert len(message) < 200


def nine_megabytes() -> str:
    truths = [f"truth number {i}" for i in range(2000)]
    outcomes = [
        {
            "action": f"action {i}",
            "type": "float",
            "states": [
                {"range": [j, j + 1], "rules_out": truths[i % 1900 + 8 * j : i % 1900 + 8 * j + 8]}
                for j in range(6)
            ],
        }
        for i in range(7000)
    ]
    actions = [f"action {i}" for i in range(7000)]
    return json.dumps({"name": "Big", "truths": truths, "actions": actions, "outcomes": outcomes})


@pytest.mark.slow
def test_a_nine_megabyte_document_is_read_and_validated() -> None:
    text = nine_megabytes()
    assert 8_000_000 < len(text) <= 10_000_000
    findings = validate_config(parse_config(text, "big.json"))
    assert {found.rule for found in findings} == {"missing-type", "never-ruled-out"}


@pytest.mark.parametrize(
    "text",
    [
        '{"truths":[' + "1," * 2_000_000 + "1]}",
        '{"outcomes":[' + "1," * 2_000_000 + "1]}",
        "{" + ",".join(f'"k{i}":1' for i in range(300_000)) + ',"k5":2}',
    ],
    ids=["names", "entries", "keys"],
)
@pytest.mark.slow
def test_a_large_wrong_document_is_refused(text: str) -> None:
    assert problem_of(text)


# --- fuzz ----------------------------------------------------------------------------------------

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, prefix: Place = ()) -> list[Place]:
    """Return every place in a JSON value except the top."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in items for place in [(*prefix, key), *places(inner, (*prefix, key))]]


def refusal(text: str, read: Callable[[str, str], Any]) -> str | None:
    """Return the message of the refusal, or None where the text is read; other errors pass through."""
    try:
        read(text, "fuzz.json")
    except UnreadableInput as error:
        return str(error)
    return None


def accept_or_refuse(text: str) -> None:
    problem = refusal(text, parse_config)
    if problem is not None:
        assert problem.startswith("fuzz.json: ")
        assert problem.isprintable()
    else:
        config = parse_config(text, "fuzz.json")
        assert isinstance(config, SeedConfig)
        assert config.config_id
        assert all(found.message.isprintable() for found in validate_config(config))


@given(st.sampled_from(places(GOOD)), JSON_VALUES)
def test_any_value_at_any_place_is_accepted_or_refused(place: Place, value: Any) -> None:
    accept_or_refuse(json.dumps(change(place, value)))


@given(st.data())
def test_any_damage_to_the_text_is_accepted_or_refused(data: st.DataObject) -> None:
    text = json.dumps(GOOD)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    put = data.draw(
        st.text(max_size=4) | st.sampled_from(['"', "{", "]", ",", "\\", "\\ud800", "1e999", "NaN"])
    )
    accept_or_refuse(text[:start] + put + text[end:])


@given(st.text() | JSON_VALUES.map(json.dumps) | st.text(alphabet='{}[]",:01eE-+.\\untrfalsNI\ud800\ufeff '))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    accept_or_refuse(text)
    problem = refusal(text, parse_json)
    if problem is None:
        assert parse_json(text, "fuzz.json") == json.loads(text)
    else:
        assert problem.startswith("fuzz.json: ")
