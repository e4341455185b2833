"""What the gate finds out of each instance of an edition, and which earlier instances it may repeat.

Ten million earlier instances are narrowed by a sum of hashes of their truths' and actions' names, which does
not depend on their order: no name is compared. What is left, hardly anything, is handed on with its content.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged
from perennial.schemas.ids import canonical_json
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.catalog import read_batches, rows_with
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

    Sums = npt.NDArray[np.uint64]


FACTS = "gate"
READ_BY_GRAMMAR, READ_BY_MODEL, NOT_READ = "grammar", "model", "none"

_BATCH_ROWS = 1 << 15
_NAMES = {"truth": "truths", "action": "actions"}
_CONTENT = ["instance_id", "config_id", "truths", "actions", "states", "observations"]
_WORD = 1 << 64


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """What the gate found out of one instance.

    `canonical_id` is derived from its content, `names` the sum of hashes of its truths' and actions' names,
    `book` a hash of the book's text that players are shown (None: it is not played), `read_by` who read it.
    `has_control`: the template's book that stands beside a model's was read by its grammar.
    """

    instance_id: str
    canonical_id: str
    names: int
    is_trivial: bool
    book: str | None
    read_by: str
    has_control: bool = False


@dataclass(frozen=True)
class BatchFacts:
    """The facts of a batch: `about` is what else was found, as JSON, among it what they were found in."""

    about: Row
    columns: "pyarrow.Table"


def name_hash(kind: str, name: str) -> int:
    """Return 64 bits for the name of a `truth` or an `action`."""
    return int.from_bytes(hashlib.blake2b(f"{kind}\x1f{name}".encode(), digest_size=8).digest(), "little")


def names_sum(truths: Iterable[str], actions: Iterable[str]) -> int:
    """Return the sum of the names' hashes modulo 2^64, the same in any order."""
    hashes = [name_hash("truth", name) for name in truths] + [name_hash("action", name) for name in actions]
    return sum(hashes) % _WORD


def text_hash(text: str) -> str:
    """Return 128 bits for a book's text, in hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def facts_schema() -> "pyarrow.Schema":
    """Return the columns of `InstanceFacts`."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("instance_id", pa.string()),
            pa.field("canonical_id", pa.string()),
            pa.field("names", pa.uint64()),
            pa.field("is_trivial", pa.bool_()),
            pa.field("book", pa.string()),
            pa.field("read_by", pa.string()),
            pa.field("has_control", pa.bool_()),
        ]
    )


def write_facts(staging: Staging, key: str, facts: Sequence[InstanceFacts], about: Row) -> None:
    """Stage the facts of a batch beside its rows; equal facts give equal bytes."""
    import pyarrow as pa

    schema = facts_schema().with_metadata({FACTS: canonical_json(about)})
    columns = {name: [getattr(fact, name) for fact in facts] for name in schema.names}
    staging.store.write_table(staging.part_file(FACTS, key), pa.table(columns, schema=schema))


def read_facts(staging: Staging, key: str) -> BatchFacts | None:
    """Return the staged facts of a batch, None where there are none; raise Damaged if they are unreadable."""
    try:
        table = staging.store.read_table(staging.part_file(FACTS, key))
    except FileNotFoundError:
        return None
    return BatchFacts(json.loads(table.schema.metadata[FACTS.encode()]), table)


def same_names(store: Store, editions: Sequence[str], sums: "Sums") -> Iterator[tuple[str, Row]]:
    """Yield edition and row of each earlier instance whose names add up to one of the sums.

    A row has the columns that define the task: ids, truths, actions, states and observations. Memory
    does not grow with the number of earlier instances. Raises Damaged where an edition's file is missing.
    """
    import numpy as np
    import pyarrow as pa

    for edition in editions if len(sums) else ():
        ids: list[str] = []
        for batch in _read(store, "kumo_instances", edition, ["instance_id", *_NAMES.values()]):
            batch_sums = sum(_sums_of(kind, batch.column(column)) for kind, column in _NAMES.items())
            ids += batch.column("instance_id").filter(pa.array(np.isin(batch_sums, sums))).to_pylist()
        for row in rows_with(store, "kumo_instances", edition, "instance_id", ids, _CONTENT) if ids else ():
            yield edition, row


def earlier_instances(store: Store, editions: Sequence[str]) -> dict[tuple[str, str], int]:
    """Return how many instances these editions hold of each domain and setting: (domain's name, setting)."""
    import pyarrow as pa

    pair = ["domain", "setting"]
    counts: Counter[tuple[str, str]] = Counter()
    for edition in editions:
        for batch in _read(store, "instances", edition, pair):
            counted = pa.Table.from_batches([batch]).group_by(pair).aggregate([([], "count_all")])
            counts.update({(row["domain"], row["setting"]): row["count_all"] for row in counted.to_pylist()})
    return counts


def _read(store: Store, table: str, edition: str, columns: Sequence[str]) -> Iterator["pyarrow.RecordBatch"]:
    name = table_file(table, edition)
    if not store.exists(name):
        raise Damaged(
            f"{store.location(name)} is missing, so that nobody can say which instances were issued before: "
            "restore it from a copy (`perennial doctor` names all such files)"
        )
    yield from read_batches(store, table, edition, columns, _BATCH_ROWS)


def _sums_of(kind: str, lists: "pyarrow.ListArray") -> Any:
    """For each list the sum of its names' hashes."""
    import numpy as np

    names = lists.values.dictionary_encode()
    hashes = np.array([name_hash(kind, name) for name in names.dictionary.to_pylist()], np.uint64)
    ends = np.zeros(len(names) + 1, np.uint64)
    if len(names):
        np.cumsum(hashes[names.indices.to_numpy()], out=ends[1:])
    offsets = lists.offsets.to_numpy()
    return ends[offsets[1:]] - ends[offsets[:-1]]
