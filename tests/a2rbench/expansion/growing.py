"""Grow an edition of rules that are staged as stage `rules` would: here, or by this module's command.

python -m tests.a2rbench.expansion.growing ROOT URL
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perennial.flows.a2rbench.edition import catalogue_id
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.a2rbench.things import A2RBenchPlan, RuleAuthoringPlan
from perennial.schemas.benchmark import Batch
from perennial.schemas.plan import EditionPlan
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.a2rbench.authored_rules import AUTHOR, SQUARES, SWAP, TURN, rule_row

DOMAINS = ("line_symbolic", "line_semantic", "grid_symbolic")
VARIATIONS = 2
# Another author has written the code of SWAP, and a third one a rule for the same inputs.
TWIN = replace(SQUARES, name=SWAP.name, code=SWAP.code)
RULES = {
    "line_symbolic": [rule_row(SWAP, 0)],
    "line_semantic": [rule_row(SQUARES, 0), rule_row(TWIN, 1)],
    "grid_symbolic": [rule_row(TURN, 0)],
}


def begin(root: Path, rules: Mapping[str, Sequence[Mapping[str, Any]]] = RULES) -> Workspace:
    """Stage the rules as stage `rules` would."""
    params: dict[str, dict[str, dict[str, Any]]] = {"expander": {"m-expander": {}}, "judge": {"m-judge": {}}}
    authoring = RuleAuthoringPlan((AUTHOR,), "m-judge", "m-expander", 1, 2, params)
    own = A2RBenchPlan(2, VARIATIONS, True, catalogue_id(), find_protection().tier, authoring)
    plan = EditionPlan("e1", "a2rbench", own.as_json(), 3, (), "test")
    staging = Staging(Store(str(root)), "e1")
    staging.write_plan(plan)
    workspace = open_workspace(str(root), "e1")
    for domain in ("line_symbolic", "line_semantic", "grid_symbolic", "grid_semantic", "cube_symbolic"):
        rows = [dict(row) for row in rules.get(domain, [])]
        staging.write_batch(workspace.key(Batch("rules", (domain,))), {"a2rbench_rules": rows})
    staging.write_batch(workspace.key(Batch("rules", ("cube_semantic",))), {})
    return workspace


def grow_all(workspace: Workspace, url: str) -> None:
    """Grow what is not staged yet, with the models of this server."""
    grow(workspace, Policies(CallPolicy(url), accept_api_errors=False), PlainStages())


if __name__ == "__main__":
    grow_all(begin(Path(sys.argv[1])), sys.argv[2])
