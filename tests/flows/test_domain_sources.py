"""`perennial domains new`, `build`, `world` and `score`."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perennial.flows.kumo.cli.domains import domains
from perennial.flows.kumo.planning.domain_choice import read_config_file
from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput, UnusableConfig
from perennial.tasks.kumo.worlds import MIXED, draw_world
from perennial.warehouse.kumo.domains.generate import FOLDER


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(domains, arguments, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def refuse(*arguments: str) -> str:
    with pytest.raises(PerennialError) as refusal:
        CliRunner().invoke(domains, arguments, catch_exceptions=False, standalone_mode=False)
    assert "\n" not in str(refusal.value)
    assert isinstance(refusal.value, InvalidOption | UnreadableInput | UnusableConfig)
    return str(refusal.value)


def test_a_new_domain_builds_at_once(here: Path) -> None:
    assert "tide_pools/facts.csv" in run("new", "tide_pools", "--category", 'Zoology "of" the shore')
    assert "4 truths, 3 actions, 2 errors" in run("build", "tide_pools")
    config = read_config_file(here / "tide_pools" / "config.json")
    assert (config.name, config.category) == ("Tide Pools", 'Zoology "of" the shore')
    crab = {o.action: [s.text for s in o.states if "Shore crab" in s.rules_out] for o in config.outcomes}
    assert crab == {
        "Look underneath": ["a single broad foot", "threads"],
        "Note the place": [],
        "Measure the shell": [],
    }
    said = (here / "tide_pools" / "actions.toml").read_text("utf-8")
    assert all(word in said for word in ("premise", "source", "(empty)", "6.5..7", "a|b", "Sport and Games"))


def test_new_leaves_an_existing_folder_as_it_is(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "facts.csv").write_text("mine")
    assert "folder 'mine' exists" in refuse("new", "mine")
    assert (here / "mine" / "facts.csv").read_text() == "mine"
    assert [path.name for path in (here / "mine").iterdir()] == ["facts.csv"]


@pytest.mark.parametrize("name", ["../up", "a/b", "", "1st", ".hidden", "a b", "x" * 81])
def test_new_takes_names_of_folders_only(here: Path, name: str) -> None:
    assert "expected a name" in refuse("new", name)
    assert list(here.iterdir()) == []


def test_a_bundled_domain_is_built_from_its_sources(here: Path) -> None:
    shutil.copytree(FOLDER / "music_identification", here / "music")
    (here / "music" / "config.json").unlink()
    run("build", "music", "--out", "made.json")
    assert (here / "made.json").read_text("utf-8") == (
        FOLDER / "music_identification" / "config.json"
    ).read_text("utf-8")
    assert not (here / "music" / "config.json").exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("facts.csv", "10..52", "52..10", "cell '52..10' is inverted"),
        ("facts.csv", "truth,note", "name,note", "expected truth,note,source"),
        ("facts.csv", "threads,rock", "threads", "line 3 has 5 cells, the header 6"),
        ("actions.toml", 'attribute = "foot"', 'attribute = "feet"', "unknown attribute 'feet'"),
        ("actions.toml", 'kind = "float"', 'kind = "number"', "expected 'str' or 'float'"),
        ("actions.toml", "[[action]]", "[[action", "not TOML"),
    ],
)
def test_a_fault_in_the_sources_is_one_line(here: Path, file: str, old: str, new: str, said: str) -> None:
    run("new", "pools")
    path = here / "pools" / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert said in refuse("build", "pools")
    assert not (here / "pools" / "config.json").exists()


def test_what_cannot_be_built_is_said_in_one_line(here: Path) -> None:
    assert "begin one with `perennial domains new nowhere`" in refuse("build", "nowhere")
    (here / "empty").mkdir()
    assert "facts.csv is missing" in refuse("build", "empty")


def test_a_world_is_written_as_it_is_drawn(here: Path) -> None:
    assert "59 truths" in run("world", "--seed", "7", "--index", "3", "--out", "world.json")
    assert read_config_file(here / "world.json") == draw_world(7, 3, MIXED).config
    before = (here / "world.json").read_bytes()
    shown = json.loads(run("world", "--seed", "7", "--index", "3", "--out", "world.json", "--json"))
    assert (shown["out"], shown["truths"]) == ("world.json", 59)
    assert (here / "world.json").read_bytes() == before
    assert "nowhere" in refuse("world", "--seed", "7", "--out", "nowhere/world.json")


@pytest.mark.slow
def test_score_prints_a_figure_a_verdict_and_what_to_do(here: Path) -> None:
    run("world", "--seed", "7", "--out", "world.json")
    found = json.loads(run("score", "world.json", "--instances", "5", "--json"))
    (domain,) = found["domains"]
    assert domain["title"] == draw_world(7, 0).config.name
    names = [check["name"] for check in domain["checks"]]
    assert {
        "hard_out_of_range",
        "hard_decided_early",
        "equal_or_nested",
        "guess_by_truth",
        "guess_by_rules",
        "words_in_notes",
    } <= set(names)
    assert all((check["verdict"] == "good") == (check["remedy"] == "") for check in domain["checks"])
    # A note that names an outcome, of every truth.
    spoilt = json.loads((here / "world.json").read_text("utf-8"))
    outcome = next(outcome for outcome in spoilt["outcomes"] if outcome["type"] == "str")
    for truth in spoilt["truths"]:
        label = next(state["label"] for state in outcome["states"] if truth not in state["rules_out"])
        spoilt["truth_notes"][truth] = f"It is {label}."
    (here / "spoilt.json").write_text(json.dumps(spoilt), encoding="utf-8")
    shown = run("score", "spoilt.json", "--instances", "5", code=1)
    assert "words_in_notes" in shown
    assert "bad" in shown


def test_score_refuses_what_it_does_not_know() -> None:
    assert "is not bundled" in refuse("score", "no_such_domain")
