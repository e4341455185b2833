"""Audit what is published: do all expectations still hold of an edition's tables?"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from perennial.flows.refresh.publish import local_questions
from perennial.flows.run.process_pool import spread_over
from perennial.flows.stages.compute_statistics import analyse_edition, compute_scale
from perennial.schemas.errors import AuditFailed
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import Rows
from perennial.schemas.tables import staged_tables
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.audit.audit import audit, describe_broken
from perennial.warehouse.catalog.catalog import published_units, visible_editions, visible_evaluations
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.later_statistics import analysis_of, keep_analysis
from perennial.warehouse.editions.manifest import count_rows
from perennial.warehouse.editions.publish import unit_plan
from perennial.warehouse.editions.selectors import require_any, select_unit, select_units
from perennial.warehouse.lock import lock_root
from perennial.warehouse.merge_parts import write_sorted
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.warehouse.audit.great_expectations import CheckpointRunner


# Compute the statistics of published editions again, without any model call.


def analyse_editions(
    store: Store,
    edition: str | None,
    tell: Callable[[str], None],
    step: Callable[[str], None] = lambda name: None,
) -> dict[str, int]:
    """Compute and keep the figures of the edition, or of all that are not withdrawn; return their numbers.

    `tell` gets a line for each edition, `step` its name while it is at work.
    Raises InvalidOption where it is not published, UnreadableInput where none is.
    """
    editions = visible_editions(store)
    require_any(store, editions)
    chosen = editions if edition is None else (select_unit(store, edition, editions),)
    with lock_root(store, f"analyse {edition or 'every edition'}", tell):
        numbers = {}
        for name in chosen:
            step(name)
            evaluations = visible_evaluations(store, name)
            statistics = analyse_edition(store, name, evaluations, spread=spread_over(None))
            visible_file = analysis_of(store, name, evaluations)
            if visible_file is not None and store.read_table(visible_file).equals(statistics):
                result = "as before"
            else:
                keep_analysis(store, name, evaluations, statistics)
                result = f"kept in {store.location('analyses')}"
            tell(f"{name}: {statistics.num_rows:,} statistics, {result}")
            numbers[name] = statistics.num_rows
        step("scale over all editions")
        compute_scale(store)
    return numbers


IMPORTED = "imported, so not audited: its findings are in `rejections`"


def units_to_audit(store: Store, edition: str | None) -> tuple[str, ...]:
    """The edition with its evaluations, one evaluation, or everything that is published.

    Raises InvalidOption where it is not published, UnreadableInput where nothing is.
    """
    units = published_units(store)
    require_any(store, units)
    return units if edition is None else select_units(store, edition, units)


def audit_unit(
    store: Store, unit: str, runner: "CheckpointRunner | None" = None
) -> tuple[str, tuple[str, ...]]:
    """Audit a published edition or evaluation: how it went in words, and the rules that are broken.

    What was copied from others is skipped, since it is kept as it was found. `runner` is that of several
    audits, of which Data Docs are to be built.
    """
    if unit_plan(store, unit).is_copied:
        return IMPORTED, ()
    rows = _audit_tables(store, unit, runner)
    broken = tuple(
        describe_broken(row) for row in rows if not row["success"] and row["severity"] == "critical"
    )
    if broken:
        return f"{len(broken)} of {len(rows):,} expectations are broken", broken
    published = store.read_table(table_file("audits", unit), ["suite"]).num_rows
    once = published - len(rows)
    more = f"; {once:,} more were checked while it was grown, and are not checked again" if once else ""
    return f"all {len(rows):,} expectations hold{more}", ()


def require_expectations(broken: dict[str, tuple[str, ...]], store: Store) -> None:
    """Raise AuditFailed, naming each broken expectation of each edition, where there is one."""
    failures = "; ".join(f"{edition}: {text}" for edition, texts in broken.items() for text in texts)
    if failures:
        raise AuditFailed(
            f"the audit of what is published in {store.root} failed: {failures}. Published tables are never "
            "changed: compare them with a copy, and withdraw an edition that nobody should use"
        )


def _audit_tables(store: Store, unit: str, runner: "CheckpointRunner | None") -> Rows:
    plan, answers = unit_plan(store, unit), is_evaluation(unit)
    with TemporaryDirectory(prefix="perennial-audit-") as folder:
        names = {name: table_file(name, unit) for name in staged_tables(plan.benchmark, answers=answers)}
        rows = count_rows(store, unit)
        files = {
            name: store.local_file(file, Path(folder) / name)
            if rows.get(name)
            else write_sorted(name, (), Path(folder), unit)  # without rows
            for name, file in names.items()
        }
        questions = local_questions(store, split_unit(unit)[0], Path(folder)) if answers else None
        edition = plan if isinstance(plan, EditionPlan) else None
        return audit(files, questions, unit, runner, edition).rows
