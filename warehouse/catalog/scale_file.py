"""Where table `scale` is kept: the players of all visible editions on one scale.

As with statistics, the name of the file says which evaluations it is computed from: views never show figures
of others than those that are visible.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from perennial.schemas.ids import content_id
from perennial.schemas.statistics.analysis_tables import SCALE
from perennial.schemas.units import is_evaluation
from perennial.warehouse.store.store import Store
from perennial.warehouse.store.versioned_files import latest_version, write_version

if TYPE_CHECKING:
    import pyarrow

SCALES = f"analyses/{SCALE.name}"


def scale_files(store: Store, units: Iterable[str]) -> list[str]:
    """Return the name of the file of the scale over these editions and evaluations; none: not computed."""
    found = latest_version(store, SCALES, _stem(units))
    return [found] if found else []


def superseded_scales(store: Store, units: Iterable[str]) -> list[str]:
    """Return the names of all files that are not the scale over these, relative to the data root."""
    current = scale_files(store, units)
    return [file for name in store.names(SCALES) if (file := f"{SCALES}/{name}") not in current]


def keep_scale(store: Store, units: Iterable[str], table: "pyarrow.Table") -> None:
    """Keep the scale over these editions and evaluations; equal rows give equal bytes."""
    write_version(store, SCALES, _stem(units), table)


def _stem(units: Iterable[str]) -> str:
    return content_id("evaluations", sorted(filter(is_evaluation, units)))
