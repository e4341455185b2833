"""Rebuild a published edition from its plan, its configurations and its stored replies, and compare; or an
evaluation from its edition and its stored replies.

No model is asked and nothing of the data root is changed: the work is done in a folder of its own, which
holds what the refresh could see: what its stages read of the editions before it, or the edition that was
played.
"""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.refresh.publish import question_tables
from perennial.flows.run.code_version import code_version
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.errors import InvalidOption
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import stored_replies, unit_plan
from perennial.warehouse.editions.seeds import find_seed, seed_file
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.editions.verify import Sameness, compare_unit
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

_POLICIES = Policies(CallPolicy(base_url="http://replay.invalid", replay=True), accept_api_errors=True)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What became of each table of an edition or evaluation, and which versions of perennial made them."""

    unit: str
    published_by: str
    rebuilt_by: str
    tables: tuple[Sameness, ...]

    @property
    def same(self) -> bool:
        """Whether all tables hold the same rows, wall-clock columns aside."""
        return all(table.same_rows for table in self.tables)


def reproduce_unit(store: Store, named: str | None, folder: Path) -> Reproduction:
    """Rebuild an edition or evaluation in an empty folder and compare it with what was published.

    Raises InvalidOption where it is not published, was imported or has a seed
    that is unknown here, Damaged where its calls are not what was written.
    """
    unit = select_unit(store, named, published_units(store))
    plan = _plan(store, unit)
    benchmark = find_benchmark(plan.benchmark)
    work = Store(str(folder))
    _copy_visible_data(store, plan, benchmark, work)
    _fill_ledger(store, unit, work)
    staging = Staging(work, unit)
    staging.write_plan(plan)
    edition_seed = _find_seed(store, plan)
    inputs = benchmark.read_inputs(store, unit) if isinstance(plan, EditionPlan) else None
    grow(open_workspace(work.root, unit, edition_seed), replace(_POLICIES, inputs=inputs), PlainStages())
    rebuilt = folder / "rebuilt"
    rebuilt.mkdir()
    tables = compare_unit(store, unit, consolidate(staging, rebuilt))
    return Reproduction(unit, plan.code_version, code_version(), tables)


def _plan(store: Store, unit: str) -> Plan:
    plan = unit_plan(store, unit)
    if plan.is_copied:
        raise InvalidOption(
            f"{describe_unit(unit)} was imported: it comes from its files, not from a seed; "
            "`perennial verify` says whether it is what was imported"
        )
    if isinstance(plan, EvaluationPlan) and plan.people:
        raise InvalidOption(
            f"{describe_unit(unit)} was played by people, who do not play again: `perennial audit` grades "
            "their moves again, and `perennial verify` says whether its files are what was published"
        )
    return plan


def _find_seed(store: Store, plan: Plan) -> int | None:
    if not isinstance(plan, EditionPlan):
        return None
    seed = find_seed(store, plan)
    if seed is None:
        raise InvalidOption(
            f"edition {plan.edition!r} is reproduced from its secret seed, which is not kept here: "
            f"{seed_file(store.root, plan.seed_commitment)} is missing, and the seed was not revealed (its "
            f"operator can: `perennial editions reveal {plan.edition}`)"
        )
    return seed


def _copy_visible_data(store: Store, plan: Plan, benchmark: Benchmark, work: Store) -> None:
    """Copy what could be seen: of earlier editions, or the plan of the edition played and its questions."""
    if isinstance(plan, EditionPlan):
        seen = {"editions", *(table for stage in benchmark.stages() for table in stage.earlier)}
        names = [table_file(table, earlier) for earlier in plan.known_editions for table in sorted(seen)]
    else:
        names = [table_file(table, plan.edition) for table in ("editions", *question_tables())]
    for name in names:
        if store.exists(name):
            work.write_bytes(name, store.read_bytes(name))


def _fill_ledger(store: Store, edition: str, work: Store) -> None:
    """Put the edition's calls into the ledger of the folder."""

    async def store_all(ledger: CallLedger) -> None:
        for request, reply in stored_replies(store, edition):
            await ledger.store(request, reply)

    with CallLedger(ledger_file(work.root), edition, _POLICIES.calls.base_url) as ledger:
        asyncio.run(store_all(ledger))
