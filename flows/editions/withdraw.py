"""Withdraw an edition or an evaluation, or reinstate it: the figures are computed before readers see it."""

from datetime import UTC, datetime

from perennial.flows.console import progress
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import visible_evaluations, visible_units_if
from perennial.warehouse.catalog.withdrawals import reinstate, withdraw
from perennial.warehouse.lock import this_process
from perennial.warehouse.store.store import Store


def withdraw_unit(store: Store, unit: str, why: str) -> None:
    """Hide a published edition or evaluation from readers; raise EditionConflict where it is hidden."""
    _analyse_as_if(store, unit, is_visible=False)
    withdraw(store, unit, why, utc_now(), operator())


def reinstate_unit(store: Store, unit: str, why: str) -> None:
    """Show a withdrawn edition or evaluation again; raise EditionConflict where it is not withdrawn."""
    _analyse_as_if(store, unit, is_visible=True)
    reinstate(store, unit, why, utc_now(), operator())


def utc_now() -> str:
    """The time in UTC as records keep it, to the second."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def operator() -> str:
    """Who does this, as user@host."""
    owner = this_process()
    return f"{owner.user}@{owner.host}"


def _analyse_as_if(store: Store, unit: str, *, is_visible: bool) -> None:
    """Keep the figures with or without the unit, before readers see that."""
    from perennial.flows.stages.compute_statistics import renew_scale

    if trouble := renew_scale(store, visible_units_if(store, unit, is_visible=is_visible)):
        progress.note(trouble)
    if not is_evaluation(unit):
        return
    from perennial.flows.stages.compute_statistics import analyse_edition
    from perennial.warehouse.catalog.later_statistics import keep_analysis

    edition, _ = split_unit(unit)
    visible = [other for other in visible_evaluations(store, edition) if other != unit]
    evaluations = [*visible, unit] if is_visible else visible
    keep_analysis(store, edition, evaluations, analyse_edition(store, edition, evaluations))
