"""A misspelt player is refused with a suggestion before anything is planned, unless it is a model."""

import re
from pathlib import Path

import pytest

from tests.flows.hand_made_root import Run
from tests.server.options import ServerOptions
from tests.server.running import running_server

PLAN = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "1", "--dry-run"),
    *("--root", "data"),
)


@pytest.fixture(autouse=True)
def _without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("orcale", "oracle"),
        ("gredy", "greedy"),
        ("Random", "random"),
        ("algorithm3", "algorithm-3"),
        ("symbolic:optimun", "optimum"),
        ("symbolc:alpha", "symbolic:alpha"),
        ("opened:gpt-4", "closed:gpt-4"),
        ("my-modle", "my-model"),
    ],
)
def test_a_misspelt_player_is_refused_with_a_suggestion(given: str, meant: str, give: Run) -> None:
    Path("models.toml").write_text("[my-model]\n")
    shown = give(*PLAN, "--players", f"{given},optimum")
    assert (shown.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    name = given.removeprefix("symbolic:")
    assert f"{name!r} is no program and has no entry in models.toml" in shown.err
    assert f"did you mean {meant!r}? To ask a model of that name, give --allow-unlisted" in shown.err
    allowed = give(*PLAN, "--players", given, "--allow-unlisted")
    assert allowed.code == 0, allowed.err
    Path("models.toml").write_text(f'["{name}"]\n')
    described = give(*PLAN, "--players", given)
    assert described.code == 0, described.err


@pytest.mark.slow
def test_a_model_with_a_name_like_a_programs_is_taken_where_its_server_lists_it(
    monkeypatch: pytest.MonkeyPatch, give: Run
) -> None:
    with running_server(ServerOptions(models=("readers", "other"))) as server:
        monkeypatch.setenv("PERENNIAL_BASE_URL", server.url)
        listed = give(*PLAN, "--players", "readers")
        unlisted = give(*PLAN, "--players", "raeder")
        other = give(*PLAN, "--players", "anything-else")
        assert server.log() == []
    assert (listed.code, other.code) == (0, 0), listed.err
    assert unlisted.code == 2
    assert f"and {server.url} does not list it as a model: did you mean 'reader'?" in unlisted.err


def test_an_entry_cannot_have_the_name_of_a_program(give: Run) -> None:
    Path("models.toml").write_text("[greedy]\n")
    shown = give(*PLAN, "--players", "optimum")
    assert shown.code == 2
    assert "models.toml: [greedy]: greedy is the name of a program" in shown.err


@pytest.mark.parametrize("typed", ["optmum", "oracel", "optimum"])
def test_a_player_in_the_place_of_an_edition_leads_to_its_option(run: Run, typed: str) -> None:
    shown = run("evaluate", typed)
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert re.search(r"published: e1, e2; players are named with --players (optimum|oracle)\n$", shown.err)
