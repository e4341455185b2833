"""Stage 2: sample the instances of one configuration and setting, and solve each one exactly.

Chunk after chunk, so that memory does not grow with their number: of the chunks before, only the ids are
held. Which instances an edition gets does not depend on the size of a chunk.
"""

from collections import Counter
from math import inf

from flows.kumo.kernels import search_threads
from flows.stages.workspace import Batch, Workspace, open_workspace
from schemas.errors import InvalidOption
from schemas.kumo import Instance, Rejection, Setting
from tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.search import WORK_LIMIT, Solution, solve_instances
from tasks.kumo.topology import signature
from warehouse.editions.id_set import EitherSet, IdSet
from warehouse.editions.issued_ids import issued_instances
from warehouse.kumo.rows import instance_row, rejection_row
from warehouse.staging.staging import Rows

_UNSOLVED_ALLOWED = 10
_UNSOLVED = "search_work_limit"


def sample_batch(root: str, edition: str, config_id: str, setting: str) -> dict[str, int]:
    """Stage all instances of a configuration and setting, chunk after chunk; return their row counts.

    Chunks that are staged already are passed over. Raises what stops an edition: UnsatisfiableSetting,
    InstancesExhausted, or InvalidOption where the search cannot cope with the setting. A single instance
    that passes the search's limit of work becomes a row of `rejections`, and another one is drawn in its
    place.
    """
    workspace = open_workspace(root, edition)
    issued = issued_instances(workspace.staging.store, workspace.plan.known_editions)
    drawn = IdSet()
    counts: Counter[str] = Counter()
    for batch in workspace.chunks(config_id, setting):
        key = workspace.key("sample", batch)
        if not workspace.staging.is_done(key):
            tables = _sampled(workspace, batch, issued, drawn)
            workspace.staging.write_batch(key, tables)
        drawn.update(_ids_of_chunk(workspace, key))
        counts.update(workspace.staging.counts(key))
    return dict(counts)


def _ids_of_chunk(workspace: Workspace, key: str) -> list[str]:
    """Return the ids of all that was drawn for a staged chunk: its instances, and those left unsolved."""
    staging = workspace.staging
    unsolved = [row["subject"] for row in staging.read_batch(key, "rejections") if row["rule"] == _UNSOLVED]
    return staging.read_column(key, "kumo_instances", "instance_id") + unsolved


def _sampled(workspace: Workspace, batch: Batch, issued: IdSet, earlier: IdSet) -> dict[str, Rows]:
    """Return the rows of a chunk; `earlier` are the ids that were drawn for the chunks before."""
    plan = workspace.plan
    encoded = workspace.config(batch.config_id)
    setting = Setting.parse(batch.setting)
    instances: Rows = []
    rejections: Rows = []
    drawn: set[str] = set()
    while (missing := workspace.size(batch) - len(instances)) > 0:
        request = SamplingRequest(
            setting,
            missing,
            plan.seed,
            plan.min_expected_steps,
            first_index=len(earlier) + len(drawn),
            asked_in_all=plan.instances,
            found_before=len(earlier) + len(instances),
        )
        sample = sample_instances(encoded, request, known_ids=EitherSet(issued, earlier, drawn))
        if sample.shortfall is not None:
            raise sample.shortfall
        drawn.update(sample.ids)
        boards = [encode_instance(encoded, instance) for instance in sample.instances]
        solutions = solve_instances(boards, time_limit=inf, work_limit=WORK_LIMIT, threads=search_threads())
        for instance, instance_id, board, solution in zip(
            sample.instances, sample.ids, boards, solutions, strict=True
        ):
            if solution.expected_steps is None:
                rejections.append(_unsolved(instance_id))
            else:
                instances.append(_row(batch, instance, instance_id, board, solution))
        _refuse_endless(encoded, setting, len(instances), len(rejections))
    return {"kumo_instances": instances, "rejections": rejections}


def _refuse_endless(encoded: EncodedConfig, setting: Setting, solved: int, unsolved: int) -> None:
    if unsolved > _UNSOLVED_ALLOWED + solved:
        raise InvalidOption(
            f"setting {setting.name} of domain {encoded.config.name!r} is too large for the exact search: "
            f"{unsolved} instances passed {WORK_LIMIT} million steps and {solved} did not; "
            "choose a smaller one"
        )


def _row(
    batch: Batch,
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
        config_id=batch.config_id,
        setting=batch.setting,
        expected_steps=solution.expected_steps,
        golden=[*golden, instance.truths[solution.golden_answer]],
        signature=signature(board),
    )


def _unsolved(instance_id: str) -> dict[str, object]:
    return rejection_row(
        Rejection(
            "sample",
            instance_id,
            _UNSOLVED,
            f"the exact search passed {WORK_LIMIT} million steps, so that the optimum is unknown; "
            "another instance was drawn in its place",
        )
    )
