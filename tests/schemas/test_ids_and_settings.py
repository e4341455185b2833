"""Identifiers, derived generators and settings."""

from pathlib import Path

import pytest

from perennial.schemas.errors import InvalidOption, PerennialError, suggest
from perennial.schemas.ids import canonical_json, content_id, derive_rng
from perennial.schemas.kumo.things import Outcome, OutcomeState, Setting
from perennial.schemas.settings import load_settings
from tests.schemas.kumo_settings import kumo_settings


def test_ids_depend_on_content_alone() -> None:
    assert content_id("x", {"a": 1, "b": [2]}) == content_id("x", {"b": [2], "a": 1})
    assert content_id("x", "a", "b") != content_id("x", "ab")
    assert canonical_json({"b": "é", "a": None}) == '{"a":null,"b":"é"}'


def test_generators_differ_by_purpose_and_index() -> None:
    drawn = {derive_rng(1, purpose, index).random() for purpose in ("a", "b") for index in range(50)}
    assert len(drawn) == 100
    assert derive_rng(1, "a", 3).random() == derive_rng(1, "a", 3).random()


@pytest.mark.parametrize(
    ("text", "setting", "name"),
    [
        ("easy", Setting(4, 6), "easy"),
        ("HARD", Setting(12, 16), "hard"),
        ("4x6", Setting(4, 6), "easy"),
        ("6x10", Setting(6, 10), "6x10"),
        ("6x10v2", Setting(6, 10, 2), "6x10v2"),
    ],
)
def test_settings_have_one_name(text: str, setting: Setting, name: str) -> None:
    assert Setting.parse(text) == setting
    assert setting.name == name
    assert Setting.parse(setting.name) == setting


@pytest.mark.parametrize("text", ["", "6", "6x", "x6", "6x10v", "-1x3", "6 x 10", "easier"])
def test_an_unknown_setting_is_named(text: str) -> None:
    with pytest.raises(InvalidOption, match="is not known: use easy, hard, NxM for"):
        Setting.parse(text)


def test_flags_over_environment_over_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = 'seed = 1\nruns = 7\nplayers = ["algorithm-3"]\n[kumo]\ninstances = 9\nrepairs = 1\n'
    (tmp_path / "perennial.toml").write_text(content)
    monkeypatch.setenv("PERENNIAL_RUNS", "8")
    monkeypatch.setenv("PERENNIAL_KUMO_INSTANCES", "10")
    monkeypatch.setenv("PERENNIAL_KUMO_REPAIRS", "2")
    settings = kumo_settings({"instances": 11, "seed": None})
    assert (settings.seed, settings.runs, settings.instances, settings.repairs) == (1, 8, 11, 2)
    assert settings.players == ["algorithm-3"]
    assert settings.settings == ["easy", "hard"]


def test_a_size_fills_what_no_flag_sets() -> None:
    assert kumo_settings({}).min_expected_steps == 1.0
    assert kumo_settings({"size": "paper"}).min_expected_steps == 0.0
    assert kumo_settings({"size": "paper", "min_expected_steps": 2.0}).min_expected_steps == 2.0


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"instances": 0}, "instances"),
        ({"seed": -1}, "seed"),
        ({"size": "huge"}, "tiny, small, standard, contamination or paper"),
        ({"edition": "../x"}, "--edition '../x': expected up to 100 letters, digits, dots, dashes and under"),
        (
            {"private_share": 1.0},
            r"--private-share 1\.0: expected less than 1 \(see `perennial refresh --help-all`",
        ),
        ({"protocol": "kumo"}, "--protocol 'kumo': expected perennial or kumo-2025 "),
        ({"settings": "easy,huge"}, "huge"),
    ],
)
def test_a_bad_setting_is_named_in_one_line(flags: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidOption, match=told) as caught:
        load_settings(flags)
    assert "\n" not in str(caught.value)


def test_a_broken_settings_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for content, told in (
        ("seed = ", r"perennial\.toml"),
        ("sead = 3", r"perennial\.toml, line 1: sead: there is no such setting; did you mean seed\?"),
        (
            "[kumo]\ninstance = 3",
            r"line 2: kumo\.instance: there is no such setting; did you mean instances\?",
        ),
        ("[kuno]\ninstances = 3", r"line 1: kuno: there is no such setting; did you mean kumo\?"),
        ("api_key = 3", r"line 1: api_key: there is no such setting; keys come from the environment"),
        ("seed = 1\n\nruns = 0", r"perennial\.toml, line 3: runs = 0: expected at least 1 \(see `"),
        ("instances = 3", r"perennial\.toml: instances is a setting of the benchmark kumo.* \[kumo\]$"),
        ("[kumo]\nseed = 3", r"perennial\.toml: seed in section \[kumo\] .* at the top, before any section"),
        ("kumo = 3", r"perennial\.toml: kumo: expected a section \[kumo\]"),
        ('players = "random,random"', r"players = 'random,random': expected each name once; --runs N"),
        ('players = " , "', "expected names, separated by commas; leave it out for the default players"),
        ('benchmark = "kumoo"', r"installed: .*kumo; did you mean kumo\?"),
        ('benchmark = "chess"', "benchmark 'chess' is not installed; installed: .*kumo"),
    ):
        (tmp_path / "perennial.toml").write_text(content)
        with pytest.raises(InvalidOption, match=told):
            load_settings({})


def test_a_variable_without_its_benchmark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERENNIAL_INSTANCES", "3")
    with pytest.raises(InvalidOption, match=r"PERENNIAL_INSTANCES: .* set PERENNIAL_KUMO_INSTANCES instead"):
        load_settings({})


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("PERENNIAL_INSTANCE", "there is no such setting; did you mean PERENNIAL_KUMO_INSTANCES?"),
        ("PERENNIAL_MAX_COSTS", "there is no such setting; did you mean PERENNIAL_MAX_COST?"),
        ("PERENNIAL_KUMO_INSTANCE", "there is no such setting; did you mean PERENNIAL_KUMO_INSTANCES?"),
        ("PERENNIAL_XYZZY", "there is no such setting"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, told: str
) -> None:
    monkeypatch.setenv(variable, "sk-secret")
    with pytest.raises(InvalidOption) as caught:
        load_settings({})
    assert str(caught.value) == f"{variable}: {told}"


def test_variables_of_other_use_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "QUERY_MEMORY_LIMIT", "SHARED", "_SERVE_PID"):
        monkeypatch.setenv(f"PERENNIAL_{name}", "1")
    assert load_settings({}).runs == 1


def test_a_bad_variable_is_named_with_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERENNIAL_RUNS", "x")
    with pytest.raises(InvalidOption, match=r"^PERENNIAL_RUNS='x': expected a whole number \(see "):
        load_settings({})
    with pytest.raises(InvalidOption, match=r"^--runs 0: .* \(see `perennial evaluate --help"):
        load_settings({"runs": 0}, "evaluate")


def test_a_shared_end_point_belongs_to_the_upper_range_and_the_last_one_is_closed() -> None:
    states = tuple(OutcomeState(None, low, high, ()) for low, high in ((0.0, 1.0), (1.0, 2.0), (3.0, 4.0)))
    outcome = Outcome("measure", "float", states)
    found = [outcome.state_of(value) for value in (0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 4.5)]
    assert found == [0, 1, 1, None, 2, 2, None]


def test_every_error_has_an_exit_code_of_its_own_kind() -> None:
    codes = {error.__name__: error.exit_code for error in PerennialError.__subclasses__()}
    assert all(1 <= code <= 11 for code in codes.values())
    assert codes["AuditFailed"] != codes["EditionConflict"]


@pytest.mark.parametrize("benchmark", ["kumo", "beyondbench", "knowlogic", "a2rbench"])
def test_an_edition_for_contamination_is_half_private_and_asked_once(benchmark: str) -> None:
    settings = load_settings({"benchmark": benchmark, "size": "contamination"})
    assert (settings.private_share, settings.runs) == (0.5, 1)


@pytest.mark.parametrize(
    ("typed", "names", "meant"),
    [
        ("musik", ("medical_diagnosis", "music_identification"), "; did you mean music_identification?"),
        ("SORTIN", ("Sorting", "basic/sum"), "; did you mean Sorting?"),
        ("mini", ("gpt-4.1-nano", "gpt-4.1-mini"), "; did you mean gpt-4.1-mini?"),
        ("xyz", ("player", "edition"), ""),
        ("", ("player",), ""),
        ("-", ("a-b", ""), ""),
    ],
)
def test_a_name_is_suggested_by_its_whole_or_a_word(typed: str, names: tuple[str, ...], meant: str) -> None:
    assert suggest(typed, names) == meant
