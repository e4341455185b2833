"""A data root with a tiny edition of each benchmark, played by models of known weaknesses and by programs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.planning.plan import prepare_refresh
from perennial.flows.refresh.planning.settle_seed import settle_seed
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.flows.stages.grow import grow
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.settings import load_settings
from perennial.schemas.units import is_evaluation
from perennial.warehouse.editions.publish import publish
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.profiles.scripted_models import MODELS
from tests.server.options import ServerOptions
from tests.server.running import running_server

KEY = "sk-scripted-0123456789abcdef"
# The one without a price is `lost`.
PRICES = "".join(
    f'["{model}"]\nprompt_usd_per_million = {place + 1}\ncompletion_usd_per_million = {2 * place + 1}\n'
    for place, model in enumerate(MODELS[:-1])
)
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    "k": {
        "benchmark": "kumo",
        "domains": ["chemical_analysis", "mineral_identification"],
        "settings": ["easy"],
        "instances": 2,
        "players": ["algorithm-3"],
    },
    "b": {
        "benchmark": "beyondbench",
        "tasks": ["addition", "tower_of_hanoi/disks_3", "modular_systems/basic"],
        "instances": 4,
        "runs": 2,
        "players": ["exact"],
    },
    "l": {"benchmark": "knowlogic", "domains": ["nature", "social"], "questions": 3, "players": ["exact"]},
    "a": {"benchmark": "a2rbench", "seeds": 1, "variations": 0, "players": ["search", "identity"]},
}


def grow_all(folder: Path) -> Path:
    """Publish all editions with one evaluation each; return the data root."""
    root = folder / "data"
    options = ServerOptions(keys=(KEY,), models=MODELS, roles="tests.profiles.scripted_models")
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        (folder / "models.toml").write_text(PRICES)
        for edition, flags in EDITIONS.items():
            players = [*flags["players"], *MODELS]
            given = {"runs": 1, **flags, "players": players, "edition": edition, "base_url": server.url}
            refresh(root, **given, seed=5)
    return root


def refresh(root: Path, **flags: Any) -> None:
    """Publish an edition and its first evaluation, in this process, without Prefect and without the audit."""
    settings = load_settings({**flags, "root": str(root)})
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    plans = settle_seed(prepared.plan, settings.seed, store)
    for plan in (plans.growth, plans.evaluation):
        staging = Staging(store, plan.unit)
        staging.write_plan(plan)
        policies = Policies.of(settings, prepared.own.inputs)
        grow(open_workspace(store.root, plan.unit), policies, PlainStages())
        with staging.scratch_folder() as folder:
            files = consolidate(staging, folder)
            figures = analyse_edition(store, plan.edition, (), files) if is_evaluation(plan.unit) else None
            publish(store, plan, {}, [], datetime.now(UTC), files, {}, figures)
        staging.remove()
