"""Stage 2: sample the instances of one configuration and setting, and solve each one exactly."""

from flows.workspace import Workspace, open_workspace, stage_once
from schemas.kumo import Instance, Setting
from tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import Solution, solve_instances
from tasks.kumo.topology import signature
from warehouse.catalog import issued_instances
from warehouse.kumo_rows import instance_row, rejection_row
from warehouse.stage import Rows


def sample_batch(root: str, edition: str, config_id: str, setting_name: str) -> dict[str, int]:
    """Stage the instances of one configuration and setting; return the row counts.

    Raises what stops an edition: UnsatisfiableSetting or InstancesExhausted. An instance that the
    search cannot solve in time is no instance of the edition, but a row of `rejections`.
    """
    workspace = open_workspace(root, edition)
    key = workspace.sample_key(config_id, setting_name)
    return stage_once(workspace, key, lambda: _sampled(workspace, config_id, Setting.parse(setting_name)))


def _sampled(workspace: Workspace, config_id: str, setting: Setting) -> dict[str, Rows]:
    plan = workspace.plan
    encoded = workspace.config(config_id)
    sample = sample_instances(
        encoded,
        SamplingRequest(setting, plan.instances, plan.seed, plan.min_expected_steps),
        known_ids=issued_instances(workspace.staging.store, plan.known_editions),
    )
    if sample.shortfall is not None:
        raise sample.shortfall
    boards = [encode_instance(encoded, instance) for instance in sample.instances]
    instances: Rows = []
    rejections: Rows = []
    for instance, instance_id, board, solution in zip(
        sample.instances, sample.ids, boards, solve_instances(boards), strict=True
    ):
        if solution.expected_steps is None:
            rejections.append(_unsolved(instance_id))
        else:
            instances.append(_row(encoded, setting, instance, instance_id, board, solution))
    return {"kumo_instances": instances, "rejections": rejections}


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
        "sample",
        instance_id,
        "search_time_limit",
        "the exact search passed its time limit, so that the optimum is unknown; choose a smaller setting",
    )
