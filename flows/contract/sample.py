"""A small edition of a benchmark with its evaluation, made in this process, for the checks to look at."""

from dataclasses import dataclass
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.refresh.planning.plan import PreparedRefresh, prepare_refresh
from perennial.flows.refresh.planning.settle_seed import settle_seed
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.form import STANDARD
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

EDITION = "contract"
_SMALLEST = "tiny"


@dataclass(frozen=True)
class Sample:
    """A published edition and evaluation of a benchmark, and a folder for what a check writes."""

    benchmark: Benchmark
    store: Store
    prepared: PreparedRefresh
    growth: EditionPlan
    evaluation: EvaluationPlan
    folder: Path


def make_sample(name: str, folder: Path, **changed: object) -> Sample:
    """Publish an edition of the benchmark's smallest size, played by its programs, in a root in the folder.

    `changed` are settings that differ. Raises what a refresh raises, InvalidOption where no such benchmark is
    installed.
    """
    benchmark = find_benchmark(name)
    size = _SMALLEST if _SMALLEST in benchmark.declaration.settings().sizes else STANDARD
    root = folder / "data"
    asked = {"benchmark": name, "size": size, "seed": 1, "runs": 1, "edition": EDITION, "root": str(root)}
    settings = load_settings(asked | changed)
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    refresh = settle_seed(prepared.plan, settings.seed, store)
    # As `perennial.flows.refresh.several.begin_run`: an edition that is staged has its evaluation's plan
    # beside it.
    for plan in (refresh.evaluation, refresh.growth):
        Staging(store, plan.unit).write_plan(plan)
    policies = Policies.of(settings, prepared.own.inputs)
    for plan in (refresh.growth, refresh.evaluation):
        grow(open_workspace(store.root, plan.unit), policies, PlainStages())
        audit_and_publish(store.root, plan.unit)
        Staging(store, plan.unit).remove()
    return Sample(benchmark, store, prepared, refresh.growth, refresh.evaluation, folder)
