"""Models of models.toml on the command line: the starter files, and one call to each."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from perennial.schemas.settings import load_settings
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.schemas.settings.models import load_models
from tests.flows.conftest import KEY
from tests.flows.hand_made_root import Run
from tests.server.options import ServerOptions
from tests.server.running import running_server


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_init_writes_files_that_change_nothing_until_something_is_uncommented(give: Run) -> None:
    before = load_settings({})
    shown = give("init")
    assert (shown.code, shown.out) == (0, "perennial.toml is written\nmodels.toml is written\n")
    assert load_settings({}) == before.model_copy(update={"root": "warehouse/data"})
    assert load_models() == {}
    Path("models.toml").unlink()
    Path("perennial.toml").write_text("runs = 3\n")
    again = give("init")
    assert again.out == "perennial.toml is there already, and was kept\nmodels.toml is written\n"
    assert load_settings({}).runs == 3
    nowhere = give("init", "absent")
    assert nowhere.code == 2
    assert re.match(r"perennial: error: absent/perennial.toml: cannot be written", nowhere.err)


def test_each_line_of_the_starter_files_is_valid_when_it_is_uncommented(give: Run) -> None:
    give("init")
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


@pytest.mark.slow
def test_check_tries_each_model_and_says_what_to_write_where_one_fails(
    monkeypatch: pytest.MonkeyPatch, give: Run
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
        shown = give("models", "check")
        one = give("models", "check", "good", "--json")
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
    nothing = give("models", "check", "--models-file", "absent.toml")
    assert (nothing.code, "absent.toml" in nothing.err) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("try", "m"),
        ("models", "check", "m"),
        ("models", "check"),
        ("refresh", "--players", "m,symbolic:m,optimum", "--dry-run"),
    ],
)
def test_a_server_on_the_command_line_is_not_overridden_silently(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    give: Run,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text('[m]\nbase_url = "http://127.0.0.1:9/v1"\n')
    done = give(*arguments, "--base-url", "http://127.0.0.1:8/v1")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert '--base-url http://127.0.0.1:8/v1: [m] of models.toml has base_url = "http://127' in done.err
