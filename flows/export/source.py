"""What an export is made of: a published edition, and which of its instances are left out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.export.games import SEATS_AT_ONCE, instance_ids, open_seat
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import Message
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject, Row
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, rows_with
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.export_tables import ExportedFile, describe_file, export_tables, exported_units
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
    def select(
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
        taken = (seat for ids in self.chunks() for seat in seats(self.store, self.edition, ids, {}))
        return {seat.instance_id: open_seat(seat).messages for seat in taken}

    def chunks(self) -> Iterator[tuple[str, ...]]:
        """Yield the ids of the instances that are exported, in order, some at a time."""
        ids = [id_ for id_ in instance_ids(self.store, self.edition) if id_ not in self.private_ids]
        for start in range(0, len(ids), SEATS_AT_ONCE):
            yield tuple(ids[start : start + SEATS_AT_ONCE])


# Instances as JSON Lines: what a model is shown first, and on request what the answer is.


FILE = "instances.jsonl"
_COLUMNS = ("instance_id", "benchmark", "domain", "setting", "index")


def write_instances(source: Source, folder: Path) -> list[ExportedFile]:
    """Write the instances, one per line, into `instances.jsonl`; return what describes the file.

    A line has the instance's id, benchmark, domain, setting and number, the edition with its canary, and the
    `messages` by which a model is asked. With answers it has `answer`: the row of the instance in each table
    of the benchmark that has one row per instance. Raises InvalidOption where no instance can be played.
    """
    written = 0
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for line in read_instances(source, with_answers=source.with_answers):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            written += 1
    return [describe_file(folder, FILE, "instances", written, len(source.private_ids))]


def read_instances(source: Source, *, with_answers: bool) -> Iterator[Row]:
    """Yield the instances in order; raise InvalidOption where none can be played."""
    store, edition, plan = source.store, source.edition, source.plan
    answer_tables = [
        table.name
        for table in source.benchmark.declaration.tables
        if table.kind == "questions" and table.key == ("instance_id",) and with_answers
    ]
    has_rows = False
    for ids in source.chunks():
        shared = {
            row["instance_id"]: row for row in rows_with(store, "instances", edition, "instance_id", ids)
        }
        answers: dict[str, JsonObject] = {id_: {} for id_ in ids}
        for table in answer_tables:
            for row in rows_with(store, table, edition, "instance_id", ids):
                answers[row["instance_id"]][table] = row
        for seat in source.benchmark.take_seats(store, edition, ids, {}):
            has_rows = True
            yield {
                **{name: shared[seat.instance_id][name] for name in _COLUMNS},
                "edition": edition,
                "canary": plan.canary,
                "messages": open_seat(seat).messages,
                **({"answer": answers[seat.instance_id]} if with_answers else {}),
            }
    if not has_rows:
        raise InvalidOption(
            f"no instance of edition {source.edition!r} can be played, as none was checked: export it with "
            "--format parquet"
        )


# An edition as a folder of Parquet tables, laid out as in a data root, answers included.


def write_tables(source: Source, folder: Path) -> list[ExportedFile]:
    """Write all tables and return what describes their files."""
    return export_tables(source.store, source.edition, folder, leave_out=source.leave_out)
