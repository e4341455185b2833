"""Models of models.toml: the starter files, one call to each, two servers in one edition."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from schemas.settings import load_settings
from schemas.settings.model_entry import ModelEntry
from schemas.settings.models_file import load_models
from tests.flows.conftest import KEY
from tests.flows.hand_made_root import perennial
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server
from warehouse.catalog.catalog import open_catalog
from warehouse.store.store import Store


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_init_writes_files_that_change_nothing_until_something_is_uncommented(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = load_settings({})
    shown = perennial(monkeypatch, capsys, "init")
    assert (shown.code, shown.out) == (0, "perennial.toml is written\nmodels.toml is written\n")
    assert load_settings({}) == before
    assert load_models() == {}
    Path("models.toml").unlink()
    Path("perennial.toml").write_text("runs = 3\n")
    again = perennial(monkeypatch, capsys, "init")
    assert again.out == "perennial.toml is there already, and was kept\nmodels.toml is written\n"
    assert load_settings({}).runs == 3
    nowhere = perennial(monkeypatch, capsys, "init", "absent")
    assert nowhere.code == 2
    assert re.match(r"perennial: error: absent/perennial.toml: cannot be written", nowhere.err)


def test_each_line_of_the_starter_files_is_valid_when_it_is_uncommented(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    perennial(monkeypatch, capsys, "init")
    form = type(load_settings({}))
    for name in ("perennial.toml", "models.toml"):
        text = Path(name).read_text()
        Path(name).write_text(re.sub(r"^#(?=[a-z\[])", "", text, flags=re.MULTILINE))
        for line in text.splitlines():
            assert len(line) <= 110
    values = tomllib.loads(Path("perennial.toml").read_text())
    assert {*values, *values["kumo"]} - {"kumo"} == set(form.model_fields)
    load_settings({})
    (entry,) = load_models().values()
    assert entry.model_fields_set == set(ModelEntry.model_fields)


def test_check_tries_each_model_and_says_what_to_write_where_one_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ServerOptions(
        keys=(KEY,), models=("m",), refuse=("temperature",), roles="tests.server.one_word"
    )
    with running_server(options) as server:
        monkeypatch.setenv("LOCAL_KEY", KEY)
        monkeypatch.setenv("PERENNIAL_TEMPERATURE", "0.5")
        shared = f'base_url = "{server.url}"\nkey_env = "LOCAL_KEY"\n'
        entries = {
            "good": shared + 'model = "m"\napi = { temperature = "unset" }\nmax_output = 900\n'
            "prompt_usd_per_million = 1\ncompletion_usd_per_million = 1\n",
            "warm": shared + 'model = "m"\n',
            "unknown": shared + 'api = { temperature = "unset" }\n',
        }
        Path("models.toml").write_text("\n".join(f"[{name}]\n{text}" for name, text in entries.items()))
        shown = perennial(monkeypatch, capsys, "models", "check")
        one = perennial(monkeypatch, capsys, "models", "check", "good", "--json")
        digests = [line.outcome for line in server.log()]
    assert shown.code == 6
    good, warm, unknown = shown.out.splitlines()
    assert re.match(
        r"ok +good at http://127.*models.toml, with LOCAL_KEY\): ok, [\d.]+ s, \d+ \+ \d+ tok", good
    )
    assert re.search(r"\$0\.0000\d\d; accepts role system, max_tokens$", good)
    assert re.match(
        r"failed +warm at .*'temperature' is not supported.*to do: temperature = \"unset\" in", warm
    )
    assert "unknown" in unknown
    assert "does not exist" in unknown
    assert KEY not in shown.out
    assert one.code == 0
    (told,) = json.loads(one.out)
    assert told["reply"]["status"] == "ok"
    assert digests.count("answered") == 2
    nothing = perennial(monkeypatch, capsys, "models", "check", "--models-file", "absent.toml")
    assert (nothing.code, "absent.toml" in nothing.err) == (2, True)


def test_one_edition_is_played_at_two_servers_with_parameters_of_each_model(
    keyed: Harness, tmp_path: Path
) -> None:
    plain = ServerOptions(keys=(KEY,), models=("plain",))
    strict = ServerOptions(keys=("sk-second-0123456789",), models=("o3-2025",), refuse=("temperature",))
    with running_server(plain) as first, running_server(strict) as second:
        Path("models.toml").write_text(
            f'[o3]\nmodel = "o3-2025"\nbase_url = "{second.url}"\nkey_env = "SECOND_KEY"\n'
            'api = { temperature = "unset" }\nreasoning_effort = "low"\nsystem_role = "developer"\n'
        )
        command = (
            *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "2"),
            *("--runs", "1", "--players", "plain,o3", "--temperature", "0.3", "--base-url", first.url),
            *("--root", str(tmp_path / "data")),
        )
        without = keyed.perennial(*command, cwd=tmp_path)
        assert without.returncode == 2
        assert "[o3]: the environment variable SECOND_KEY" in without.stderr
        given = keyed.but(SECOND_KEY="sk-second-0123456789")
        planned = given.perennial(*command, "--dry-run", cwd=tmp_path)
        assert f"endpoint for o3: {second.url} (models.toml, with SECOND_KEY)" in planned.stdout
        done = given.perennial(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        answered = [server.status().answered for server in (first, second)]
        assert all(line.outcome == "answered" for line in (*first.log(), *second.log()))
    catalog = open_catalog(Store(str(tmp_path / "data")))
    rows = catalog.query("SELECT model, request, endpoint FROM calls")[1]
    assert [sum(model == name for model, _, _ in rows) for name in ("plain", "o3")] == answered
    asked = {"temperature": 0.3}, {"model": "o3-2025", "reasoning_effort": "low"}
    for name, params, url in zip(("plain", "o3"), asked, (first.url, second.url), strict=True):
        own = [(json.loads(text)["params"], place) for model, text, place in rows if model == name]
        assert {json.dumps(one, sort_keys=True) for one, _ in own} == {json.dumps(params, sort_keys=True)}
        assert {place for _, place in own} == {url}
    roles = {json.loads(text)["messages"][0]["role"] for model, text, _ in rows if model == "o3"}
    assert roles == {"developer"}
    plan = json.loads(catalog.query("SELECT settings FROM evaluations")[1][0][0])
    assert plan["model_params"]["o3"]["system_role"] == "developer"
    assert "SECOND_KEY" not in json.dumps(plan)
    told = given.perennial("reproduce", "--root", str(tmp_path / "data"), "--json", cwd=tmp_path)
    assert json.loads(told.stdout)["same"], told.stderr
