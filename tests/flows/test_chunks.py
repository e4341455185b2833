"""An edition grown in chunks is the one grown at once, and resumes between chunks."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo import edition as working
from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages import play_episodes
from perennial.flows.stages.grow import Work, grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.schemas.settings import RefreshSettings, load_settings
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import edition_content
from tests.warehouse.tiny_edition import staged_rows

pytestmark = pytest.mark.slow

ASKED = {
    "domains": ["mineral_identification"],
    "settings": ["easy"],
    "instances": 25,
    "seed": 0,
    "runs": 2,
    "edition": "chunked",
}
METALS = ("gold", "silver", "brass")
COINS = SeedConfig(
    "Coins",
    METALS,
    ("bite", "weigh"),
    tuple(
        Outcome(action, "str", tuple(OutcomeState(out, None, None, (out,)) for out in METALS))
        for action in ("bite", "weigh")
    ),
    goal="find the metal",
)


def _begin(root: Path, asked: dict[str, Any]) -> tuple[RefreshSettings, Any]:
    settings = load_settings({**asked, "root": str(root)})
    prepared = prepare_refresh(settings, Store(str(root)))
    if not prepared.resumed:
        for plan in (prepared.plan.growth, prepared.plan.evaluation):
            Staging(Store(str(root)), plan.unit).write_plan(plan)
    return settings, prepared


def _grow_rows(root: Path, asked: dict[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    settings, prepared = _begin(root, asked)
    for plan in (prepared.plan.growth, prepared.plan.evaluation):
        policies = Policies.read(settings, prepared.part.inputs)
        grow(open_workspace(str(root), plan.unit), policies, PlainStages())
        audit_and_publish(str(root), plan.unit)
    return edition_content(root, prepared.plan.edition)


def _files(root: Path) -> dict[str, bytes]:
    """Return the content of the published files that hold no wall-clock value, by name."""
    tables = ("instances", "kumo_instances", "kumo_books", "turns", "kumo_moves", "kumo_episodes")
    places = [*(f"tables/{name}" for name in tables), "analyses/statistics"]
    found = {place: sorted(root.glob(f"{place}/edition=chunked/*.parquet")) for place in places}
    assert [place for place, files in found.items() if not files] == []
    return {str(file.relative_to(root)): file.read_bytes() for files in found.values() for file in files}


def test_chunks_change_no_row_and_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = _grow_rows(tmp_path / "at once", ASKED)
    for module in (working, play_episodes):
        monkeypatch.setattr(module, "CHUNK", 10)
    in_chunks = _grow_rows(tmp_path / "in chunks", ASKED)
    # Draws are counted per batch, and the audit counts the rows of that table.
    counts = ("editions", "kumo_draws", "validations", "audits")
    content = {name: (at_once[name], in_chunks[name]) for name in at_once if name not in counts}
    assert [name for name, (one, other) in content.items() if one != other] == []
    assert len(in_chunks["kumo_instances"]) == 25
    assert _files(tmp_path / "at once") == _files(tmp_path / "in chunks")


def _sample(root: str, config_id: str, setting: str) -> dict[str, int]:
    edition = working.KumoEdition(open_workspace(root, "chunked"))
    cells = [c for c in edition.cells if (edition.configs_of(c), c.setting) == ((config_id,), setting)]
    batches = [cell.batch("sample") for cell in cells]
    return Work(root, "chunked", tuple(batches), Policies.read(load_settings({}))).run()


def _with_domain(root: Path, asked: dict[str, Any]) -> tuple[Staging, str, str]:
    """Return a staged edition with its domain, and the configuration and setting to sample."""
    settings, prepared = _begin(root, asked)
    workspace = open_workspace(str(root), "chunked")
    domain = (working.batch_of_given(prepared.plan.growth.own["configs"][0]),)
    Work(str(root), "chunked", domain, Policies.read(settings, prepared.part.inputs)).run()
    return workspace.staging, prepared.plan.growth.own["configs"][0], prepared.plan.growth.own["settings"][0]


def test_sampling_resumes_between_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "CHUNK", 3)
    cut, *cell = _with_domain(tmp_path / "cut", ASKED)
    before, write = len(cut.done_keys()), Staging.write_batch

    def write_two(self: Staging, key: str, tables: Any) -> dict[str, int]:
        if len(self.done_keys()) == before + 2:
            raise KeyboardInterrupt
        return write(self, key, tables)

    with monkeypatch.context() as patch:
        patch.setattr(Staging, "write_batch", write_two)
        with pytest.raises(KeyboardInterrupt):
            _sample(str(tmp_path / "cut"), *cell)
    assert len(cut.done_keys()) == before + 2
    assert _sample(str(tmp_path / "cut"), *cell)["kumo_instances"] == ASKED["instances"]
    monkeypatch.setattr(working, "CHUNK", 1_000)
    whole, *cell = _with_domain(tmp_path / "whole", ASKED)
    _sample(str(tmp_path / "whole"), *cell)
    assert staged_rows(cut, "kumo_instances").equals(staged_rows(whole, "kumo_instances"))


def test_a_shortfall_counts_the_chunks_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = tmp_path / "coins.json"
    domain.write_text(json.dumps(COINS.as_json()))
    asked = {**ASKED, "domains": [str(domain)], "settings": ["2x1"], "instances": 100}
    told = []
    for chunk in (1, 2, 100):
        monkeypatch.setattr(working, "CHUNK", chunk)
        _, *cell = _with_domain(tmp_path / str(chunk), asked)
        with pytest.raises(InstancesExhausted) as caught:
            _sample(str(tmp_path / str(chunk)), *cell)
        told.append(str(caught.value))
    assert "100 new ones were asked for" in told[0]
    assert len(set(told)) == 1
