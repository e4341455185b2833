"""Stage 2: sample the instances of one configuration and setting, and solve each one exactly."""

import os
from collections.abc import Container
from dataclasses import dataclass
from math import inf

from flows.workspace import Batch, Workspace, open_workspace, stage_once
from schemas.errors import InvalidOption
from schemas.kumo import Instance, Rejection, Setting
from tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import WORK_LIMIT, Solution, solve_instances
from tasks.kumo.topology import signature
from warehouse.catalog import issued_instances
from warehouse.kumo_rows import instance_row, rejection_row
from warehouse.stage import Rows

_UNSOLVED_ALLOWED = 10


def sample_batch(root: str, edition: str, batch: Batch) -> dict[str, int]:
    """Stage the instances of one batch, and of those before it of its setting; return its row counts.

    Raises what stops an edition: UnsatisfiableSetting, InstancesExhausted, or InvalidOption where the
    search cannot cope with the setting. A single instance that passes the search's limit of work becomes
    a row of `rejections`, and another one is drawn in its place.
    """
    workspace = open_workspace(root, edition)
    key = workspace.key("sample", batch)
    return stage_once(
        workspace, key, lambda: _sampled(workspace, batch.config_id, Setting.parse(batch.setting))
    )


def _sampled(workspace: Workspace, config_id: str, setting: Setting) -> dict[str, Rows]:
    plan = workspace.plan
    encoded = workspace.config(config_id)
    issued = issued_instances(workspace.staging.store, plan.known_editions)
    instances: Rows = []
    rejections: Rows = []
    drawn: set[str] = set()
    while (missing := plan.instances - len(instances)) > 0:
        request = SamplingRequest(
            setting, missing, plan.seed, plan.min_expected_steps, first_index=len(drawn)
        )
        sample = sample_instances(encoded, request, known_ids=_Either(issued, drawn))
        if sample.shortfall is not None:
            raise sample.shortfall
        drawn.update(sample.ids)
        boards = [encode_instance(encoded, instance) for instance in sample.instances]
        solutions = solve_instances(
            boards, time_limit=inf, work_limit=WORK_LIMIT, threads=os.cpu_count() or 1
        )
        for instance, instance_id, board, solution in zip(
            sample.instances, sample.ids, boards, solutions, strict=True
        ):
            if solution.expected_steps is None:
                rejections.append(_unsolved(instance_id))
            else:
                instances.append(_row(encoded, setting, instance, instance_id, board, solution))
        _refuse_endless(encoded, setting, len(instances), len(rejections))
    return {"kumo_instances": instances, "rejections": rejections}


@dataclass(frozen=True, slots=True)
class _Either:
    """Ids that are in one of two sets, without a copy of the large one."""

    issued: Container[str]
    drawn: Container[str]

    def __contains__(self, instance_id: object) -> bool:
        return instance_id in self.issued or instance_id in self.drawn


def _refuse_endless(encoded: EncodedConfig, setting: Setting, solved: int, unsolved: int) -> None:
    if unsolved > _UNSOLVED_ALLOWED + solved:
        raise InvalidOption(
            f"setting {setting.name} of domain {encoded.config.name!r} is too large for the exact search: "
            f"{unsolved} instances passed {WORK_LIMIT} million steps and {solved} did not; "
            "choose a smaller one"
        )


def _row(
    encoded: EncodedConfig,
    setting: Setting,
    instance: Instance,
    instance_id: str,
    board: EncodedInstance,
    solution: Solution,
) -> dict[str, object]:
    assert solution.expected_steps is not None
    assert solution.golden_answer is not None
    golden = [instance.actions[action] for action in solution.golden_actions]
    return instance_row(
        instance,
        instance_id=instance_id,
        config_id=encoded.config.config_id,
        setting=setting.name,
        expected_steps=solution.expected_steps,
        golden=[*golden, instance.truths[solution.golden_answer]],
        signature=signature(board),
    )


def _unsolved(instance_id: str) -> dict[str, object]:
    return rejection_row(
        Rejection(
            "sample",
            instance_id,
            "search_work_limit",
            f"the exact search passed {WORK_LIMIT} million steps, so that the optimum is unknown; "
            "another instance was drawn in its place",
        )
    )
