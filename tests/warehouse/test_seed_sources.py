"""The bundled domains: what the generator makes of their sources, and that the committed files are that."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perennial.schemas.errors import PerennialError, UnreadableInput, UnusableConfig
from perennial.schemas.kumo.things import CATEGORIES, Observation, SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.warehouse.kumo.domains.generate import FOLDER, build_config, main, regenerate

SLUGS = sorted(path.parent.name for path in FOLDER.glob("*/config.json"))

TABLE = """truth,note,source,weight,colour
Oak,"A tree, often old.",Flora: heavy wood,5..7,red|green
Elm,Another tree.,Flora: green leaves,7,green
Ash,A third tree.,Flora: not weighed,,
Fir,A fourth tree.,Flora: blue needles,9,blue
"""
NOUNS = """name = "Trees"
goal = "Name the tree."
category = "Nature"
truth_noun = "tree"
action_noun = "test"
book_title = "Tree Guide"
"""
WEIGHING = """
[[action]]
name = "Weighing"
note = "Weigh it."
attribute = "weight"
kind = "float"
unit = "t"
step = 1
states = [{ range = [5, 7] }, { range = [7, 9] }]
"""
LOOKING = """
[[action]]
name = "Looking"
note = "Look at it."
attribute = "colour"
kind = "str"
states = [
  { label = "reddish", values = ["red"] },
  { label = "not green", excludes = ["green"] },
  { label = "unclear" },
]
"""
DOMAIN = NOUNS + WEIGHING + LOOKING


def read(slug: str) -> SeedConfig:
    path = FOLDER / slug / "config.json"
    return parse_config(path.read_text(encoding="utf-8"), slug)


def ruled_out(config: SeedConfig, action: str, observation: Observation) -> set[str]:
    outcome = next(outcome for outcome in config.outcomes if outcome.action == action)
    state = outcome.state_of(observation)
    assert state is not None, f"{action} never shows {observation!r}"
    return set(outcome.states[state].rules_out)


@pytest.mark.slow
def test_committed_files_are_what_their_sources_give() -> None:
    assert {"chemical_analysis", "mineral_identification"} <= set(SLUGS)
    assert Counter(read(slug).category for slug in SLUGS) == Counter(CATEGORIES)
    assert regenerate(check=True) == []


def test_str_states_rule_out_by_values_and_by_excludes_and_never_an_unknown_cell() -> None:
    config = build_config(TABLE, DOMAIN, "trees")
    assert ruled_out(config, "Looking", "reddish") == {"Elm", "Fir"}
    assert ruled_out(config, "Looking", "not green") == {"Elm"}
    assert ruled_out(config, "Looking", "unclear") == set()


def test_a_shared_end_point_belongs_to_the_upper_range_and_the_last_end_is_closed() -> None:
    config = build_config(TABLE, DOMAIN, "trees")
    assert ruled_out(config, "Weighing", 6.9) == {"Elm", "Fir"}
    assert ruled_out(config, "Weighing", 7.0) == set()
    assert ruled_out(config, "Weighing", 9.0) == set()


@given(
    cuts=st.lists(st.integers(0, 20), min_size=3, max_size=6, unique=True).map(sorted),
    ends=st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
    share=st.floats(0, 1),
)
def test_no_observation_within_a_truths_interval_rules_it_out(
    cuts: list[int], ends: list[int], share: float
) -> None:
    low, high = max(ends[0], cuts[0]), min(ends[1], cuts[-1])
    assume(low <= high)
    ranges = ", ".join(f"{{ range = [{a}, {b}] }}" for a, b in pairwise(cuts))
    action = WEIGHING.replace("{ range = [5, 7] }, { range = [7, 9] }", ranges)
    config = build_config(
        f"truth,note,source,weight\nOak,A tree.,Flora,{low}..{high}\n", NOUNS + action, "trees"
    )
    for observation in (float(low), min(low + share * (high - low), float(high)), float(high)):
        assert ruled_out(config, "Weighing", observation) == set()
    outcome = config.outcomes[0]
    for state in outcome.states:
        assert state.low is not None
        assert state.high is not None
        last = state.high == cuts[-1]
        meets = low <= state.high and state.low <= high and (last or low < state.high)
        assert ("Oak" in state.rules_out) != meets


@pytest.mark.parametrize(
    ("table", "domain", "error", "words"),
    [
        (TABLE, DOMAIN.replace('"weight"', '"height"'), UnusableConfig, "unknown attribute 'height'"),
        (TABLE, DOMAIN.replace('["red"]', '["rad"]'), UnusableConfig, "'rad', which no truth has"),
        (TABLE, DOMAIN.replace('excludes = ["green"]', 'excludes = ["gren"]'), UnusableConfig, "'gren'"),
        (TABLE, DOMAIN.replace('"Looking"', '"weighing "'), UnusableConfig, "'weighing ' occurs twice"),
        (TABLE, DOMAIN.replace('"Looking"', '"oak"'), UnusableConfig, "'oak' occurs twice"),
        (TABLE, DOMAIN.replace('"unclear"', '"reddish"'), UnusableConfig, "state 'reddish' occurs twice"),
        (TABLE.replace("Elm", "Oak"), DOMAIN, UnusableConfig, "'Oak' occurs twice"),
        (TABLE.replace(",9,", ",9.5,"), DOMAIN, UnusableConfig, "'Weighing': truth 'Fir' ('9.5')"),
        (TABLE.replace("5..7", "7..5"), DOMAIN, UnreadableInput, "'7..5' is inverted"),
        (TABLE.replace("5..7", "5-7"), DOMAIN, UnreadableInput, "'5-7' is not a number"),
        (TABLE.replace("red|green", "red|"), DOMAIN, UnreadableInput, "'red|' has an empty value"),
        (TABLE.replace('"', ""), DOMAIN, UnreadableInput, "line 2 has 6 cells, the header 5"),
        (TABLE.replace("Another tree.", ""), DOMAIN, UnreadableInput, "line 3 lacks a truth, a note or"),
        (
            TABLE.replace("Flora: green leaves", ""),
            DOMAIN,
            UnreadableInput,
            "line 3 lacks a truth, a note or",
        ),
        (TABLE.replace(",source", ",reason"), DOMAIN, UnreadableInput, "expected truth,note,source"),
        (TABLE.replace("weight", "colour"), DOMAIN, UnreadableInput, "distinct attributes"),
        ("", DOMAIN, UnreadableInput, "expected truth,note,source"),
        (TABLE, DOMAIN + "]", UnreadableInput, "not TOML"),
        (TABLE, DOMAIN.replace("goal", "gaol"), UnreadableInput, "unknown key 'gaol'"),
        (TABLE, DOMAIN.replace('"Name the tree."', '" "'), UnreadableInput, "goal = ' '"),
        (TABLE, DOMAIN.replace('"float"', '"int"'), UnreadableInput, "kind 'int'"),
        (TABLE, DOMAIN.replace('"float"', '"str"'), UnreadableInput, "has a unit"),
        (TABLE, DOMAIN.replace("step = 1\n", ""), UnreadableInput, "has no precision"),
        (TABLE, DOMAIN.replace("step = 1", "step = 0"), UnreadableInput, "has step = 0"),
        (TABLE, DOMAIN.replace("step = 1", "digits = 2.5"), UnreadableInput, "has digits = 2.5"),
        (TABLE, DOMAIN.replace("step = 1", "step = 1\ndigits = 2"), UnreadableInput, "step = 1, digits = 2"),
        (TABLE, DOMAIN.replace("step = 1", "step = 4"), UnusableConfig, "holds no multiple of the step 4"),
        (TABLE, DOMAIN.replace("[7, 9]", "[9, 7]"), UnreadableInput, "range [9, 7]"),
        (TABLE, DOMAIN.replace("[7, 9]", "[7, inf]"), UnreadableInput, "range [7, inf]"),
        (TABLE, DOMAIN.replace('values = ["red"]', 'value = ["red"]'), UnreadableInput, "key 'value'"),
        (
            TABLE,
            DOMAIN.replace('values = ["red"]', 'values = ["red"], excludes = []'),
            UnreadableInput,
            "both",
        ),
    ],
)
def test_a_wrong_source_is_refused_in_one_line_that_names_the_place(
    table: str, domain: str, error: type[PerennialError], words: str
) -> None:
    with pytest.raises(error) as caught:
        build_config(table, domain, "trees")
    assert words in str(caught.value)
    assert str(caught.value).startswith("trees")
    assert "\n" not in str(caught.value)


def test_regenerate_writes_what_differs_and_check_only_names_it(tmp_path: Path) -> None:
    sources = tmp_path / "trees"
    sources.mkdir()
    (sources / "facts.csv").write_text(TABLE, encoding="utf-8")
    (sources / "actions.toml").write_text(DOMAIN, encoding="utf-8")
    target = sources / "config.json"

    assert regenerate(tmp_path, check=True) == ["trees"]
    assert not target.exists()
    assert regenerate(tmp_path) == ["trees"]
    assert regenerate(tmp_path, check=True) == []

    target.write_text(target.read_text(encoding="utf-8").replace('"Elm"', '"Yew"'), encoding="utf-8")
    assert regenerate(tmp_path, check=True) == ["trees"]
    (sources / "facts.csv").unlink()
    with pytest.raises(UnreadableInput, match=r"trees/facts\.csv is missing"):
        regenerate(tmp_path, check=True)


def test_the_command_tells_its_result_by_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", "mineral_identification"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["--check", "nowhere"]) == UnreadableInput.exit_code
    assert "nowhere/facts.csv is missing" in capsys.readouterr().err
