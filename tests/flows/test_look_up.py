"""Models are looked up before anything is grown: what can never be asked ends a refresh in seconds."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.flows.refresh.models import look_up
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.settings import RefreshSettings
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

SMALL = ("--domains", "chemical_analysis", "--settings", "easy", "--instances", "1", "--seed", "7")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(
        ServerOptions(models=("alpha", "beta"), refuse=("top_p",), keys=("sk-good",))
    ) as controls:
        yield controls


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "key", "code", "said"),
    [
        (("--players", "optimum,gamma"), "sk-good", 6, "model 'gamma' at http://"),
        (("--players", "alpha", "--top-p", "0.5"), "sk-good", 6, 'write top_p = "unset" in its table api'),
        (("--players", "alpha"), "sk-bad", 6, "the key was refused by http://"),
        (("--players", "alpha", "--base-url", "http://127.0.0.1:9/v1"), "sk-good", 6, "no server answers at"),
        (("--players", "alpha", "--max-calls", "0"), "sk-good", 2, "--max-calls 0: 'alpha' is a model"),
        (("--players", "alpha", "--max-cost", "0"), "sk-good", 2, "--max-cost 0: 'alpha' is a model"),
    ],
)
def test_what_cannot_be_asked_ends_a_refresh_before_anything_is_grown(
    options: tuple[str, ...],
    key: str,
    code: int,
    said: str,
    harness: Harness,
    server: RunningServer,
    tmp_path: Path,
) -> None:
    given = ("--base-url", server.url, *options, "--root", str(tmp_path / "data"))
    done = harness.but(PERENNIAL_API_KEY=key).perennial("refresh", *SMALL, *given, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert said in done.stderr
    assert key not in done.stderr + done.stdout
    assert not list((tmp_path / "data").glob("**/*.parquet"))


@pytest.mark.slow
def test_each_model_is_asked_one_short_question_once_in_a_data_root(
    harness: Harness, server: RunningServer, tmp_path: Path
) -> None:
    keyed = harness.but(PERENNIAL_API_KEY="sk-good")
    root = ("--root", str(tmp_path))
    given = ("--players", "alpha,symbolic:alpha,beta", "--base-url", server.url, *root)
    done = keyed.perennial("refresh", *SMALL, "--edition", "one", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "look-up: 2 models can be asked: alpha, beta" in done.stdout
    again = keyed.perennial(
        "evaluate", "one", *root, "--players", "alpha", "--base-url", server.url, cwd=tmp_path
    )
    assert again.returncode == 0, again.stderr
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        looked_up = ledger.execute(
            "SELECT model FROM calls WHERE edition = '(look-up)' ORDER BY 1"
        ).fetchall()
    assert looked_up == [("alpha",), ("beta",)]


@pytest.mark.slow
def test_a_model_of_the_same_name_at_another_server_is_asked_again(
    server: RunningServer, tmp_path: Path
) -> None:
    def choose(base_url: str) -> RefreshSettings:
        return RefreshSettings(root=str(tmp_path), base_url=base_url)

    said: list[str] = []
    with (
        running_server(ServerOptions(models=("alpha",), keys=("other",))) as other,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("PERENNIAL_API_KEY", "sk-good")
        for _ in range(2):
            look_up(choose(server.url), Store(str(tmp_path)), [ModelChoice("alpha", {})], said.append)
        with pytest.raises(EndpointFailed, match="the key was refused"):
            look_up(choose(other.url), Store(str(tmp_path)), [ModelChoice("alpha", {})], said.append)
        patch.setenv("PERENNIAL_API_KEY", "other")
        look_up(choose(other.url), Store(str(tmp_path)), [ModelChoice("alpha", {})], said.append)
    assert said == ["look-up: 1 model can be asked: alpha"] * 3
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        answered = ledger.execute("SELECT endpoint FROM calls WHERE status = 'ok'").fetchall()
    assert sorted(answered) == sorted([(server.url,), (other.url,)])
