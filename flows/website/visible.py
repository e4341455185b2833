"""What a website shows of a data root: its visible editions, and the keys of what they are made from."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from perennial.flows.benchmark import Benchmark, find_installed
from perennial.schemas.ids import canonical_json
from perennial.schemas.plan import EditionPlan
from perennial.schemas.presentation import Presentation
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.later_statistics import analysis_of, scale_files
from perennial.warehouse.disclosure import is_retired, reveal_file, revealed_seed
from perennial.warehouse.editions.manifest import code_sha256, manifest_file, seal_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

_TIMES = "SELECT edition, created_at FROM editions ORDER BY edition"
_ANSWERED = "SELECT edition, max(created_at) FROM evaluations GROUP BY edition"


@dataclass(frozen=True, slots=True)
class Edition:
    """A visible edition: its units, when it and its newest evaluation were published, what is disclosed.

    `seed` is None while it is secret. `key` is of all that the edition's page and downloads are made from.
    """

    name: str
    plan: EditionPlan
    units: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    manifest_sha256: str
    is_retired: bool
    seed: int | None
    key: str

    @property
    def benchmark(self) -> str:
        """The name of its benchmark."""
        return self.plan.benchmark

    @property
    def has_download(self) -> bool:
        """Whether its tables are offered: the licence of imported data is not ours to give."""
        return not self.plan.imported_from


def present(benchmark: str) -> Presentation:
    """Return how the benchmark introduces itself; by its name alone where it does not."""
    installed = find_installed(benchmark)
    if installed is None or not installed.offers(Benchmark.presentation):
        return Presentation(benchmark, (), "")
    return installed.presentation()


def read_editions(store: Store, catalog: Catalog, trials: Collection[str] = ()) -> list[Edition]:
    """Return the editions that the catalog shows, the newest first; of those that are trials these alone."""
    created: dict[str, datetime] = dict(catalog.query(_TIMES)[1])
    answered: dict[str, datetime] = dict(catalog.query(_ANSWERED)[1])
    found = []
    for name in catalog.editions:
        units = tuple(unit for unit in catalog.units if split_unit(unit)[0] == name)
        plan = read_published_plan(store, name)
        if plan.is_trial and name not in trials:
            continue
        at = created[name].astimezone(UTC)
        found.append(
            Edition(
                name,
                plan,
                units,
                at,
                max(at, answered.get(name, at).astimezone(UTC)),
                hashlib.sha256(store.read_bytes(manifest_file(name))).hexdigest(),
                is_retired(store, name),
                plan.seed if plan.seed is not None else revealed_seed(store, plan),
                key_of_edition(store, name, plan.benchmark, units),
            )
        )
    return sorted(found, key=lambda edition: (edition.created_at, edition.name), reverse=True)


def key_of_edition(store: Store, edition: str, benchmark: str, units: Sequence[str]) -> str:
    """Return a digest of the code and of all that is published of the edition."""
    return digest(
        code_sha256(),
        present(benchmark),
        [
            hashlib.sha256(store.read_bytes(name)).hexdigest()
            for unit in units
            for name in _sealed(store, unit)
        ],
        analysis_of(store, edition, units),
        is_retired(store, edition),
        store.exists(reveal_file(edition)),
    )


def key_of_root(store: Store, editions: Iterable[Edition], units: Sequence[str]) -> str:
    """Return a digest of the code and of all that pages over several editions are made from."""
    return digest([edition.key for edition in editions], scale_files(store, units))


def digest(*values: object) -> str:
    """Return the SHA-256 of these values."""
    return hashlib.sha256(canonical_json([repr(value) for value in values]).encode()).hexdigest()


def _sealed(store: Store, unit: str) -> list[str]:
    """Return the files that hold the digests of all others of the unit, and of its row."""
    return [name for name in (manifest_file(unit), seal_file(unit)) if store.exists(name)]
