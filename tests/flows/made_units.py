"""Editions and evaluations made in this process, stage by stage, without Prefect or Great Expectations."""

from pathlib import Path
from typing import Any

from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.flows.refresh.plan import prepare_refresh, settle_seed
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.plan import Plan
from perennial.schemas.settings import RefreshSettings, load_settings
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.plain_audit import plain_suites

SETTINGS = {"domains": ["chemical_analysis"], "settings": ["easy"], "instances": 3, "runs": 2, "seed": 0}


def make_edition(root: Path, edition: str, **changed: Any) -> None:
    """Publish an edition and its first evaluation; of KUMO with SETTINGS, but for what is changed."""
    usual = {} if "benchmark" in changed else SETTINGS
    settings = load_settings({**usual, "edition": edition, "root": str(root), **changed})
    prepared = prepare_refresh(settings, Store(str(root)))
    refresh = settle_seed(prepared.plan, settings.seed, Store(str(root)))
    for plan in (refresh.growth, refresh.evaluation):
        make_unit(settings, plan, prepared.part.inputs)


def make_evaluation(root: Path, edition: str, name: str = "", **changed: Any) -> str:
    """Publish an evaluation of the edition and return its whole name."""
    settings = load_settings({"edition": edition, "root": str(root), "runs": 2, **changed})
    plan = prepare_evaluation(settings, Store(str(root)), name)
    make_unit(settings, plan)
    return plan.unit


def make_unit(settings: RefreshSettings, plan: Plan, inputs: Any = None) -> None:
    """Stage and publish what the plan says."""
    staging = Staging(Store(settings.root), plan.unit)
    staging.write_plan(plan)
    grow(open_workspace(settings.root, plan.unit), Policies.read(settings, inputs), PlainStages())
    with plain_suites():
        audit_and_publish(settings.root, plan.unit)
    staging.remove()
