"""Stage 2: sample the instances of configurations and a setting, and solve each one exactly.

Chunk after chunk, so that memory does not grow with their number: of the chunks before, only the ids are
held. Which instances an edition gets does not depend on the size of a chunk.
"""

from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from itertools import count

from perennial.flows.kumo.edition import KumoEdition, WorkCell
from perennial.flows.stages.workspace import Policies, Workspace, available_threads
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import CONSTRUCTIVE, SOLVER, Instance, Setting
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance, signature
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import solver_name
from perennial.tasks.kumo.search.solve import WORK_LIMIT, Optimum, Solution, optimum_columns, solve_exactly
from perennial.tasks.kumo.worlds import World, draw_world, make_counterfactual
from perennial.warehouse.editions.issued_ids import EitherSet, IdSet, issued_instances
from perennial.warehouse.kumo.published_domains import published_domains
from perennial.warehouse.kumo.rows import (
    config_row,
    domain_row,
    draw_row,
    instance_row,
    outcome_rows,
    shared_instance_row,
)

# Stages `worlds` and `counterfactuals`: domains that are drawn with the edition's seed.


def draw_worlds(workspace: Workspace, _batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the edition's worlds: the first ones of its seed that no edition has held."""
    worlds = _choose_worlds(workspace)
    return {
        "kumo_domains": [
            domain_row(
                world.config, "world", world.kind, None if world.sparsity is None else str(world.sparsity)
            )
            for world in worlds
        ],
        "kumo_seed_configs": [config_row(world.config, []) for world in worlds],
        "kumo_outcomes": [row for world in worlds for row in outcome_rows(world.config)],
    }


def draw_counterfactuals(workspace: Workspace, _batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the counterfactuals of the given domains."""
    edition = KumoEdition(workspace)
    configs = [
        make_counterfactual(edition.config(config_id).config, workspace.seed)
        for config_id in edition.plan.configs
    ]
    return {
        "kumo_domains": [domain_row(config, "counterfactual") for config in configs],
        "kumo_seed_configs": [config_row(config, []) for config in configs],
        "kumo_outcomes": [row for config in configs for row in outcome_rows(config)],
    }


def _choose_worlds(workspace: Workspace) -> list[World]:
    edition = KumoEdition(workspace)
    published = published_domains(workspace.staging.store, workspace.growth.known_editions)
    used = {name for name, _ in published}
    used |= {edition.domain_name(config_id) for config_id in edition.plan.configs}
    chosen: dict[str, World] = {}
    for index in count():
        if len(chosen) == edition.plan.worlds:
            break
        world = draw_world(workspace.seed, index, edition.plan.sparse)
        if world.config.name not in used:
            chosen.setdefault(world.config.name, world)
    return list(chosen.values())


# The optimum of an instance as columns of `kumo_instances`, and back.


def optimum_from_row(row: Row, instance: Instance) -> Optimum | None:
    """Return the optimum that a row of `kumo_instances` holds."""
    if row["promise_status"] == "none":
        return None
    golden = row["promise_golden"]
    *actions, answer = golden or [None]
    return Optimum(
        status=row["promise_status"],
        steps=row["promise_steps"],
        least_steps=row["promise_steps_low"],
        policy_steps=row["policy_steps"],
        actions=tuple(instance.actions.index(action) for action in actions),
        answer=None if answer is None else instance.truths.index(answer),
    )


_UNSOLVED_ALLOWED = 10
_UNSOLVED = "search_work_limit"
_WHY_UNSOLVED = (
    f"the exact search passed {WORK_LIMIT} million steps, so that the optimum is unknown; "
    "another instance was drawn in its place"
)


def sample(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of one chunk of a setting's instances, of each configuration of the cell.

    Raises what stops an edition: UnsatisfiableSetting, InstancesExhausted, or InvalidOption where the search
    cannot cope with the setting. A single instance that passes the search's limit of work becomes a row of
    `rejections`, and another one is drawn in its place.
    """
    edition, cell = KumoEdition(workspace), WorkCell.from_batch(batch)
    issued = issued_instances(workspace.staging.store, workspace.growth.known_editions)
    tables: dict[str, Rows] = {"instances": [], "kumo_instances": [], "kumo_draws": [], "rejections": []}
    earlier = _read_drawn_ids(edition, cell)
    for config_id in edition.configs_of(cell):
        _add_sample(tables, edition, cell, config_id, issued, earlier)
    return tables


def _read_drawn_ids(edition: KumoEdition, cell: WorkCell) -> IdSet:
    """The ids of all that was drawn for the chunks before: instances, and those left unsolved."""
    workspace = edition.workspace
    drawn = _Drawn.find_kept(workspace.staging.store.root, workspace.plan.edition, cell.group, cell.setting)
    for chunk in range(drawn.chunks, cell.chunk):
        batch = WorkCell(cell.group, cell.setting, chunk).batch("sample")
        unsolved = [row["subject"] for row in workspace.rows(batch, "rejections") if row["rule"] == _UNSOLVED]
        drawn.ids.update(workspace.column(batch, "kumo_instances", "instance_id") + unsolved)
        drawn.chunks += 1
    return drawn.ids


class _Drawn:
    """The ids drawn for the first `chunks` chunks of a cell's configuration, kept between chunks."""

    def __init__(self) -> None:
        self.ids = IdSet()
        self.chunks = 0

    @staticmethod
    @lru_cache(maxsize=1)
    def find_kept(_root: str, _edition: str, _group: int, _setting: str) -> "_Drawn":
        return _Drawn()


def _add_sample(
    tables: dict[str, Rows],
    edition: KumoEdition,
    cell: WorkCell,
    config_id: str,
    issued: IdSet,
    earlier: IdSet,
) -> None:
    """Add the rows of a configuration's chunk; `earlier` are the ids drawn for the chunks before."""
    plan = edition.plan
    encoded = edition.config(config_id)
    setting = Setting.parse(cell.setting)
    shared: Rows = []
    instances: Rows = []
    rejections: Rows = []
    drawn: set[str] = set()
    counts: Counter[str] = Counter()
    while (missing := edition.size(cell) - len(instances)) > 0:
        request = SamplingRequest(
            setting,
            missing,
            edition.workspace.seed,
            plan.min_expected_steps,
            plan.require_test,
            first_index=len(earlier) + len(drawn),
            asked_in_all=plan.instances,
            found_before=len(earlier) + len(instances),
            sampler=plan.sampler,
            engine=SOLVER,
        )
        sample = sample_instances(encoded, request, known_ids=EitherSet(issued, earlier, drawn))
        if sample.shortfall is not None:
            raise sample.shortfall
        drawn.update(sample.ids)
        counts.update(asdict(sample.counts))
        boards = [encode_instance(encoded, instance) for instance in sample.instances]
        solutions = solve_exactly(boards, plan.is_balanced, available_threads())
        for instance, instance_id, board, solution in zip(
            sample.instances, sample.ids, boards, solutions, strict=True
        ):
            if solution.expected_steps is None:
                rejections.append(Rejection("sample", instance_id, _UNSOLVED, _WHY_UNSOLVED).row())
            else:
                instances.append(_row(config_id, instance, instance_id, board, solution))
                shared.append(
                    shared_instance_row(
                        instance, instance_id=instance_id, domain=encoded.config.name, setting=cell.setting
                    )
                )
        _refuse_endless(encoded, setting, len(instances), len(rejections))
    tables["instances"] += shared
    tables["kumo_instances"] += instances
    engine = SOLVER if plan.is_balanced else CONSTRUCTIVE
    tables["kumo_draws"].append(
        draw_row(config_id, cell.setting, cell.chunk, len(instances), engine, solver_name(engine), counts)
    )
    tables["rejections"] += rejections


def _refuse_endless(encoded: EncodedConfig, setting: Setting, solved: int, unsolved: int) -> None:
    if unsolved > _UNSOLVED_ALLOWED + solved:
        raise InvalidOption(
            f"setting {setting.name} of domain {encoded.config.name!r} is too large for the exact search: "
            f"{unsolved} instances passed {WORK_LIMIT} million steps and {solved} did not; "
            "choose a smaller one"
        )


def _row(
    config_id: str, instance: Instance, instance_id: str, board: EncodedInstance, solution: Solution
) -> dict[str, object]:
    assert solution.expected_steps is not None
    return instance_row(
        instance,
        instance_id=instance_id,
        config_id=config_id,
        expected_steps=solution.expected_steps,
        golden=solution.golden_moves(instance),
        signature=signature(board),
        optimum=optimum_columns(instance, solution.optimum),
    )
