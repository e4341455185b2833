"""What an export is made of: a published edition, and which of its instances are left out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.export.games import SEATS_AT_ONCE, instance_ids, open_seat
from perennial.schemas.model_calls import Message
from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.export_tables import exported_units
from perennial.warehouse.store.store import Store


@dataclass(frozen=True)
class Source:
    """The edition, whether its private instances are left out, and whether answers are written."""

    store: Store
    edition: str
    plan: EditionPlan
    leave_out: bool
    with_answers: bool
    licence: str
    # Files cached below are of an edition, which never changes.
    units: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, store: Store, plan: EditionPlan, licence: str, *, leave_out: bool, with_answers: bool
    ) -> "Source":
        """Return the source of the edition with those of its evaluations that are visible."""
        units = exported_units(store, plan.edition)
        return cls(store, plan.edition, plan, leave_out, with_answers, licence, units)

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the edition."""
        return find_benchmark(self.plan.benchmark)

    @cached_property
    def catalog(self) -> Catalog:
        """The edition and its evaluations, for queries."""
        return open_catalog(self.store, self.units)

    @cached_property
    def private_ids(self) -> frozenset[str]:
        """The instances that are left out."""
        return private_ids(self.store, self.edition) if self.leave_out else frozenset()

    @cached_property
    def openings(self) -> dict[str, list[Message]]:
        """What a model is shown first of each exported instance that can be played, by its id."""
        seats = self.benchmark.take_seats
        found = (seat for ids in self.chunks() for seat in seats(self.store, self.edition, ids, {}))
        return {seat.instance_id: open_seat(seat).messages for seat in found}

    def chunks(self) -> Iterator[tuple[str, ...]]:
        """Yield the ids of the instances that are exported, in order, some at a time."""
        ids = [id_ for id_ in instance_ids(self.store, self.edition) if id_ not in self.private_ids]
        for start in range(0, len(ids), SEATS_AT_ONCE):
            yield tuple(ids[start : start + SEATS_AT_ONCE])
