"""What an export is made of: a published edition, and which of its instances are left out."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import Game, Opening, Result, Seat
from perennial.schemas.model_calls import Message, Reply
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.tables import TABLES
from perennial.tasks.llm.replies import read_message
from perennial.tasks.play import enter_reply
from perennial.warehouse.catalog.catalog import (
    Catalog,
    Contents,
    open_catalog,
    read_batches,
    rows_with,
    visible_editions,
)
from perennial.warehouse.catalog.confinement import quote, table_sql
from perennial.warehouse.catalog.dictionary import question_views
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.export_tables import ExportedFile, describe_file, export_tables, exported_units
from perennial.warehouse.store.store import Store

# Play instances of a published edition from your own program: its messages, your reply, what comes back.
#
# This is for programs that are no part of perennial: an agent, a training loop, another framework. The root
# is a data root, or the folder of a `perennial export` with tables, which holds no private instance.

SEATS_AT_ONCE = 1_000


class Conversation:
    """One run on one instance: `messages` are what to send next, `take` what to do with the reply."""

    def __init__(self, instance_id: str, game: Game, opening: Opening) -> None:
        self.instance_id = instance_id
        self._game = game
        self._kept = [*(opening.kept or opening.messages)]
        self._messages = [*opening.messages]
        self._tail = opening.tail

    @property
    def messages(self) -> list[Message]:
        """The conversation so far, as a model is sent it: `role` and `content` of each message."""
        return [*self._messages]

    @property
    def result(self) -> Result | None:
        """How it ended: status, success, and a score from 0 to 1; None while it continues."""
        return self._game.result()

    def take(self, reply: str) -> str | None:
        """Take the next reply and return the observation; None where the run has ended.

        Reasoning in the reply is split off first, as for `perennial evaluate`
        (`perennial.tasks.llm.reasoning`). Raises InvalidOption once the run has ended.
        """
        return self.enter(read_message({"content": reply}))

    def enter(self, reply: Reply) -> str | None:
        """Do what `take` does with a reply that was read already."""
        if self._game.result() is not None:
            raise InvalidOption(f"the run on {self.instance_id} has ended: start another one")
        observation = enter_reply(self._game, reply)
        if observation is not None:
            last = self._game.next_message()
            self._kept += [{"role": "assistant", "content": reply.content}, last]
            self._messages = [*self._kept[:-1], {**last, "content": last["content"] + self._tail}]
        return observation


class Games:
    """The games of one edition, started by the ids of their instances."""

    def __init__(self, store: Store, edition: str) -> None:
        self._store = store
        self._plan = read_published_plan(store, edition)
        self.edition = edition
        self.instance_ids = instance_ids(store, edition)
        self._places = {id_: position for position, id_ in enumerate(self.instance_ids)}

    def start(self, instance_id: str, variant: str = "") -> Conversation:
        """Begin a run on the instance, shown as models usually see it, or in another variant.

        Raises InvalidOption for an instance that the edition does not hold, or that cannot be played.
        """
        if instance_id not in self._places:
            raise InvalidOption(f"edition {self.edition!r} holds no instance {instance_id!r}")
        first = self._places[instance_id] // SEATS_AT_ONCE * SEATS_AT_ONCE
        wanted = self.instance_ids[first : first + SEATS_AT_ONCE]
        seats = _read_seats(self._store, self._plan.benchmark, self.edition, wanted)
        seats_by_id = {seat.instance_id: seat for seat in seats}
        if instance_id not in seats_by_id:
            raise InvalidOption(f"instance {instance_id!r} cannot be played: no version of it was checked")
        return open_seat(seats_by_id[instance_id], variant)


def open_seat(seat: Seat, variant: str = "") -> Conversation:
    """Begin a run on the seat, shown in this variant."""
    game = seat.start()
    return Conversation(seat.instance_id, game, game.opening(variant))


def open_games(root: str | Path, edition: str = "latest") -> Games:
    """Open the games of the edition, by default the newest; raise InvalidOption for an unknown one."""
    store = Store(str(root))
    return Games(store, select_unit(store, edition, visible_editions(store)))


def instance_ids(store: Store, edition: str) -> tuple[str, ...]:
    """The ids of all instances of a published edition, by domain, setting and number."""
    columns = ("domain", "setting", "index", "instance_id")
    rows: list[tuple[str, str, int, str]] = []
    for batch in read_batches(store, "instances", edition, columns, 1 << 13):
        rows += zip(*(batch[name].to_pylist() for name in columns), strict=True)
    return tuple(id_ for *_, id_ in sorted(rows))


@lru_cache(maxsize=2)
def _read_seats(store: Store, benchmark: str, edition: str, wanted: Sequence[str]) -> tuple[Seat, ...]:
    return tuple(find_benchmark(benchmark).take_seats(store, edition, wanted, {}))


@dataclass(frozen=True)
class Source:
    """The edition, whether its private instances are left out, and whether answers are written."""

    store: Store
    plan: EditionPlan
    licence: str
    leave_out: bool
    with_answers: bool
    dataset: str = ""  # where the questions are on the Hugging Face Hub

    @property
    def edition(self) -> str:
        """The name of the edition."""
        return self.plan.edition

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the edition."""
        return find_benchmark(self.plan.benchmark)

    # What is cached is of an edition, which never changes.

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The edition and its visible evaluations."""
        return exported_units(self.store, self.edition)

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
        """The ids of the exported instances, in order, `SEATS_AT_ONCE` at a time."""
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
    """The instances in order; raise InvalidOption if none can be played."""
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


def write_database(source: Source, folder: Path) -> list[ExportedFile]:
    """Write all tables, views and macros into one DuckDB file, in a form that DuckDB reads from 1.2 on."""
    import duckdb

    path = folder / f"{source.edition}.duckdb"
    with TemporaryDirectory(prefix=".tables-", dir=folder) as parts:
        files = export_tables(source.store, source.edition, Path(parts), leave_out=source.leave_out)
        names: dict[str, list[str]] = {name: [] for name in TABLES}
        for file in files:
            names[file.table] += [str(Path(parts) / file.name)] if file.rows else []
        tables = {name: table_sql(table, names[name]) for name, table in TABLES.items()}
        contents = Contents(Store(parts), source.units, names, {**tables, **question_views()})
        with closing(duckdb.connect()) as connection:
            connection.execute(f"ATTACH {quote(str(path))} AS exported (STORAGE_VERSION 'v1.2.0')")
            connection.execute("USE exported")
            connection.execute(contents.script(copies=True))
    whole = describe_file(folder, path.name, "all", sum(file.rows for file in files), 0)
    # What was left out is counted by table.
    return [whole, *(replace(file, rows=0, size=0) for file in files)]
