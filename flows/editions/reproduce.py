"""Rebuild a published edition from its plan, its configurations and its stored replies, and compare.

Nobody is asked and nothing of the data root is changed: the work is done in a folder of its own, which
holds what the edition's refresh could see: what its stages read of the editions before it.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from flows.refresh.plan import code_version
from flows.run.plain_stages import PlainStages
from flows.stages.grow import grow
from flows.stages.policies import Policies
from flows.stages.workspace import open_workspace
from schemas.benchmark import Benchmark, find_benchmark
from schemas.calls import CallPolicy
from schemas.errors import InvalidOption
from schemas.plan import RefreshPlan
from warehouse.catalog.catalog import published_editions, table_file
from warehouse.catalog.external_scores import score_files
from warehouse.editions.compare import Sameness, compare_edition
from warehouse.editions.publish import published_plan
from warehouse.editions.stored_replies import stored_replies
from warehouse.ledger.ledger import CallLedger, ledger_file
from warehouse.staging.merge_parts import consolidate
from warehouse.staging.staging import Staging
from warehouse.store.store import Store

_POLICIES = Policies(CallPolicy(base_url="http://replay.invalid", replay=True), accept_api_errors=True)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What became of each table, and which versions of perennial made them."""

    edition: str
    published_by: str
    rebuilt_by: str
    tables: tuple[Sameness, ...]

    @property
    def same(self) -> bool:
        """Whether all tables hold the same rows, wall-clock columns aside."""
        return all(table.same_rows for table in self.tables)


def reproduce_edition(store: Store, edition: str, folder: Path, tell: Callable[[str], None]) -> Reproduction:
    """Rebuild the edition in an empty folder and compare it with what was published.

    `tell` is given a line a stage. Raises InvalidOption for an edition that is not published or was
    imported, Damaged where its calls are not what was written.
    """
    plan = _plan(store, edition)
    benchmark = find_benchmark(plan.benchmark)
    work = Store(str(folder))
    _bring_what_was_seen(store, plan, benchmark, work)
    _fill_ledger(store, edition, work)
    staging = Staging(work, edition)
    staging.write_plan(plan)
    policies = replace(_POLICIES, inputs=benchmark.inputs_of(store, edition) if benchmark.inputs_of else None)
    grow(open_workspace(work.root, edition), policies, PlainStages(tell))
    rebuilt = folder / "rebuilt"
    rebuilt.mkdir()
    tables = compare_edition(store, edition, consolidate(staging, rebuilt))
    return Reproduction(edition, plan.code_version, code_version(), tables)


def _plan(store: Store, edition: str) -> RefreshPlan:
    editions = published_editions(store)
    if edition not in editions:
        known = ", ".join(editions) or "none"
        raise InvalidOption(f"edition {edition!r} is not published in {store.root}; published: {known}")
    plan = published_plan(store, edition)
    if plan.growth.imported_from:
        raise InvalidOption(
            f"edition {edition!r} was imported: it comes from its files, not from a seed; "
            "`perennial verify` says whether it is what was imported"
        )
    return plan


def _bring_what_was_seen(store: Store, plan: RefreshPlan, benchmark: Benchmark, work: Store) -> None:
    """Copy what the refresh could see: of earlier editions, and the scores that its figures refer to."""
    seen = {"editions", *(table for stage in benchmark.growing() for table in stage.earlier)}
    names = [table_file(table, earlier) for earlier in plan.growth.known_editions for table in sorted(seen)]
    if _refers_to_scores(store, plan.edition):
        names += score_files(store)
    for name in names:
        if store.exists(name):
            work.write_bytes(name, store.read_bytes(name))


def _refers_to_scores(store: Store, edition: str) -> bool:
    """Whether a figure of the published edition compares with another benchmark's scores."""
    named = set(store.read_table(table_file("statistics", edition), ["other"])["other"].to_pylist())
    return any(
        named & set(store.read_table(name, ["benchmark"])["benchmark"].to_pylist())
        for name in score_files(store)
    )


def _fill_ledger(store: Store, edition: str, work: Store) -> None:
    """Put the edition's calls into the ledger of the folder."""

    async def store_all(ledger: CallLedger) -> None:
        for request, reply in stored_replies(store, edition):
            await ledger.store(request, reply)

    with CallLedger(ledger_file(work.root), edition, _POLICIES.calls.base_url) as ledger:
        asyncio.run(store_all(ledger))
