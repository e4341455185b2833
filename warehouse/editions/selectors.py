"""Which edition or evaluation a name on the command line means: `latest`, `latest~1`, or its own name."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from perennial.schemas.errors import InvalidOption, UnreadableInput, suggest
from perennial.schemas.units import describe_unit, evaluation_of, is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.store.store import Store

LATEST = "latest"
_SHOWN = 12  # editions that an error lists
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SELECTOR = re.compile(rf"{LATEST}(~(?P<back>\d{{1,6}}))?")


def select_unit(
    store: Store, selector: str | None, units: Sequence[str], benchmark: str | None = None
) -> str:
    """Which of the known editions and evaluations is meant, the newest edition where nothing is given.

    `latest~1` is the edition published before the newest one; `latest@2` is an evaluation of the newest one,
    both of the benchmark, if one is given.
    Raises UnreadableInput where nothing is known, InvalidOption where that one is not.
    """
    require_any(store, units)
    edition, name = split_unit(LATEST if selector is None else selector)
    match = _SELECTOR.fullmatch(edition)
    if match:
        edition = _by_age(store, int(match["back"] or 0), edition, units, benchmark)
    unit = evaluation_of(edition, name) if name else edition
    if unit not in units or (selector or "").endswith("@"):
        alike = [other for other in units if is_evaluation(other) == is_evaluation(unit)]
        if name and not alike and any(map(is_evaluation, published_units(store))):
            raise InvalidOption(
                f"{selector!r} names an evaluation; expected an edition; "
                f"published: {_name_some(units)}{suggest(edition, units)}"
            )
        raise InvalidOption(
            f"{store.root} has no published {describe_unit(selector or unit)} (it may be withdrawn); "
            f"published: {_name_some(alike)}{suggest(selector or unit, (*alike, LATEST))}"
        )
    return unit


def select_units(store: Store, selector: str | None, units: Sequence[str]) -> tuple[str, ...]:
    """What `select_unit` returns and, of an edition, all of its known evaluations."""
    chosen = select_unit(store, selector, units)
    return (chosen, *(unit for unit in units if unit != chosen and split_unit(unit)[0] == chosen))


def require_any(store: Store, units: Sequence[str]) -> None:
    """Raise UnreadableInput unless there is an edition to choose from."""
    if not units:
        problem, remedy = "no edition is published", "run `perennial refresh` first"
        if published_units(store):
            problem, remedy = "every edition is withdrawn", "`perennial editions list --all` says why"
        raise UnreadableInput(f"{problem} in {store.root!r}: {remedy}, or name another --root")


def read_publication_time(store: Store, unit: str) -> datetime:
    """When the edition or evaluation was published."""
    (created,) = store.read_table(row_file(unit), ["created_at"])["created_at"]
    # Not `as_py`, which imports pandas.
    return _EPOCH + timedelta(microseconds=created.value)


def _read_benchmark(store: Store, edition: str) -> str:
    return str(store.read_table(row_file(edition), ["benchmark"])["benchmark"][0])


def _name_some(units: Sequence[str]) -> str:
    more = len(units) - _SHOWN
    rest = f" and {more} more (`perennial editions list` lists them)" if more > 0 else ""
    return (", ".join(units[:_SHOWN]) or "none") + rest


def _by_age(store: Store, back: int, selector: str, units: Sequence[str], benchmark: str | None) -> str:
    editions = [unit for unit in units if not is_evaluation(unit) and store.exists(row_file(unit))]
    if benchmark is not None:
        editions = [edition for edition in editions if _read_benchmark(store, edition) == benchmark]
        if not editions:
            raise InvalidOption(
                f"{store.root} has no published edition of {benchmark}: run `perennial refresh --benchmark "
                f"{benchmark}` first, or name another --root"
            )
    newest = sorted(((read_publication_time(store, edition), edition) for edition in editions), reverse=True)
    if back >= len(newest):
        raise InvalidOption(
            f"{selector}: editions to choose from in {store.root}: {len(newest)}; the oldest is "
            f"{LATEST}~{len(newest) - 1}"
        )
    return newest[back][1]
