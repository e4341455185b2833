"""Who authors, and the errors of a wrong endpoint or role."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.plan import AuthoringPlan, KumoPlan
from perennial.schemas.kumo.things import Setting
from perennial.schemas.model_calls import DEFAULT_MAX_TOKENS
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.settings import load_settings
from tests.schemas.kumo_settings import kumo_settings

PLAN = KumoPlan(("cfg_1",), (Setting(4, 6),), instances=1, min_expected_steps=1.0)


def _authoring(has_domains: bool = False, **flags: object) -> AuthoringPlan:
    return kumo_settings(flags).authoring(has_domains)


def test_an_author_fills_every_role_that_has_no_model_of_its_own() -> None:
    plan = _authoring(author="a", writer="w")
    assert (plan.proposer, plan.configurer, plan.writer, plan.reviser) == ("a", "a", "w", "a")
    assert plan.proposals == 3
    assert plan.models == ("a", "w")


def test_where_domains_are_named_none_is_proposed_unless_asked_for() -> None:
    plan = _authoring(True, author="a")
    assert (plan.proposals, plan.proposer, plan.configurer, plan.writer) == (0, "", "", "a")
    assert _authoring(True, author="a", propose=2).proposals == 2


def test_without_models_all_is_done_by_rule() -> None:
    assert _authoring() == AuthoringPlan()


def test_a_writer_alone_also_reads_back() -> None:
    plan = _authoring(writer="w")
    assert (plan.writer, plan.reviser, plan.proposals) == ("w", "w", 0)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"proposer": "p"}, "no model is the configurer.*--configurer"),
        ({"configurer": "c"}, "no model is the proposer.*--proposer"),
        ({"reviser": "r"}, "a reviser revises what a model wrote.*--writer"),
        ({"propose": 2}, "--propose 2 needs a model"),
        ({"base_url": "ftp://x/v1"}, "base-url .*http://127"),
        (
            {"base_url": "http://h/v1/chat/completions/"},
            "ends in /chat/completions.*expected the URL before it",
        ),
        ({"base_url": "http://${HOST}:8000/v1"}, "a URL with a variable in it.*OPENAI_BASE_URL"),
        ({"base_url": "https://user:sk-1@host/v1"}, "keys come from the environment"),
        ({"temperature": 3}, "temperature"),
        ({"max_cost": -1}, "--max-cost -1: expected at least 0"),
    ],
)
def test_what_makes_no_sense_is_named(flags: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidOption, match=told):
        _authoring(**flags)


def test_only_what_is_set_is_passed_on() -> None:
    assert load_settings({}).player_params() == {"max_tokens": DEFAULT_MAX_TOKENS}
    assert load_settings({"max_tokens": 0}).player_params() == {}
    settings = load_settings(
        {"temperature": 0.0, "model_seed": 7, "reasoning_effort": "low", "max_tokens": 9}
    )
    assert settings.player_params() == {
        "temperature": 0.0,
        "max_tokens": 9,
        "seed": 7,
        "reasoning_effort": "low",
    }


def test_limits_may_change_between_two_runs_of_one_plan_but_roles_may_not() -> None:
    authored = replace(PLAN, authoring=_authoring(author="a", categories="x,y"))
    assert KumoPlan.from_json(authored.as_json()) == authored
    plans = [EditionPlan("e", "kumo", own.as_json(), 0, (), "test") for own in (PLAN, authored)]
    assert plans[0].asked != plans[1].asked
    played = EvaluationPlan("e", "first", "kumo", ("m",), 1, 0, "test", {"top_p": 0.5})
    assert EvaluationPlan.from_json(played.as_json()) == played
    policy = load_settings({"max_calls": 5, "base_url": "http://h/v1/"}).call_policy()
    assert (policy.max_calls, policy.base_url) == (5, "http://h/v1")
    assert "max_calls" not in {**asdict(authored), **asdict(played)}


def test_a_key_in_the_file_or_in_a_url_is_refused_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERENNIAL_API_KEY", "sk-secret")
    assert load_settings({}).seed is None
    (tmp_path / "perennial.toml").write_text('api_key = "sk-secret"\n')
    with pytest.raises(InvalidOption, match="api_key: there is no such setting; keys come from") as caught:
        load_settings({})
    assert "sk-secret" not in str(caught.value)
    (tmp_path / "perennial.toml").unlink()
    for url in ("https://me:sk-secret@host/v1", "https://host/v1?key=sk-secret"):
        with pytest.raises(InvalidOption, match="user name") as caught:
            load_settings({"base_url": url})
        assert "sk-secret" not in str(caught.value)
