"""models.toml: what an entry changes, what it does not, and the one line that names a bad one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import DEFAULT_MAX_TOKENS, Endpoint, ModelRequest, choose_endpoint
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.schemas.settings.models import load_models
from tests.schemas.kumo_settings import kumo_settings

TALK = (
    {"role": "system", "content": "You play."},
    {"role": "user", "content": "Which?"},
    {"role": "assistant", "content": "Swab"},
    {"role": "user", "content": "Positive."},
)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make_request(params: dict[str, Any], model: str = "m") -> ModelRequest:
    return ModelRequest("player", model, TALK, params, "kumo/turn", "tpl")


def test_every_key_is_read_and_a_file_can_be_named() -> None:
    text = """
    ["org/o3"]
    model = "o3-2025"
    base_url = "https://example.org/v1/"
    key_env = "O3_KEY"
    api = { temperature = "unset", top_p = 0.5 }
    max_output = 900
    context = 128_000
    reasoning_effort = "low"
    extra_body = { chat_template_kwargs = { enable_thinking = false } }
    headers = { "api-key" = "${O3_KEY}" }
    query = { "api-version" = "2025-01" }
    system_role = "developer"
    family = "o"
    parameters_billion = 200.0
    quantization = "none"
    tuning = "thinking"
    weights = "open"
    base_model = "o3-mini"
    trained_on = "Medical Diagnosis IND"
    trained_setting = "easy"
    step = 500
    training_cutoff = 2025-06-30
    requests_per_minute = 60
    tokens_per_minute = 9_000
    concurrency = 4
    batch = true
    prompt_usd_per_million = 2
    completion_usd_per_million = 8.5
    cached_usd_per_million = 0.5
    tokenizer = "tokenizer.json"
    """
    Path("other.toml").write_text(text)
    assert load_models() == {}
    entry = load_models("other.toml")["org/o3"]
    assert entry.model_fields_set == set(ModelEntry.model_fields)
    assert (entry.base_url, entry.training_cutoff) == ("https://example.org/v1", "2025-06-30")
    assert entry.price is not None
    assert (entry.price.prompt, entry.price.completion, entry.price.cached) == (2.0, 8.5, 0.5)
    assert entry.variables() == ("O3_KEY",)
    assert load_settings({"models_file": "other.toml"}).call_policy().models == {"org/o3": entry}
    with pytest.raises(InvalidOption, match=r"--models-file 'absent.toml': no such file"):
        load_models("absent.toml")


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("[o3]\nbase_ulr = 1\n", r"\[o3\] base_ulr: there is no such key; did you mean base_url\?"),
        ("[o3]\nx = 1\n", r"\[o3\] x: there is no such key; known: model, base_url, .*, step$"),
        ("[o3]\nmax_output = '16k'\n", r"\[o3\] max_output: expected a whole number, got '16k'$"),
        ("[o3]\nconcurrency = 0\n", r"models.toml: \[o3\] concurrency: expected at least 1, got 0"),
        ("[o3]\nconcurrency = true\n", r"models.toml: \[o3\] concurrency: expected a whole number, got True"),
        ("[o3]\nsystem_role = 'boss'\n", r"models.toml: \[o3\] system_role: expected .*'user', got 'boss'"),
        (
            "[o3]\nkey_env = 'sk-secret'\n",
            r"models.toml: \[o3\] key_env: expected the name of an environment",
        ),
        ("[o3]\nheaders = { api-key = 'sk-secret' }\n", r"headers: api-key may hold a key: .*\$\{NAME\}"),
        (
            "[o3]\nbase_url = 'https://sk-secret@h/v1'\n",
            r"models.toml: \[o3\] base_url: .*keys come from the",
        ),
        ("[o3]\nbase_url = '${LLM_URL}'\n", r"\[o3\] base_url: \$\{LLM_URL\} is filled in headers"),
        ("[o3]\nbase_url = 'https://${H/v1'\n", r"\[o3\] base_url: \$\{H/v1 is filled in"),
        ("[o3]\nbase_url = 'https://$HOST/v1'\n", r"\[o3\] base_url: a URL with a variable.*OPENAI_BASE_URL"),
        ("[o3]\nmodel = '${MODEL}'\n", r"\[o3\] model: \$\{MODEL\} is filled in headers and query only"),
        ("[o3]\nextra_body = { a = [{ b = '${X}' }] }\n", r"\[o3\] extra_body: \$\{X\} is filled in"),
        ("[o3]\nheaders = { x = '${A B}' }\n", r"\[o3\] headers: \$\{A B\} is no variable; write \$\{NAME\}"),
        ("[o3]\nquery = { x = '${}' }\n", r"\[o3\] query: \$\{\} is no variable"),
        ("[o3]\napi = { messages = [] }\n", r"models.toml: \[o3\] api: messages cannot be set"),
        ("[o3]\nextra_body = { day = 1979-05-27 }\n", r"models.toml: \[o3\] extra_body.day: .*JSON value"),
        ("[o3]\nprompt_usd_per_million = -1\n", r"\[o3\] prompt_usd_per_million: expected at least 0"),
        ("model = 'o3'\n", r"models.toml: \[model\]: expected a table for each model"),
        ("['a,b']\n", r"models.toml: \[a,b\]: expected a name as in --players"),
        ("[o3\n", r"models.toml: .*line 1"),
    ],
)
def test_a_bad_entry_is_one_line_with_file_and_key_and_without_secrets(toml: str, told: str) -> None:
    Path("models.toml").write_text(toml)
    with pytest.raises(InvalidOption, match=told) as caught:
        load_models()
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


_NAMES = st.sampled_from([*ModelEntry.model_fields, "unknown"])
_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(_NAMES, _VALUES | st.dictionaries(st.text(max_size=5), _VALUES, max_size=2), max_size=3)
)
def test_whatever_an_entry_holds_it_is_usable_or_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any]
) -> None:
    monkeypatch.setattr("perennial.schemas.settings.models.read_toml", lambda _path: {"m": values})
    entry, told = _read_entry()
    if entry is None:
        assert told.startswith("models.toml: [m]")
        assert "\n" not in told
    else:
        assert make_request(entry.params("m", {"temperature": 0.5})).call_id.startswith("call_")


def _read_entry() -> tuple[ModelEntry | None, str]:
    try:
        return load_models()["m"], ""
    except InvalidOption as error:
        return None, str(error)


def test_settings_come_first_then_the_entry_and_unset_is_never_sent() -> None:
    shared = {"temperature": 0.7, "max_tokens": 5_000, "seed": 1}
    assert ModelEntry().params("m", shared) == shared
    entry = ModelEntry(
        api={"temperature": "unset", "top_p": 0.5, "seed": 2},
        max_output=900,
        reasoning_effort="low",
        extra_body={"thinking": {"type": "enabled"}},
        system_role="user",
        model="m-1",
    )
    assert entry.params("m", shared) == {
        "max_tokens": 900,
        "seed": 2,
        "top_p": 0.5,
        "reasoning_effort": "low",
        "thinking": {"type": "enabled"},
        "system_role": "user",
        "model": "m-1",
    }
    assert ModelEntry(max_output=900).params("m", {}) == {"max_tokens": 900}
    assert (
        ModelEntry(max_output=900, api={"max_tokens": "unset"}).params("m", shared).get("max_tokens") is None
    )
    assert ModelEntry(reasoning_effort="unset").params("m", {"reasoning_effort": "high"}) == {}
    assert ModelEntry(model="m", system_role="system").params("m", {}) == {}


def test_system_messages_get_the_role_of_the_entry() -> None:
    assert make_request({"system_role": "developer"}).messages == (
        {**TALK[0], "role": "developer"},
        *TALK[1:],
    )
    merged = make_request({"system_role": "user"})
    assert merged.messages == ({"role": "user", "content": "You play.\n\nWhich?"}, *TALK[2:])
    assert merged.params == {}
    alone = ModelRequest("player", "m", (TALK[0], TALK[2]), {"system_role": "user"}, "t", "h")
    assert [one["role"] for one in alone.messages] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        ({"api": {"top_p": 0.1}}, True),
        ({"extra_body": {"top_k": 5}}, True),
        ({"system_role": "user"}, True),
        ({"reasoning_effort": "low"}, True),
        ({"model": "m-2"}, True),
        ({"max_output": 10}, True),
        ({"base_url": "http://h/v1"}, False),
        ({"key_env": "K"}, False),
        ({"headers": {"X-A": "b"}}, False),
        ({"query": {"a": "b"}}, False),
        ({"concurrency": 2, "requests_per_minute": 5, "tokens_per_minute": 5}, False),
        ({"prompt_usd_per_million": 1.0, "context": 9}, False),
        ({"family": "O", "parameters_billion": 8.0, "quantization": "none", "tuning": "math"}, False),
    ],
)
def test_only_what_the_model_sees_is_in_the_plan_and_in_the_identity_of_calls(
    changed: dict[str, Any], differs: bool
) -> None:
    plain, entry = ModelEntry(), ModelEntry(**changed)
    calls = {make_request(one.params("m", {"temperature": 1.0})).call_id for one in (plain, entry)}
    assert len(calls) == 1 + differs
    (text,) = [f"[m]\n{name} = {_toml(value)}\n" for name, value in list(changed.items())[:1]]
    Path("models.toml").write_text(text)
    own = load_settings({}).model_params(["m", "other"], {"temperature": 1.0})
    assert ("m" in own) == differs
    plans = [EvaluationPlan("e", "1", "kumo", ("m",), 1, 0, "v", model_params=one) for one in ({}, own)]
    assert (plans[0].asked != plans[1].asked) == differs
    assert EvaluationPlan.from_json(plans[1].as_json()) == plans[1]
    assert plans[1].params_of("other") == {}


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return repr(value)


def test_an_author_with_an_entry_is_asked_its_own_way() -> None:
    Path("models.toml").write_text('[w]\napi = { temperature = "unset" }\n')
    plan = kumo_settings({"author": "a", "writer": "w", "author_temperature": 0.3}).authoring(False)
    assert plan.choice("writer").params == {}
    assert plan.choice("reviser").params == plan.choice("proposer").params == {"temperature": 0.3}


def test_a_key_goes_only_to_the_server_that_names_its_variable() -> None:
    environment = {"PERENNIAL_API_KEY": "own", "OPENAI_API_KEY": "openai", "OTHER_KEY": "other"}
    shared = choose_endpoint("http://one/v1", environment)

    def endpoint(**entry: str) -> Endpoint:
        return ModelEntry(**entry).endpoint(shared, environment)

    assert endpoint() == shared
    assert endpoint(base_url="http://two/v1").key == ""
    assert endpoint(base_url="http://two/v1", key_env="OTHER_KEY").key == "other"
    assert endpoint(key_env="OTHER_KEY").key == "other"
    # Another path of the settings' host is the same server.
    assert endpoint(base_url="http://one/v2").key == "own"
    assert endpoint(base_url="http://two/v1", key_env="ABSENT").key == ""


@pytest.mark.parametrize(
    ("flag", "value", "key"),
    [
        ("base_url", "http://b/v1", 'base_url = "http://a/v1"'),
        ("temperature", 0.2, 'temperature = "unset"'),
        ("top_p", 0.3, "top_p = 0.5"),
        ("model_seed", 4, "seed = 7"),
        ("max_tokens", 500, "max_output = 110"),
        ("reasoning_effort", "high", 'reasoning_effort = "low"'),
        ("requests_per_minute", 9, "requests_per_minute = 60"),
        ("tokens_per_minute", 9, "tokens_per_minute = 1000"),
        ("concurrency", 9, "concurrency = 2"),
    ],
)
def test_a_flag_that_every_model_would_ignore_is_refused(
    flag: str, value: object, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text(
        '[m]\nbase_url = "http://a/v1"\nreasoning_effort = "low"\nmax_output = 110\nconcurrency = 2\n'
        'api = { temperature = "unset", top_p = 0.5 }\nextra_body = { seed = 7 }\n'
        "requests_per_minute = 60\ntokens_per_minute = 1000\n[free]\n"
    )
    flags = load_settings({flag: value})
    shown = f"--{flag.replace('_', '-')} {value}: [m] of models.toml has {key}, which overrides it"
    with pytest.raises(InvalidOption, match=f"^{re.escape(shown)}: leave the flag out"):
        flags.refuse_overridden(["m"])
    # Of several models some follow it, which the docs promise: a second server in the same edition.
    flags.refuse_overridden(["m", "free"])
    flags.refuse_overridden(["no-entry", "m"])
    flags.refuse_overridden([])
    # What perennial.toml says is of models without an entry of their own.
    Path("perennial.toml").write_text(f"{flag} = {json.dumps(value)}\n")
    load_settings({}).refuse_overridden(["m"])


def test_a_flag_that_says_what_the_entry_says_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text('[m]\nbase_url = "http://a/v1"\nmax_output = 110\n')
    load_settings({"base_url": "http://a/v1/", "max_tokens": 90, "top_p": 0.4}).refuse_overridden(["m"])


def test_a_limit_that_the_context_lowers_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text("[m]\ncontext = 8192\n")
    with pytest.raises(InvalidOption, match=f"--max-tokens {DEFAULT_MAX_TOKENS}: .* has context = 8192, "):
        load_settings({"max_tokens": DEFAULT_MAX_TOKENS}).refuse_overridden(["m"])


DEFAULT = {"max_tokens": DEFAULT_MAX_TOKENS}


@pytest.mark.parametrize(
    ("entry", "sent"),
    [
        ({}, DEFAULT),
        ({"api": {"max_tokens": "unset"}}, {}),
        ({"api": {"max_tokens": 300}}, {"max_tokens": 300}),
        ({"api": {"max_completion_tokens": 300}}, {"max_completion_tokens": 300}),
        ({"extra_body": {"max_completion_tokens": 300}}, {"max_completion_tokens": 300}),
        ({"max_output": 50_000}, {"max_tokens": 50_000}),
        ({"max_output": 900, "api": {"max_tokens": "unset"}}, {}),
        ({"context": 8_192}, {"max_tokens": 4_096}),
        ({"context": 128_000}, DEFAULT),
        ({"context": 8_192, "max_output": 6_000}, {"max_tokens": 6_000}),
    ],
)
def test_the_default_limit_of_a_reply_gives_way_to_what_an_entry_says(
    entry: dict[str, object], sent: dict[str, int]
) -> None:
    assert ModelEntry.model_validate(entry).params("m", DEFAULT) == sent


@pytest.mark.parametrize("written", ['"June 2025"', '"2025-02-30"', "2025-06-30T10:00:00", "2025", "true"])
def test_what_is_no_day_is_refused(written: str) -> None:
    Path("models.toml").write_text(f"[m]\ntraining_cutoff = {written}\n")
    with pytest.raises(InvalidOption, match="training_cutoff"):
        load_models()
