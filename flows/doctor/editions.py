"""Looks at what is published, what is staged, and the files beside them."""

from collections.abc import Iterator
from functools import partial

from perennial.flows.doctor.check import Check, Look, fail_by, warn
from perennial.flows.run.code_version import code_version
from perennial.flows.stages.completeness import progress_of
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.errors import Damaged, EditionConflict
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.editions.integrity import beside_flaws, relation_flaws, staged_state
from perennial.warehouse.editions.verify import verifiable_units, verify_unit
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store

_RESTORE = "restore the named files from a copy"
_LISTED = "make the folders of the root readable"


def edition_looks(store: Store) -> Iterator[Look]:
    """Yield a look at each published and each staged edition, and at the files beside them."""
    editions = verifiable_units(store)
    staged = [name for name in store.names("staging") if not name.startswith(".")]
    if not editions:
        yield Look("editions", _LISTED, lambda: "none is published yet")
    for edition in editions:
        kind = "evaluation" if is_evaluation(edition) else "edition"
        yield Look(f"{kind} {edition}", _RESTORE, partial(_edition, store, edition))
    yield Look("withdrawals", _RESTORE, partial(_withdrawals, store))
    yield Look("other files", _RESTORE, partial(_other_files, store))
    if not staged:
        yield Look("staging", _LISTED, lambda: "nothing is staged")
    for edition in staged:
        staging = Staging(store, edition)
        yield Look(f"staging {edition}", staging.remedy, partial(_check_staged, staging))


def _edition(store: Store, edition: str) -> str | Check:
    verification = verify_unit(store, edition)
    damage = [f"{finding.file}: {finding.message}" for finding in verification.findings if finding.is_damage]
    if edition in published_units(store):
        damage += relation_flaws(store, edition)
    if damage:
        remedy = (
            f"restore the named files from a copy; until then `perennial editions --withdraw {edition} "
            "--why TEXT` hides it from readers"
        )
        return fail_by(damage, remedy)
    unlisted = [finding.file for finding in verification.findings if finding.problem == "unlisted"]
    if unlisted:
        return warn(f"{unlisted[0]} does not belong to it", "move such files away")
    return (
        f"{verification.files:,} files of {verification.bytes:,} bytes, {verification.rows:,} rows as they "
        "were published; keys and references hold"
    )


def _withdrawals(store: Store) -> str:
    withdrawn = withdrawn_units(store)
    return f"withdrawn: {', '.join(withdrawn)}" if withdrawn else "none is withdrawn"


def _other_files(store: Store) -> str | Check:
    count, flaws = beside_flaws(store)
    if flaws:
        remedy = (
            "move the named files away, then make them again: `perennial analyse EDITION` for analyses, "
            "`perennial import scores` for scores"
        )
        return fail_by(flaws, remedy)
    return f"{count:,} files of later analyses and other scores, all readable"


def _check_staged(staging: Staging) -> str | Check:
    store, unit = staging.store, staging.unit
    try:
        plan = staging.read_plan()
    except EditionConflict as error:
        return warn(str(error), staging.remedy)
    if plan is None:
        return fail_by([f"{staging.folder} has no plan.json"], staging.remedy)
    state = staged_state(staging)
    if state.flaws:
        return fail_by(state.flaws, staging.remedy)
    published = published_units(store)
    remedy = f"remove it with `perennial editions --prune-staging {unit}`"
    if unit in published:
        return warn("left over: it is published", remedy)
    edition, name = split_unit(unit)
    if name and edition not in published:
        if edition in staged_units(store):
            return f"begins when {edition} is published"
        return warn(f"left over: {edition} is neither published nor staged", remedy)
    try:
        progress = progress_of(Workspace(staging, plan))
    except Damaged as error:
        return fail_by([str(error).removesuffix(f": {staging.remedy}")], staging.remedy)
    if progress.unasked:
        return fail_by([f"batch {key} is not in the plan" for key in progress.unasked], staging.remedy)
    done = len(progress.asked) - len(progress.missing)
    staged = (
        f"{done:,} of {len(progress.asked):,} batches known so far are staged, {state.parts:,} parts as they "
        "were written"
    )
    if plan.code_version != code_version():
        return warn(
            f"{staged}; perennial {plan.code_version} began it, and {code_version()} does not resume it",
            remedy,
        )
    return f"{staged}; the same command with the same settings resumes it"
