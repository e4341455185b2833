"""Every key that the docs, `perennial init` and `perennial train` write for a model is played."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.plan import prepare_refresh, settle_seed
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.flows.starter_files import models_file
from perennial.flows.training import checkpoint_entries
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.schemas.units import is_evaluation
from perennial.warehouse.editions.publish import publish
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.server.options import ServerOptions
from tests.server.running import running_server

DOCS = Path(__file__).parents[2] / "docs"
VARIABLES = ("OPENAI_API_KEY", "AZURE_KEY", "EXAMPLE_API_KEY", "EXAMPLE_PROJECT")
TOKENIZER = {"model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}
TOKENIZER |= {"pre_tokenizer": {"type": "Whitespace"}, "added_tokens": []}


def documented() -> Iterator[tuple[str, JsonObject]]:
    """Yield the entries of models.toml that readers are shown, and those that commands write."""
    blocks = re.findall(r"^```toml\n(.*?)^```", (DOCS / "models.md").read_text(), re.MULTILINE | re.DOTALL)
    starter = "\n".join(line.removeprefix("#") for line in models_file().splitlines() if line[1:2].strip())
    chats = {"domain": {"Medical Diagnosis IND"}, "setting": {"easy"}}
    trained = "\n".join(checkpoint_entries("run", "org/base", {100: Path("100")}, "http://h/v1", chats))
    for text in (*blocks, starter, trained):
        yield from tomllib.loads(text).items()


def players() -> dict[str, JsonObject]:
    """Return each documented entry whole, and for each key one that has nothing else."""
    whole: dict[str, JsonObject] = {}
    for name, entry in documented():
        whole[name] = whole.get(name, {}) | entry
    return whole | {key: {key: value} for entry in whole.values() for key, value in entry.items()}


def as_toml(name: str, entry: JsonObject, url: str) -> str:
    """Return the lines of an entry, at this server."""

    def write(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{json.dumps(key)} = {write(of)}" for key, of in value.items()) + " }"
        return json.dumps(value)

    changed = {"base_url": url, "tokenizer": "tokenizer.json"}
    kept = {key: changed.get(key, value) for key, value in entry.items()}
    return "\n".join([f"[{json.dumps(name)}]", *(f"{key} = {write(value)}" for key, value in kept.items())])


def play(names: Sequence[str], url: str) -> tuple[JsonObject, list[tuple[str, str]]]:
    """Play a tiny edition; return the facts that its evaluation states, and player and status of episodes."""
    given = {"benchmark": "beyondbench", "tasks": ["addition"], "instances": 1, "edition": "e", "seed": 5}
    settings = load_settings({**given, "players": list(names), "runs": 1, "base_url": url, "root": "data"})
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    plans = settle_seed(prepared.plan, settings.seed, store)
    for plan in (plans.growth, plans.evaluation):
        staging = Staging(store, plan.unit)
        staging.write_plan(plan)
        policies = Policies.read(settings, prepared.part.inputs)
        grow(open_workspace(store.root, plan.unit), policies, PlainStages())
        if not is_evaluation(plan.unit):
            with staging.scratch_folder() as folder:
                publish(store, plan, {}, [], datetime.now(UTC), consolidate(staging, folder), {}, None)
    rows = [row for key in staging.done_keys() for row in staging.read_batch(key, "episodes")]
    return plans.evaluation.facts, [(row["player"], row["status"]) for row in rows]


def test_the_docs_show_every_key_of_an_entry() -> None:
    assert {key for _, entry in documented() for key in entry} == set(ModelEntry.model_fields)


# Of one benchmark: entries are read, and requests made of them, by what all benchmarks share.
@pytest.mark.slow
def test_every_key_of_every_documented_entry_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tokenizers")
    entries = players()
    models = {*entries, *(entry["model"] for entry in entries.values() if "model" in entry)}
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.setenv(name, "sk-0123456789")
    Path("tokenizer.json").write_text(json.dumps(TOKENIZER))
    with running_server(ServerOptions(models=tuple(sorted(models)), roles="tests.server.one_word")) as server:
        written = [as_toml(name, entry, server.url) for name, entry in entries.items()]
        Path("models.toml").write_text("\n\n".join(written))
        facts, episodes = play(list(entries), server.url)
    assert {player for player, _ in episodes} == set(entries)
    assert {status for _, status in episodes} <= {"solved", "wrong", "unparsed"}
    assert facts["gemma"]["parameters_billion"] == 27
