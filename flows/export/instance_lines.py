"""Instances as JSON Lines: what a model is shown first, and on request what the answer is."""

import json
from collections.abc import Iterator
from pathlib import Path

from perennial.flows.export.games import open_seat
from perennial.flows.export.source import Source
from perennial.schemas.errors import InvalidOption
from perennial.schemas.rows import JsonObject, Row
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.export_tables import ExportedFile, describe_file

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
    found = False
    for ids in source.chunks():
        shared = {
            row["instance_id"]: row for row in rows_with(store, "instances", edition, "instance_id", ids)
        }
        answers: dict[str, JsonObject] = {id_: {} for id_ in ids}
        for table in answer_tables:
            for row in rows_with(store, table, edition, "instance_id", ids):
                answers[row["instance_id"]][table] = row
        for seat in source.benchmark.take_seats(store, edition, ids, {}):
            found = True
            yield {
                **{name: shared[seat.instance_id][name] for name in _COLUMNS},
                "edition": edition,
                "canary": plan.canary,
                "messages": open_seat(seat).messages,
                **({"answer": answers[seat.instance_id]} if with_answers else {}),
            }
    if not found:
        raise InvalidOption(
            f"no instance of edition {source.edition!r} can be played, as none was checked: export it with "
            "--format parquet"
        )
