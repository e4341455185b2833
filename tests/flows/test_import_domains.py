"""`perennial domains import`, and a refresh on a clone of the KUMO authors' repository."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from perennial.flows.kumo.cli.domains import domains
from perennial.flows.kumo.planning.domain_choice import load_bundled, read_config_file
from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.kumo.things import SeedConfig
from perennial.schemas.settings import load_settings
from perennial.warehouse.store.store import Store
from tests.flows.test_cli_domains import run, squeeze
from tests.kumo.release_modules import module_text

REGISTERED = "@registry.register_environment('{0}Env')\nclass {0}Env:\n    from .data.{0} import Outcomes\n"


def released(name: str) -> dict[str, Any]:
    """Return what the release would have of a bundled domain: names and rules alone."""
    document: dict[str, Any] = load_bundled(name).as_json()
    return {key: document[key] for key in ("truths", "actions", "outcomes")}


def state(label: str, rules_out: list[str]) -> dict[str, object]:
    return {"label": label, "rules_out": rules_out}


def rules_of(config: SeedConfig) -> dict[str, dict[str, set[str]]]:
    """Return what each state rules out: the release has neither units nor an order of names."""
    return {
        outcome.action: {state.text: set(state.rules_out) for state in outcome.states}
        for outcome in config.outcomes
    }


def run_command(*arguments: object) -> None:
    """Run a command of `domains` and let its error out."""
    CliRunner().invoke(domains, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of four domains: whole, with an idle action, with two names for a truth, and executable."""
    idle, twice = released("music_identification"), released("battle_identification")
    idle["actions"].append("Hum")
    idle["outcomes"].append({"action": "Hum", "type": "str", "states": [{"label": "a", "rules_out": []}]})
    twice["truths"].append(twice["truths"][0].upper())
    twice["outcomes"][0]["states"][0]["rules_out"].append(twice["truths"][-1])
    texts = {
        "Mineral": module_text(released("mineral_identification"), "one line"),
        "Music": module_text(idle, "other names"),
        "Battle": module_text(twice, "set calls"),
        "Broken": "Truths = open('/etc/passwd').read()\n",
    }
    folder = tmp_path / "clone" / "env"
    (folder / "data").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "data" / f"{name}.py").write_text(text, encoding="utf-8")
        (folder / f"{name}_env.py").write_text(REGISTERED.format(name), encoding="utf-8")
    (folder / "lost_env.py").write_text(REGISTERED.format("Lost"), encoding="utf-8")
    return tmp_path / "clone"


def test_each_domain_is_written_with_its_changes_or_left_out_with_the_reason(
    clone: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    code, told, errors = run("import", clone, "--out", out)
    assert code == 1
    assert sorted(path.name for path in out.iterdir()) == ["MineralEnv.json", "MusicEnv.json"]
    assert "MineralEnv.json: 0 errors, 0 warnings" in squeeze(told)
    assert "Changes 'Hum' was dropped: an action of 1 outcome" in squeeze(told)
    assert "2 domains written to" in told
    assert "3 left out" in told
    for line in (
        "BattleEnv is left out: domain 'BattleEnv' would give ambiguous or wrong instances: similar-truth",
        "BrokenEnv is left out: env/data/Broken.py, line 1: ",
        "LostEnv has its configuration in env/data/Lost.py, expected one module that is there",
    ):
        assert line in squeeze(errors)
    imported, bundled = read_config_file(out / "MineralEnv.json"), load_bundled("mineral_identification")
    assert imported.truths == bundled.truths
    assert rules_of(imported) == rules_of(bundled)
    assert imported.goal == "Find the truth that no outcome rules out (Mineral)."
    assert run("validate", out)[0] == 0


def test_importing_again_changes_nothing_and_overwrites_nothing(clone: Path, tmp_path: Path) -> None:
    words = ("--goal", "Name the stone.", "--truth-noun", "mineral", "--action-noun", "test")
    out = tmp_path / "out"
    assert run("import", clone, "MineralEnv", "--out", out, *words)[0] == 0
    config = read_config_file(out / "MineralEnv.json")
    assert (config.goal, config.truth_noun, config.action_noun) == ("Name the stone.", "mineral", "test")
    assert run("import", clone, "MineralEnv", "--out", out, *words)[0] == 0
    with pytest.raises(
        InvalidOption, match=r"exists and differs: name another folder with --out, or remove it"
    ):
        run_command("import", clone, "--out", out)
    assert [path.name for path in out.iterdir()] == ["MineralEnv.json"]


def test_wrong_inputs_are_one_line(clone: Path, tmp_path: Path) -> None:
    for arguments, told in (
        ((tmp_path / "none",), "no such folder"),
        ((clone, "SqlEnv"), "the release has no domain 'SqlEnv'; it has: BattleEnv, BrokenEnv"),
        ((clone, "--goal", "Name it."), "--goal is of one domain, all are imported: name one"),
        ((clone, "MusicEnv", "--out", clone / "env" / "lost_env.py" / "x"), "--out"),
    ):
        with pytest.raises((InvalidOption, UnreadableInput)) as refusal:
            run_command("import", *arguments)
        assert told in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_json_has_findings_changes_and_problems(clone: Path, tmp_path: Path) -> None:
    code, told, _ = run("import", clone, "--out", tmp_path / "out", "--json")
    document = json.loads(told)
    assert code == 1
    assert document["summary"]["unreadable"] == 3
    changes = {Path(file["path"]).stem: file.get("changes") for file in document["files"]}
    assert changes["MusicEnv"] == ["'Hum' was dropped: an action of 1 outcome"]
    assert changes["MineralEnv"] == []


def test_a_refresh_takes_all_that_can_be_sampled_and_says_what_it_leaves_out(
    clone: Path, tmp_path: Path
) -> None:
    given = {"root": str(tmp_path / "root"), "domains_from": str(clone), "settings": "easy", "instances": 2}
    settings = load_settings({**given, "domains": ["mineral_identification"]})
    prepared = prepare_refresh(settings, Store(settings.root))
    assert [domain.config.name for domain in prepared.part.inputs] == ["Mineral Identification", "MusicEnv"]
    warnings = "\n".join(prepared.part.warnings)
    assert "MineralEnv is left out: the same as mineral_identification" in warnings
    assert "domain 'MusicEnv': 'Hum' was dropped: an action of 1 outcome" in warnings
    assert "BattleEnv is left out: " in warnings
    named = load_settings({**given, "domains": ["mineral_identification", "MusicEnv"]})
    chosen = prepare_refresh(named, Store(named.root)).part
    assert [domain.config.name for domain in chosen.inputs] == ["Mineral Identification", "MusicEnv"]
    assert "left out" not in "\n".join(chosen.warnings)
    alone = load_settings({**given, "max_collision_probability": 0.0})
    with pytest.raises(InvalidOption, match=r"none of 5 domains can be used; BattleEnv is left out"):
        prepare_refresh(alone, Store(alone.root))


def test_a_domain_without_a_balanced_list_is_left_out_with_the_solver_s_proof(
    clone: Path, tmp_path: Path
) -> None:
    """Two pairs of truths are ruled out together only: of three truths some can never survive alone."""
    pairs = [["hazel", "birch"], ["trout", "perch"]] * 2
    outcomes = [
        {"action": f"look {at}", "type": "str", "states": [state("yes", pair), state("no", [])]}
        for at, pair in enumerate(pairs)
    ]
    truths = [*pairs[0], *pairs[1]]
    poor = {"truths": truths, "actions": [one["action"] for one in outcomes], "outcomes": outcomes}
    (clone / "env" / "data" / "Poor.py").write_text(module_text(poor, "one line"), encoding="utf-8")
    (clone / "env" / "Poor_env.py").write_text(REGISTERED.format("Poor"), encoding="utf-8")
    settings = load_settings(
        {
            "root": str(tmp_path / "root"),
            "domains_from": str(clone),
            "domains": ["PoorEnv", "MusicEnv"],
            "settings": "3x3",
            "max_collision_probability": 1.0,
            "instances": 2,
        }
    )
    prepared = prepare_refresh(settings, Store(settings.root)).part
    assert [domain.config.name for domain in prepared.inputs] == ["MusicEnv"]
    told = "\n".join(prepared.warnings)
    assert (
        "PoorEnv is left out: domain 'PoorEnv', setting 3x3: no balanced instance exists, as was proved"
        in told
    )
